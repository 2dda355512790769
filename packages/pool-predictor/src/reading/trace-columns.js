import { ColumnTable } from './column-table.js';
import { EVENTS, OUTCOMES } from './recorded-trace.js';
import { RequestRows } from './request-rows.js';

/** @import { Definitions } from './definitions.js' */
/** @import { RecordedTrace } from './recorded-trace.js' */

/** The most that a column of bytes takes. */
const MAX_BYTE = 255;

/** Collects the lines of a trace in columns. They return which number is not defined, if one is not. */
export class TraceColumns {
  #definitions;
  #checkouts = new ColumnTable({
    startedMs: Float64Array,
    waitMs: Float64Array,
    openingMs: Float64Array,
    useMs: Float64Array,
    poolOf: Int32Array,
    connectionOf: Int32Array,
    isFresh: Uint8Array,
    outcomeOf: Uint8Array,
    reasonOf: Int32Array,
    routeOf: Int32Array,
    operationOf: Int32Array,
    requestOf: Int32Array,
    transactionOf: Int32Array,
    holds: Uint8Array,
    behindFrom: Int32Array,
    behindCount: Int32Array,
  });
  #behind = new ColumnTable({ requestOf: Int32Array, routeOf: Int32Array, operationOf: Int32Array });
  #events = new ColumnTable({
    kindOf: Uint8Array,
    atMs: Float64Array,
    poolOf: Int32Array,
    connectionOf: Int32Array,
    reasonOf: Int32Array,
    durationMs: Float64Array,
  });
  #requests = new RequestRows();
  /** @type {RecordedTrace['seconds']} */
  #seconds = { loop: [], server: [], clients: [] };

  /** @param {Definitions} definitions */
  constructor(definitions) {
    this.#definitions = definitions;
  }

  /** How many checkouts there are. */
  get length() {
    return this.#checkouts.length;
  }

  /** @param {Record<string, any>} line a checkout @returns {string | undefined} */
  addCheckout(line) {
    const {
      atMs,
      waitMs,
      openingMs = 0,
      useMs = NaN,
      connection = 0,
      fresh,
      outcome = 'checkedIn',
      reason,
      transaction = 0,
      holds = 0,
      behind,
    } = line;
    const pool = this.#definitions.rowOf('pool', line.pool);
    const route = this.#definitions.rowOf('route', line.route);
    const operation = this.#definitions.rowOf('operation', line.operation);
    if (pool === undefined) return `pool ${line.pool} is not defined`;
    if (route === undefined) return `route ${line.route} is not defined`;
    if (operation === undefined) return `operation ${line.operation} is not defined`;
    const { process } = this.#definitions.pools[pool];
    const from = this.#behind.length;
    const unknown = behind && this.#addBehind(behind, process);
    if (unknown) return unknown;
    const row = this.#checkouts.next();
    const { columns } = this.#checkouts;
    columns.startedMs[row] = atMs;
    columns.waitMs[row] = waitMs;
    columns.useMs[row] = useMs;
    columns.openingMs[row] = openingMs;
    columns.poolOf[row] = pool;
    columns.connectionOf[row] = connection;
    columns.isFresh[row] = fresh ? 1 : 0;
    columns.outcomeOf[row] = OUTCOMES.indexOf(outcome);
    columns.reasonOf[row] = this.#definitions.reasonRow(reason);
    columns.routeOf[row] = route === -1 ? this.#definitions.routeRow() : route;
    columns.operationOf[row] = operation;
    columns.requestOf[row] = line.request === undefined ? -1 : this.#requests.rowOf(process, line.request);
    columns.transactionOf[row] = transaction;
    columns.holds[row] = Math.min(holds, MAX_BYTE);
    columns.behindFrom[row] = from;
    columns.behindCount[row] = this.#behind.length - from;
    return undefined;
  }

  /** @param {Record<string, any>} line of a request @returns {string | undefined} */
  addRequest(line) {
    const process = this.#definitions.processRow(line.process);
    const route = this.#definitions.rowOf('route', line.route);
    if (process === undefined) return `process ${line.process} is not defined`;
    if (route === undefined) return `route ${line.route} is not defined`;
    this.#requests.add(process, route, line);
    return undefined;
  }

  /** @param {Record<string, any>} line of an event @returns {string | undefined} */
  addEvent({ event, ...facts }) {
    if (Object.hasOwn(this.#seconds, event)) {
      const process = this.#definitions.processRow(facts.process);
      if (process === undefined) return `process ${facts.process} is not defined`;
      this.#seconds[/** @type {'loop'} */ (event)].push(/** @type {any} */ ({ ...facts, process }));
      return undefined;
    }
    const pool = this.#definitions.rowOf('pool', facts.pool);
    if (pool === undefined) return `pool ${facts.pool} is not defined`;
    const row = this.#events.next();
    const { columns } = this.#events;
    columns.kindOf[row] = EVENTS.indexOf(event);
    columns.atMs[row] = facts.atMs;
    columns.poolOf[row] = pool;
    columns.connectionOf[row] = facts.connection ?? 0;
    columns.reasonOf[row] = this.#definitions.reasonRow(facts.reason);
    columns.durationMs[row] = facts.durationMs ?? NaN;
    return undefined;
  }

  /**
   * Hands all columns over. Nothing can be added then.
   * @returns {Omit<RecordedTrace, 'header' | 'file' | 'resolutionMs' | 'server' | 'unlisted' | 'warnings'>}
   */
  take() {
    const { startedMs, waitMs } = this.#checkouts.columns;
    const order = new Uint32Array(this.length).map((_, row) => row);
    // The queue is first in, first out: of those that started within one step of the clock, the first one was served
    // first.
    order.sort((a, b) => startedMs[a] - startedMs[b] || waitMs[a] - waitMs[b]);
    const checkouts = this.#checkouts.take(order);
    const [firstMs = 0] = checkouts.startedMs;
    const events = this.#events.take();
    shift(checkouts.startedMs, firstMs);
    shift(events.atMs, firstMs);
    for (const second of Object.values(this.#seconds).flat()) second.atMs -= firstMs;
    if (this.#requests.length > 0) this.#definitions.nameOutside();
    const { processes, pools, routes, operations, reasons } = this.#definitions;
    return {
      originMs: firstMs,
      processes,
      pools,
      routes,
      operations,
      reasons,
      checkouts: { length: this.#checkouts.length, ...checkouts },
      behind: { length: this.#behind.length, ...this.#behind.take() },
      requests: this.#requests.take(firstMs),
      events: { length: this.#events.length, ...events },
      seconds: this.#seconds,
    };
  }

  /** @param {number[][]} groups @param {number} process row @returns {string | undefined} */
  #addBehind(groups, process) {
    for (const group of groups) {
      const route = this.#definitions.rowOf('route', group[0]);
      const operation = this.#definitions.rowOf('operation', group[1]);
      if (route === undefined) return `route ${group[0]} is not defined`;
      if (operation === undefined) return `operation ${group[1]} is not defined`;
      for (let place = 2; place < group.length; place++) {
        const row = this.#behind.next();
        const { columns } = this.#behind;
        columns.requestOf[row] = group[place] === -1 ? -1 : this.#requests.rowOf(process, group[place]);
        columns.routeOf[row] = route;
        columns.operationOf[row] = operation;
      }
    }
    return undefined;
  }
}

/** @param {Float64Array} values @param {number} byMs */
function shift(values, byMs) {
  for (let index = 0; index < values.length; index++) values[index] -= byMs;
}
