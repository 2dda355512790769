import { PoolClient } from 'mongodb-pool-page/client';
import { explainLastMinute } from 'mongodb-pool-page/universal/explain-diagnosis.js';
import { sum } from 'mongodb-pool-predictor/statistics';
import { diagnoseRecent } from '../harness/recent-diagnosis.js';

/** @import { AttachedProcess } from '../harness/attach-reports.js' */

const ANSWER_MS = 2000;
/** The shortest time that a rate is measured over, in seconds. */
const MIN_RATE_S = 0.5;
/** A diagnosis costs a process and this one some milliseconds. */
const DIAGNOSE_EVERY_MS = 5000;

/**
 * @typedef {object} PoolLoad
 * @property {number} max 0 for no limit
 * @property {number} total
 * @property {number} active
 * @property {number} waiting
 * @property {number} longestWaitMs 0 if nobody waits
 * @property {number | null} ratePerSec checkouts; null before the second reading
 *
 * @typedef {PoolLoad & { pid: number, threadId: number, command: string, url: string, ports: number[], clients: number,
 *   reachable: boolean, deadlockRisk: boolean, diagnosis: string }} ProcessLoad
 * @typedef {{ processes: ProcessLoad[], totals: PoolLoad }} Overview
 */

/** Reads what the monitors of several processes show. */
export class OverviewReader {
  #processes;
  /** @type {Map<AttachedProcess, { atMs: number, checkedOut: number, ratePerSec: number | null }>} */
  #latest = new Map();
  /** @type {Map<AttachedProcess, { atMs: number, text: string }>} */
  #diagnoses = new Map();

  /** @param {AttachedProcess[]} processes may grow */
  constructor(processes) {
    this.#processes = processes;
  }

  /** @returns {Promise<Overview>} of those that still run and have a MongoClient */
  async read() {
    const found = (await Promise.all(this.#processes.map((process) => this.#readProcess(process)))).filter(
      (each) => each !== undefined,
    );
    return { processes: found, totals: addUp(found) };
  }

  /** @param {AttachedProcess} process @returns {Promise<ProcessLoad | undefined>} */
  async #readProcess(process) {
    const { pid, threadId, command, url, ports } = process;
    if (url === undefined) return undefined;
    const pool = await new PoolClient(url, { timeoutMs: ANSWER_MS }).snapshot().catch(() => undefined);
    if (!Array.isArray(pool?.clients)) return undefined;
    /** @type {any[]} */
    const clients = pool.clients;
    return {
      pid,
      threadId,
      command,
      url,
      ports,
      clients: clients.length,
      reachable: pool.database.reachable,
      deadlockRisk: clients.some(({ queue }) => queue.some((/** @type {any} */ { holds }) => holds > 0)),
      ...addUp(clients.map((client) => ({ ...client, longestWaitMs: client.queue[0]?.waitMs ?? 0, ratePerSec: 0 }))),
      diagnosis: await this.#diagnose(process, url),
      ratePerSec: this.#updateRate(process, pool.atMs, sum(clients.map(({ checkedOut }) => checkedOut))),
    };
  }

  /**
   * Why its requests waited.
   * @param {AttachedProcess} process
   * @param {string} url
   * @returns {Promise<string>} empty if unknown
   */
  async #diagnose(process, url) {
    const before = this.#diagnoses.get(process);
    if (before && performance.now() - before.atMs < DIAGNOSE_EVERY_MS) return before.text;
    const text = await diagnoseRecent(url, { timeoutMs: ANSWER_MS })
      .then((diagnosis) => (diagnosis ? explainLastMinute(diagnosis, diagnosis.totals.stillWaiting > 0) : ''))
      .catch(() => '');
    this.#diagnoses.set(process, { atMs: performance.now(), text });
    return text;
  }

  /** @param {AttachedProcess} process @param {number} atMs @param {number} checkedOut */
  #updateRate(process, atMs, checkedOut) {
    const before = this.#latest.get(process);
    const seconds = before ? (atMs - before.atMs) / 1000 : 0;
    // Two readers at once must not divide by next to nothing.
    if (before && seconds >= 0 && seconds < MIN_RATE_S) return before.ratePerSec;
    // The app's clock may have been set back.
    const ratePerSec = before && seconds > 0 ? Math.max(0, checkedOut - before.checkedOut) / seconds : null;
    this.#latest.set(process, { atMs, checkedOut, ratePerSec });
    return ratePerSec;
  }
}

/** @param {PoolLoad[]} loads @returns {PoolLoad} */
function addUp(loads) {
  /** @param {'max' | 'total' | 'active' | 'waiting' | 'ratePerSec'} key */
  const sumOf = (key) => sum(loads.map((load) => Number(load[key])));
  return {
    max: loads.some(({ max }) => max === 0) ? 0 : sumOf('max'),
    total: sumOf('total'),
    active: sumOf('active'),
    waiting: sumOf('waiting'),
    longestWaitMs: Math.max(0, ...loads.map(({ longestWaitMs }) => longestWaitMs)),
    ratePerSec: loads.every(({ ratePerSec }) => ratePerSec === null) ? null : sumOf('ratePerSec'),
  };
}
