import { setTimeout as sleep } from 'node:timers/promises';

/** @import { CheckoutRecord, RequestRecord } from 'mongodb-pool-monitor' */
/** @import { AttachedProcess } from './attach-reports.js' */

/** A monitor keeps 10 000 of each: at this pace it forgets none at less than 10 000 a second. */
const EVERY_MS = 1000;

/**
 * @typedef {CheckoutRecord & { source: number }} SeenCheckout source: index of the process
 * @typedef {RequestRecord & { source: number }} SeenRequest
 * @typedef {{ checkouts: SeenCheckout[], requests: SeenRequest[], forgotten: number }} Seen forgotten: how many the monitors had
 *   dropped before they were read
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
  /** @type {Map<AttachedProcess, Record<Kind, number>>} By process: the last ids. */
  const lastIds = new Map();
  const stopped = new AbortController();

  /** @param {Seen} into */
  async function readAll(into) {
    for (const [source, process] of processes.entries()) {
      if (process.url === undefined) continue;
      const after = lastIds.get(process) ?? { checkouts: 0, requests: 0 };
      lastIds.set(process, after);
      for (const kind of KINDS) {
        const { [kind]: records, lastId, forgotten } = await fetchMonitor(process, `/pool/${kind}?after=${after[kind]}`, signal);
        after[kind] = lastId;
        into.forgotten += forgotten;
        for (const record of records) into[kind].push({ ...record, source });
      }
    }
  }

  async function poll() {
    while (!stopped.signal.aborted) {
      await sleep(EVERY_MS, undefined, { signal: stopped.signal }).catch(() => {});
      await readAll(seen);
    }
  }

  // What was before is left out.
  await readAll({ checkouts: [], requests: [], forgotten: 0 });
  const polling = poll();
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

/** @typedef {'checkouts' | 'requests'} Kind */
/** @type {Kind[]} */
const KINDS = ['checkouts', 'requests'];

/**
 * @param {AttachedProcess} process with a monitor
 * @param {string} path
 * @param {AbortSignal} signal
 * @returns {Promise<any>}
 */
export async function fetchMonitor({ pid, url }, path, signal) {
  try {
    const response = await fetch(`${url}${path}`, { signal });
    if (!response.ok) throw new Error(`HTTP ${response.status}`);
    return await response.json();
  } catch (cause) {
    signal.throwIfAborted();
    const { message, cause: reason } = /** @type {Error} */ (cause);
    throw new Error(`the monitor of process ${pid} did not answer GET ${path}: ${reason instanceof Error ? reason.message : message}`, { cause });
  }
}
