import { isCalled, nameClient } from 'mongodb-pool-predictor';
import { busyCores, describeLoop } from 'mongodb-pool-page';
import { isTimeout } from '../base/poll.js';

/** @import { TraceWriter } from 'mongodb-pool-monitor' */
/** @import { PoolClient, ServerLoad } from 'mongodb-pool-page/client' */

/** The monitor reads its server at most this often. */
const SERVER_EVERY_MS = 900;

/**
 * Asks the process.
 * @typedef {<T>(ask: (client: PoolClient, signal: AbortSignal) => Promise<T>) => Promise<T>} AskProcess
 */
/** @typedef {'checkouts' | 'requests' | 'connections' | 'seconds'} ListName */
/** @type {ListName[]} */
const OTHER_LISTS = ['requests', 'connections', 'seconds'];

/** Records what the monitor of one process sees, from now on. */
export class ProcessRecorder {
  #ask;
  #number;
  #client;
  /** The last id of each list that the process has. An older monitor has fewer. @type {Map<ListName, number>} */
  #lastIds = new Map();
  /** The first name of each client that was renamed since, by its new name. @type {Map<string | null, string>} */
  #firstNames = new Map();
  /** All names that its clients have had. @type {Set<string | null>} */
  #names = new Set();
  /** The options of each pool when they were last written. @type {Map<string, string | undefined>} */
  #written = new Map();
  /** The size of all pools together in the last second. @type {number | undefined} */
  #max;
  /** The clock of the process, less ours. */
  #aheadMs = 0;
  /** @type {{ load: ServerLoad, atMs: number } | null} */
  #server = null;
  #lost = 0;
  #silentMs = 0;
  #isSilent = false;
  #answeredAtMs = performance.now();
  /** What the process said of itself at first. @type {any} */
  snapshot;
  /** Whether another process answers at its address now, which counts from 1 again. */
  wasRestarted = false;
  /** The most clients that it has had, or that one line of it has created. */
  mostClients = 0;
  /** How many requests ended with each status; 0: without an answer. @type {Map<number, number>} */
  statuses = new Map();
  /** Its server's load at first; null where it does not tell. @type {ServerLoad | null} */
  firstServer = null;

  /**
   * @param {AskProcess} ask
   * @param {{ number: number, client?: string }} options number: in the trace; client: the only one, or one of its
   *   pools as `host:port/name`
   */
  constructor(ask, { number, client }) {
    this.#ask = ask;
    this.#number = number;
    this.#client = client;
  }

  /** What was before is left out. @throws if the process has no monitor */
  async open() {
    this.snapshot = await this.readSnapshot();
    this.#lastIds.set('checkouts', (await this.#ask((client, signal) => client.checkoutsSince(0, signal))).lastId);
    for (const name of OTHER_LISTS) {
      const last = await this.#ask((client, signal) => readList(client, name, 0, signal)).catch(() => null);
      if (last) this.#lastIds.set(name, last.lastId);
    }
    this.firstServer = await this.readServer();
    if (this.firstServer) this.#server = { load: this.firstServer, atMs: performance.now() };
  }

  /** The process id, with the number of a worker thread as in `123:2`; undefined for an app with a page of its own. */
  get pid() {
    const { pid, threadId } = this.snapshot.process ?? {};
    return threadId ? `${pid}:${threadId}` : pid === undefined ? undefined : String(pid);
  }

  /** @param {string} pid as above: a process id stands for all of its threads, and `123:0` for the main one */
  hasId(pid) {
    const { pid: own, threadId = 0 } = this.snapshot.process ?? {};
    return pid === String(own) || pid === `${own}:${threadId}`;
  }

  /** @returns {string[]} names of its clients */
  get allClients() {
    return listClients(this.snapshot).map(nameClient);
  }

  /** @returns {string[]} those that are recorded */
  get clients() {
    return this.pickClients(this.snapshot).map(nameClient);
  }

  /** @returns {string[]} addresses */
  get servers() {
    return listClients(this.snapshot).flatMap(({ servers }) => servers);
  }

  /**
   * Those of a snapshot that are recorded, with their names and servers in the trace.
   * @param {any} snapshot
   * @returns {any[]}
   */
  pickClients(snapshot) {
    return listClients(snapshot).flatMap(({ name, servers, ...client }) => {
      const pool = this.#firstNames.get(name) ?? name;
      const recorded = servers.filter((/** @type {string} */ server) => this.#isRecorded({ pool, server }));
      const isRecorded = recorded.length > 0 || this.#isRecorded({ pool });
      return isRecorded ? [{ ...client, name: pool, servers: recorded }] : [];
    });
  }

  /** Writes what it is like. @param {TraceWriter} trace @param {string} url of its page */
  define(trace, url) {
    const { process } = this.snapshot;
    trace.defineProcess(this.#number, {
      ...(process && { pid: process.pid, command: process.command, node: process.node }),
      url,
      attached: process !== undefined,
    });
    this.#definePools(trace, this.snapshot);
    this.recordSites(trace, this.snapshot);
  }

  /**
   * Writes what is new. An overloaded process may answer too late; then it is there next time.
   *
   * @param {TraceWriter} trace
   * @param {(text: string) => void} onSilent
   * @returns {Promise<number>} how many checkouts were new
   */
  async recordNew(trace, onSilent) {
    try {
      const count = await this.#recordNew(trace);
      this.#endSilence();
      return count;
    } catch (error) {
      if (!isTimeout(error)) throw error;
      if (!this.#isSilent) onSilent(`${/** @type {Error} */ (error).message}. Trying again.`);
      this.#isSilent = true;
      return 0;
    }
  }

  /** Writes the checkouts that have not ended, if the process lists them. @param {TraceWriter} trace */
  async recordOpen(trace) {
    const open = await this.#ask((client, signal) => client.openCheckouts(signal)).catch(() => null);
    for (const checkout of this.#pickRecords(open?.checkouts)) trace.write({ ...checkout, process: this.#number });
  }

  /** Writes how many clients each line of the app has created. @param {TraceWriter} trace @param {any} snapshot */
  recordSites(trace, { atMs, clientSites = [], clients = [] }) {
    this.mostClients = Math.max(
      this.mostClients,
      clients.length,
      ...clientSites.map((/** @type {any} */ { created }) => created),
    );
    for (const { place, hosts, created, closed, connections } of clientSites)
      trace.writeSecond('clients', { atMs, process: this.#number, place, hosts, created, closed, connections });
  }

  /** How many checkouts the process no longer had, and for how long it did not answer. */
  missing() {
    this.#endSilence();
    return { lost: this.#lost, silentMs: this.#silentMs };
  }

  #endSilence() {
    const nowMs = performance.now();
    if (this.#isSilent) this.#silentMs += Math.round(nowMs - this.#answeredAtMs);
    this.#isSilent = false;
    this.#answeredAtMs = nowMs;
  }

  /** @param {TraceWriter} trace */
  async #recordNew(trace) {
    const process = this.#number;
    const { checkouts, forgotten } = await this.#readNew('checkouts');
    this.#lost += forgotten;
    if (checkouts.some((/** @type {any} */ { pool }) => !this.#names.has(pool))) await this.readSnapshot();
    const recorded = this.#pickRecords(checkouts);
    const unknown = recorded.map(keyOf).filter((key) => !this.#written.has(key));
    if (unknown.length > 0) await this.#defineNew(trace, unknown);
    for (const checkout of recorded) trace.write({ ...checkout, process });
    for (const request of (await this.#readNew('requests')).requests ?? []) {
      trace.writeRequest({ ...request, process });
      this.statuses.set(request.status, (this.statuses.get(request.status) ?? 0) + 1);
    }
    for (const event of this.#pickRecords((await this.#readNew('connections')).connections))
      trace.writeEvent({ ...event, process });
    await this.#recordSeconds(trace);
    return checkouts.length;
  }

  /** @returns {Promise<ServerLoad | null>} null where it does not tell */
  readServer() {
    return this.#ask((client, signal) => client.serverLoad(signal)).catch(() => null);
  }

  /** @returns {Promise<any>} what `GET /pool` says */
  async readSnapshot() {
    const snapshot = await this.#ask((client, signal) => client.snapshot(signal));
    this.#aheadMs = (snapshot.atMs ?? Date.now()) - Date.now();
    for (const { name, formerNames = [] } of listClients(snapshot)) {
      const first = formerNames.find((/** @type {string} */ each) => this.#names.has(each));
      if (first !== undefined && !this.#names.has(name)) this.#firstNames.set(name, first);
      this.#names.add(name);
    }
    return snapshot;
  }

  /** @param {TraceWriter} trace */
  async #recordSeconds(trace) {
    const process = this.#number;
    for (const second of (await this.#readNew('seconds')).seconds ?? []) {
      trace.writeSecond('loop', { ...describeLoop(second), process });
      if (this.#max !== undefined && second.max !== this.#max) await this.#defineNew(trace, []);
      this.#max = second.max;
    }
    if (!this.#server || performance.now() - this.#server.atMs < SERVER_EVERY_MS) return;
    const load = await this.readServer();
    if (!load) return;
    const busy = measureBusy(this.#server.load, load);
    this.#server = { load, atMs: performance.now() };
    const { cores, ticketsOut, ticketsTotal, queued, connectionLimit } = load;
    const facts = { cores, busyCores: busy, ticketsOut, ticketsTotal, queued, connectionLimit };
    const known = Object.entries(facts).filter(([, value]) => Number.isFinite(value));
    if (known.length === 0) return;
    trace.writeSecond('server', { atMs: Date.now() + this.#aheadMs, process, ...Object.fromEntries(known) });
  }

  /** @param {TraceWriter} trace @param {string[]} unknown keys of pools with checkouts */
  async #defineNew(trace, unknown) {
    this.#definePools(trace, await this.readSnapshot());
    // The client may be closed by now, and an older monitor says less.
    for (const key of unknown) if (!this.#written.has(key)) this.#written.set(key, undefined);
  }

  /** Writes the pools that are new, or have new options. @param {TraceWriter} trace @param {any} snapshot */
  #definePools(trace, snapshot) {
    for (const { name: pool, servers, appName, driver, options } of this.pickClients(snapshot)) {
      for (const server of servers) {
        const key = keyOf({ pool, server });
        const facts = JSON.stringify(options);
        if (this.#written.get(key) === facts) continue;
        this.#written.set(key, facts);
        trace.definePool({ process: this.#number, pool, server, appName, driver, options });
      }
    }
  }

  /** @param {{ pool: string | null, server?: string }} of */
  #isRecorded({ pool: name, server: address }) {
    return this.#client === undefined || isCalled(this.#client, { name, address });
  }

  /**
   * Picks those that are recorded, with the names that their clients have in the trace.
   * @param {any[]} [records]
   * @returns {any[]}
   */
  #pickRecords(records = []) {
    return records
      .map((each) => ({ ...each, pool: this.#firstNames.get(each.pool) ?? each.pool }))
      .filter((each) => this.#isRecorded(each));
  }

  /** @param {ListName} name @returns {Promise<any>} */
  async #readNew(name) {
    const after = this.#lastIds.get(name);
    if (after === undefined) return {};
    const answer = await this.#ask((client, signal) => readList(client, name, after, signal));
    this.#lastIds.set(name, answer.lastId);
    this.wasRestarted ||= answer.lastId < after;
    return answer;
  }
}

/** @param {any} snapshot @returns {any[]} its clients, of which an older monitor says less */
function listClients({ max = 0, clients = [{ name: null, servers: [''], options: { maxPoolSize: { value: max } } }] }) {
  return clients;
}

/**
 * @param {PoolClient} client
 * @param {ListName} name
 * @param {number} after
 * @param {AbortSignal} signal
 * @returns {Promise<any>}
 */
function readList(client, name, after, signal) {
  return client[`${name}Since`](after, signal);
}

/**
 * Measures how many cores of a server were busy between two looks at it.
 * @param {ServerLoad} before
 * @param {ServerLoad} after
 * @returns {number | null} null where it does not tell
 */
export function measureBusy(before, after) {
  const busy = busyCores(before, after);
  return busy === null ? null : Math.max(0, round(busy));
}

/** Rounds to three decimals. @param {number} value */
export function round(value) {
  return Math.round(value * 1000) / 1000;
}

/** @param {{ pool?: string | null, server?: string }} of */
function keyOf({ pool = null, server = '' }) {
  return JSON.stringify([pool, server]);
}
