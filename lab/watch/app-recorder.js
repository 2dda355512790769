import { namesLoopback, otherBusyCores, readMachine } from 'mongodb-pool-page';
import { sum } from 'mongodb-pool-predictor/statistics';
import { measureBusy, ProcessRecorder, round } from './process-recorder.js';

/** @import { TraceWriter } from 'mongodb-pool-monitor' */
/** @import { Trace } from 'mongodb-pool-predictor/node' */
/** @import { PoolClient } from 'mongodb-pool-page/client' */

/** How often to look for new processes of an app under `pool-lab watch`. */
const LOOK_EVERY_MS = 2000;
/** A trace takes no larger sample of the overhead. */
const MAX_OVERHEADS = 200;
/** A sentence with more is not read. */
const MAX_NAMES = 5;

/**
 * Asks the monitor at a URL.
 * @typedef {<T>(url: string, ask: (client: PoolClient, signal: AbortSignal) => Promise<T>) => Promise<T>} AskAt
 */
/** @typedef {{ recorder: ProcessRecorder, url: string }} Recorded */

/** Records the processes of an app, from now on: one, or all that `pool-lab watch` lists. */
export class AppRecorder {
  #url;
  #ask;
  #client;
  #pid;
  #onNews;
  /** @type {Recorded[]} */
  #running = [];
  /** All recorders, also those of processes that ended. @type {Recorded[]} */
  #all = [];
  /** Why nothing is watched, as the overview says it. */
  #trouble = '';
  /** URLs of all running processes, including those that are not recorded. @type {Set<string>} */
  #known = new Set();
  #isOverview = false;
  #lookedAtMs = 0;
  #machine = readMachine();

  /**
   * @param {string} url of an app, or of the page of all processes
   * @param {{ ask: AskAt, onNews: (text: string) => void, client?: string, pid?: string }} options client, pid: the
   *   only ones to record
   */
  constructor(url, { ask, onNews, client, pid }) {
    this.#url = url;
    this.#ask = ask;
    this.#client = client;
    this.#pid = pid;
    this.#onNews = onNews;
  }

  /** The most clients that a process has had, or that one line of it has created. */
  get mostClients() {
    return Math.max(...this.#all.map(({ recorder }) => recorder.mostClients));
  }

  /** How many checkouts the app no longer had, and for how long it did not answer. */
  missing() {
    const each = this.#all.map(({ recorder }) => recorder.missing());
    return { lost: sum(each.map(({ lost }) => lost)), silentMs: sum(each.map(({ silentMs }) => silentMs)) };
  }

  /** How many requests ended with each status; 0: without an answer. @returns {Map<number, number>} */
  get statuses() {
    /** @type {Map<number, number>} */
    const all = new Map();
    for (const { recorder } of this.#all)
      for (const [status, count] of recorder.statuses) all.set(status, (all.get(status) ?? 0) + count);
    return all;
  }

  /**
   * @returns {Promise<Record<string, unknown>>} for the first line of the trace
   * @throws {Error} if the app does not answer, or has no such process or client
   */
  async open() {
    const rows = await this.#listRows();
    this.#isOverview = rows !== null;
    if (rows?.length === 0)
      throw new Error(`${this.#url}: none of its processes has a MongoClient yet. ${this.#trouble}`.trim());
    for (const { url } of rows ?? [{ url: this.#url }]) await this.#add(url);
    this.#requireChoice();
    const [{ recorder }] = this.#all;
    this.#machine = readMachine();
    const { settings } = recorder.snapshot;
    const { version, cores } = recorder.firstServer ?? {};
    return {
      url: withoutQuery(this.#url),
      pool: settings,
      ...((version || cores) && { server: { ...(version && { version }), ...(cores && { cores }) } }),
    };
  }

  /** What is recorded, in words. */
  describe() {
    const clients = this.#running.map(({ recorder }) => recorder.clients);
    if (clients.length === 1)
      return clients[0].length > 1
        ? `${this.#url}, ${clients[0].length} clients (${listNames(clients[0])}),`
        : this.#url;
    return `${clients.length} processes of ${this.#url}: ${this.#running.map(describeProcess).join(', ')},`;
  }

  /** @param {TraceWriter} trace */
  define(trace) {
    for (const { recorder, url } of this.#running) recorder.define(trace, url);
  }

  /** @param {TraceWriter} trace @returns {Promise<number>} the most new checkouts of one process */
  async recordNew(trace) {
    if (this.#isOverview) await this.#addNew(trace);
    const counts = await Promise.all(
      this.#running.map(({ recorder, url }) =>
        recorder.recordNew(trace, this.#onNews).then(
          (count) => {
            if (this.#isOverview && recorder.wasRestarted) this.#leave(url, recorder);
            return count;
          },
          (error) => {
            // Others may go on, or come.
            if (!this.#isOverview) throw error;
            this.#leave(url, recorder);
            return 0;
          },
        ),
      ),
    );
    return Math.max(0, ...counts);
  }

  /** @param {string} url where the next process may be @param {ProcessRecorder} recorder */
  #leave(url, recorder) {
    this.#running = this.#running.filter((each) => each.recorder !== recorder);
    this.#known.delete(url);
    this.#lookedAtMs = -Infinity;
    this.#onNews(`Process ${recorder.pid} has ended.`);
  }

  /**
   * Records the checkouts that have not ended, and reads what is known only at the end. The app may have ended.
   * @param {TraceWriter} trace
   * @returns {Promise<{ overhead?: object, server?: Trace['server'] }>}
   */
  async recordEnd(trace) {
    const recorders = this.#running.map((each) => each.recorder);
    await Promise.all(recorders.map((each) => each.recordOpen(trace)));
    const snapshots = await Promise.all(recorders.map((each) => each.readSnapshot().catch(() => ({}))));
    for (const [index, snapshot] of snapshots.entries()) recorders[index].recordSites(trace, snapshot);
    const overheads = snapshots.flatMap(({ overhead }) => overhead?.valuesMs ?? []);
    const every = Math.max(1, overheads.length / MAX_OVERHEADS);
    const valuesMs = overheads.filter((_, index) => Math.floor(index / every) !== Math.floor((index - 1) / every));
    const [{ recorder }] = this.#all;
    const [before, after] = [recorder.firstServer, await recorder.readServer()];
    const busy = before && after && measureBusy(before, after);
    const server = { cores: after?.cores ?? null, busyCores: busy };
    const others = this.#isHere(recorder) ? otherBusyCores(server, this.#machine, readMachine()) : null;
    return {
      ...(valuesMs.length > 0 && { overhead: { kind: 'sample', valuesMs } }),
      ...(after?.cores &&
        busy !== null && {
          server: { cores: after.cores, busyCores: busy, ...(others !== null && { otherBusyCores: round(others) }) },
        }),
    };
  }

  /** Whether app and server run on this machine. @param {ProcessRecorder} recorder */
  #isHere({ servers }) {
    return [new URL(this.#url).host, ...servers].every(namesLoopback);
  }

  /** @returns {Promise<{ url: string }[] | null>} the processes that the overview lists; null for an app */
  async #listRows() {
    // Also where it has one process: others may come.
    const answer = await this.#ask(this.#url, (client, signal) => client.processes(signal)).catch(() => null);
    if (!Array.isArray(Object(answer).rows)) return null;
    this.#trouble = String(answer.trouble ?? '');
    return answer.rows.filter((/** @type {any} */ row) => typeof Object(row).url === 'string');
  }

  /** @param {TraceWriter} trace */
  async #addNew(trace) {
    if (performance.now() - this.#lookedAtMs < LOOK_EVERY_MS) return;
    this.#lookedAtMs = performance.now();
    const rows = await this.#listRows();
    if (rows === null && this.#running.length === 0) throw new Error(`${this.#url} has ended`);
    for (const { url } of rows ?? []) {
      if (this.#known.has(url)) continue;
      const added = await this.#add(url).catch(() => null);
      if (!added) continue;
      added.recorder.define(trace, url);
      this.#onNews(`Also recording process ${describeProcess(added)}.`);
    }
  }

  /** @param {string} url @returns {Promise<Recorded | null>} null if it was not chosen */
  async #add(url) {
    const options = { number: this.#all.length, client: this.#client };
    const recorder = new ProcessRecorder((question) => this.#ask(url, question), options);
    await recorder.open();
    const added = { recorder, url };
    this.#all.push(added);
    this.#known.add(url);
    if (this.#pid !== undefined && !recorder.hasId(this.#pid)) return null;
    // An app that closes its clients after use may have none now.
    if (this.#client !== undefined && recorder.clients.length === 0) return null;
    this.#running.push(added);
    return added;
  }

  #requireChoice() {
    if (this.#running.length > 0) return;
    const has = this.#all.map(
      ({ recorder }) =>
        `process ${recorder.pid ?? 'without an id'} (${listNames(recorder.allClients) || 'no client that is open'})`,
    );
    const client = this.#client !== undefined && `no client "${this.#client}"`;
    const chosen = [client, this.#pid !== undefined && `no process ${this.#pid}`].filter(Boolean);
    throw new Error(`${this.#url} has ${chosen.join(' in ')}, but ${has.join(', ')}`);
  }
}

/** A query may have a token. @param {string} text */
function withoutQuery(text) {
  const url = Object.assign(new URL(text), { search: '', hash: '' });
  return url.pathname === '/' ? url.origin : url.href;
}

/** @param {Recorded} recorded */
function describeProcess({ recorder: { pid, clients } }) {
  return `${pid} (${listNames(clients)})`;
}

/** @param {string[]} names */
function listNames(names) {
  const shown = names.slice(0, MAX_NAMES).join(', ');
  return names.length > MAX_NAMES ? `${shown} and ${names.length - MAX_NAMES} more` : shown;
}
