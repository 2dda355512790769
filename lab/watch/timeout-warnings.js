import { PoolClient } from 'mongodb-pool-page/client';
import { describeFinding } from 'mongodb-pool-page/universal/finding-words.js';
import { findTimeouts } from 'mongodb-pool-predictor';
import { poll } from '../base/poll.js';

/** @import { EventEmitter } from 'node:events' */
/** @import { AttachedProcess } from '../harness/attach-reports.js' */

const ANSWER_MS = 2000;
const EVERY_MS = 200;
/** An app that starts creates its clients one after the other, and each is reported. */
const SETTLED_MS = 500;

/**
 * Says of each client that was given `timeoutMS` what its driver makes of that.
 * @param {string} url of a process that is watched
 * @returns {Promise<string[]>} empty if it does not answer, such as while it ends
 */
export async function warnOfTimeouts(url) {
  const pool = new PoolClient(url, { timeoutMs: ANSWER_MS });
  const clients = await poll(
    async () => {
      const { clients: found } = await pool.snapshot().catch(() => ({ clients: [] }));
      // A driver says its version a moment after the client was created.
      return found.every((/** @type {{ driver?: string }} */ { driver }) => driver) ? found : undefined;
    },
    { everyMs: EVERY_MS, timeoutMs: ANSWER_MS },
  );
  return findTimeouts(clients ?? []).map(describeFinding);
}

/**
 * Warns once of each client that was given `timeoutMS`, whichever of the processes it is in.
 * @param {{ processes: AttachedProcess[], events: EventEmitter }} reports a report comes with each new client
 * @param {(warning: string) => void} onWarning
 */
export function watchTimeouts({ processes, events }, onWarning) {
  /** @type {Set<string>} */
  const said = new Set();
  /** @type {NodeJS.Timeout | undefined} */
  let timer;
  const look = async () => {
    const urls = processes.flatMap(({ url, clients }) => (url === undefined || clients.length === 0 ? [] : url));
    for (const warning of (await Promise.all(urls.map(warnOfTimeouts))).flat()) {
      if (said.has(warning)) continue;
      said.add(warning);
      onWarning(warning);
    }
  };
  events.on('report', () => {
    clearTimeout(timer);
    timer = setTimeout(look, SETTLED_MS).unref();
  });
}
