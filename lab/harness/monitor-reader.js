import { PoolClient } from 'mongodb-pool-page/client';
import { repeatUntil } from '../base/poll.js';

/** @import { CheckoutRecord, RequestRecord } from 'mongodb-pool-monitor' */
/** @import { AttachedProcess } from './attach-reports.js' */

/** A monitor keeps 10 000 of each: at this pace it forgets none at less than 10 000 a second. */
const EVERY_MS = 1000;
const ANSWER_MS = 30_000;

/**
 * @typedef {CheckoutRecord & { source: number }} SeenCheckout source: index of the process
 * @typedef {RequestRecord & { source: number }} SeenRequest
 * @typedef {{ checkouts: SeenCheckout[], requests: SeenRequest[], forgotten: number }} Seen forgotten: how many the
 *   monitors had dropped before they were read
 */

/**
 * Reads what the monitors of attached processes see, from now on.
 *
 * @param {AttachedProcess[]} processes may grow
 * @param {AbortSignal} signal ends the reading
 * @returns {Promise<{ stop: () => Promise<Seen> }>} `stop` reads once more, and returns all that was seen
 */
export async function readMonitors(processes, signal) {
  /** @type {Seen} */
  const seen = { checkouts: [], requests: [], forgotten: 0 };
  /** @type {Map<AttachedProcess, { checkouts: number, requests: number }>} By process: the last ids. */
  const lastIds = new Map();
  const stopped = new AbortController();

  /** @param {Seen} into */
  async function readAll(into) {
    for (const [source, process] of processes.entries()) {
      if (process.url === undefined) continue;
      const after = lastIds.get(process) ?? { checkouts: 0, requests: 0 };
      lastIds.set(process, after);
      const { checkouts, requests } = await askMonitor(process, async (client) => ({
        checkouts: await client.checkoutsSince(after.checkouts, signal),
        requests: await client.requestsSince(after.requests, signal),
      }));
      Object.assign(after, { checkouts: checkouts.lastId, requests: requests.lastId });
      into.forgotten += checkouts.forgotten + requests.forgotten;
      for (const record of checkouts.checkouts) into.checkouts.push({ ...record, source });
      for (const record of requests.requests) into.requests.push({ ...record, source });
    }
  }

  // What was before is left out.
  await readAll({ checkouts: [], requests: [], forgotten: 0 });
  const polling = repeatUntil(() => readAll(seen), { everyMs: EVERY_MS, stop: stopped.signal });
  // Its error is thrown by stop.
  polling.catch(() => {});
  return {
    async stop() {
      stopped.abort();
      await polling;
      return seen;
    },
  };
}

/**
 * @template T
 * @param {AttachedProcess} process with a monitor
 * @param {(client: PoolClient) => Promise<T>} ask
 * @param {number} [timeoutMs] for each answer; a process under full load may take its time
 * @returns {Promise<T>}
 */
export async function askMonitor({ pid, url }, ask, timeoutMs = ANSWER_MS) {
  try {
    return await ask(new PoolClient(String(url), { timeoutMs }));
  } catch (cause) {
    throw new Error(`the monitor of process ${pid}, ${/** @type {Error} */ (cause).message}`, { cause });
  }
}
