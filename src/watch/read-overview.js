import { fetchMonitor } from '../harness/monitor-reader.js';

/** @import { AttachedProcess } from '../harness/attach-reports.js' */

const ANSWER_MS = 2000;

/**
 * @typedef {object} Load
 * @property {number} max 0 for no limit
 * @property {number} total
 * @property {number} active
 * @property {number} waiting
 * @property {number} longestWaitMs 0 if nobody waits
 * @property {number | null} ratePerSec checkouts; null before the second reading
 *
 * @typedef {Load & { pid: number, threadId: number, command: string, url: string, ports: number[], clients: number,
 *   reachable: boolean, deadlockRisk: boolean }} ProcessLoad
 * @typedef {{ processes: ProcessLoad[], totals: Load }} Overview
 */

/**
 * Reads what the monitors of several processes show.
 *
 * @param {AttachedProcess[]} processes may grow
 * @returns {() => Promise<Overview>} those that still run and have a MongoClient
 */
export function createOverviewReader(processes) {
  /** @type {Map<AttachedProcess, { atMs: number, checkedOut: number, ratePerSec: number | null }>} */
  const latest = new Map();

  /** @param {AttachedProcess} process @returns {Promise<ProcessLoad | undefined>} */
  async function read(process) {
    const { pid, threadId, command, url, ports } = process;
    if (url === undefined) return undefined;
    const pool = await fetchMonitor(process, '/pool', AbortSignal.timeout(ANSWER_MS)).catch(() => undefined);
    if (!Array.isArray(pool?.clients)) return undefined;
    const { clients } = pool;
    return {
      pid, threadId, command, url, ports, clients: clients.length,
      reachable: pool.database.reachable,
      deadlockRisk: clients.some((/** @type {any} */ { queue }) => queue.some((/** @type {any} */ { holds }) => holds > 0)),
      ...addUp(clients.map((/** @type {any} */ client) => ({ ...client, longestWaitMs: client.queue[0]?.waitMs ?? 0, ratePerSec: 0 }))),
      ratePerSec: noteRate(process, pool.atMs, clients.reduce((/** @type {number} */ sum, /** @type {any} */ { checkedOut }) => sum + checkedOut, 0)),
    };
  }

  /** @param {AttachedProcess} process @param {number} atMs @param {number} checkedOut */
  function noteRate(process, atMs, checkedOut) {
    const before = latest.get(process);
    const seconds = before ? (atMs - before.atMs) / 1000 : 0;
    // Two readers at once must not divide by next to nothing.
    if (before && seconds < 0.5) return before.ratePerSec;
    const ratePerSec = before ? Math.max(0, checkedOut - before.checkedOut) / seconds : null;
    latest.set(process, { atMs, checkedOut, ratePerSec });
    return ratePerSec;
  }

  return async () => {
    const found = (await Promise.all(processes.map(read))).filter((each) => each !== undefined);
    return { processes: found, totals: addUp(found) };
  };
}

/** @param {Load[]} loads @returns {Load} */
function addUp(loads) {
  /** @param {'max' | 'total' | 'active' | 'waiting' | 'ratePerSec'} key */
  const sum = (key) => loads.reduce((total, load) => total + Number(load[key]), 0);
  return {
    max: loads.some(({ max }) => max === 0) ? 0 : sum('max'),
    total: sum('total'), active: sum('active'), waiting: sum('waiting'),
    longestWaitMs: Math.max(0, ...loads.map(({ longestWaitMs }) => longestWaitMs)),
    ratePerSec: loads.every(({ ratePerSec }) => ratePerSec === null) ? null : sum('ratePerSec'),
  };
}
