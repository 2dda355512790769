/** @import { CheckoutKind } from './checkout.js' */
/** @import { CheckoutRecord, OpenCheckout } from './checkout-log.js' */
/** @import { HolderGroup } from './holders.js' */
/** @import { EventRecord } from './event-log.js' */

/**
 * Times are milliseconds of any one clock, NaN or null if that did not happen. `process` is the number of the process,
 * where there are several.
 *
 * @typedef {Pick<CheckoutRecord, 'checkOutStartedAtMs' | 'checkedOutAtMs' | 'checkedInAtMs'>} CheckoutTimes
 * @typedef {{ process?: number, outcome?: (CheckoutRecord | OpenCheckout)['outcome'] }} CheckoutEnd default outcome:
 *   checkedIn, or checkOutFailed if it got no connection
 * @typedef {Partial<Omit<CheckoutRecord, 'outcome'>> & CheckoutTimes & CheckoutEnd} RecordedCheckout
 *
 * @typedef {object} RecordedRequest
 * @property {number} [process]
 * @property {number} request
 * @property {number} endedAtMs
 * @property {number} totalMs
 * @property {number} status
 * @property {string} [route]
 * @property {number} [socket]
 *
 * @typedef {Partial<EventRecord> & Pick<EventRecord, 'event' | 'atMs'> & { process?: number }} RecordedEvent
 *
 * @typedef {{ atMs: number, process?: number } & Record<string, unknown>} RecordedSecond
 *
 * @typedef {{ pool: string | null, server: string, process?: number, appName?: string, driver?: string,
 *   options?: Record<string, unknown> }} TracedPool
 *
 * @typedef {Record<string, unknown>[]} Lines the definitions that a line needs, then the line
 */

// The predictor's readTrace describes the format.
const TRACE_NAME = 'mongodb-pool-lab';
const TRACE_VERSION = 3;
const RESOLUTION_MS = 0.001;

/** Turns records into the lines of a trace. docs/trace-format.md describes them. */
export class TraceLines {
  /** @type {number | undefined} */
  #originMs;
  #firstId;
  /** Ids by key. */
  #ids = { route: new Map(), operation: new Map(), pool: new Map() };
  #pools = 0;
  /** @type {Lines} */
  #lines = [];

  /**
   * @param {{ firstId?: number, originMs?: number }} [options] firstId: of its definitions, where several processes
   *   write one file; originMs: from which its times count, default: the first one
   */
  constructor({ firstId = 0, originMs } = {}) {
    this.#firstId = firstId;
    this.#originMs = originMs;
  }

  /** The first line. @param {Record<string, unknown>} [header] more fields of it @returns {Lines} */
  ofTrace(header) {
    const startedAt = new Date().toISOString();
    return [{ trace: TRACE_NAME, version: TRACE_VERSION, startedAt, resolutionMs: RESOLUTION_MS, ...header }];
  }

  /** @param {TracedPool} pool if it has changed, it gets another id @returns {Lines} */
  ofPool({ pool, server, process = 0, ...facts }) {
    const id = this.#firstId + this.#pools++;
    this.#ids.pool.set(keyOf(process, pool, server), id);
    return [{ define: 'pool', id, ...(process > 0 && { process }), name: pool, address: server, ...facts }];
  }

  /** @param {RecordedCheckout} checkout @returns {Lines} */
  ofCheckout(checkout) {
    const { checkOutStartedAtMs, checkedOutAtMs, checkedInAtMs, endedAtMs = NaN, connectionId } = checkout;
    const {
      openingMs = 0,
      isFresh,
      reason,
      route,
      operation = null,
      kind = null,
      request,
      transaction,
      holds = 0,
      heldBy = [],
    } = checkout;
    const isOpen = checkout.outcome === 'checkedOut';
    const isServed = isOpen || (Number.isFinite(checkedOutAtMs) && Number.isFinite(checkedInAtMs));
    const { outcome = isServed ? 'checkedIn' : 'checkOutFailed' } = checkout;
    const waitedMs = (isServed ? Number(checkedOutAtMs) : endedAtMs) - checkOutStartedAtMs;
    /** @type {Record<string, unknown>} */
    const line = { atMs: this.#at(checkOutStartedAtMs), waitMs: duration(waitedMs) };
    // What is rounded on its own may be a microsecond longer than the wait.
    if (openingMs > 0) line.openingMs = Math.min(duration(openingMs), Number(line.waitMs));
    if (isServed) line.useMs = duration((isOpen ? endedAtMs : Number(checkedInAtMs)) - Number(checkedOutAtMs));
    line.pool = this.#poolId(checkout);
    if (connectionId) line.connection = connectionId;
    if (isFresh) line.fresh = true;
    if (typeof route === 'string') line.route = this.#routeId(route);
    if (operation !== null) line.operation = this.#operationId(operation, kind);
    if (Number.isSafeInteger(request)) line.request = request;
    if (transaction) line.transaction = transaction;
    if (outcome !== 'checkedIn') line.outcome = outcome;
    if (reason) line.reason = reason;
    if (holds > 0) line.holds = holds;
    if (heldBy.length > 0) line.behind = heldBy.map((group) => this.#describeGroup(group));
    return this.#take(line);
  }

  /** @param {RecordedRequest} request @returns {Lines} */
  ofRequest({ process = 0, request, endedAtMs, totalMs, status, route, socket = 0 }) {
    /** @type {Record<string, unknown>} */
    const line = { request, atMs: this.#at(endedAtMs - totalMs), durationMs: duration(totalMs), status };
    if (typeof route === 'string') line.route = this.#routeId(route);
    if (socket > 0) line.socket = socket;
    if (process > 0) line.process = process;
    return this.#take(line);
  }

  /** @param {RecordedEvent} event @returns {Lines} */
  ofEvent(event) {
    const { connectionId, reason, durationMs = null } = event;
    /** @type {Record<string, unknown>} */
    const line = { event: event.event, atMs: this.#at(event.atMs), pool: this.#poolId(event) };
    if (connectionId) line.connection = connectionId;
    if (reason) line.reason = reason;
    if (durationMs !== null && !Number.isNaN(durationMs)) line.durationMs = duration(durationMs);
    return this.#take(line);
  }

  /** @param {'loop' | 'server' | 'clients'} event @param {RecordedSecond} second @returns {Lines} */
  ofSecond(event, { atMs, process = 0, ...facts }) {
    return this.#take({ event, atMs: this.#at(atMs), ...(process > 0 && { process }), ...facts });
  }

  /** @param {HolderGroup} group */
  #describeGroup({ route, operation, kind, requests }) {
    return [
      route === null ? -1 : this.#routeId(route),
      operation === null ? -1 : this.#operationId(operation, kind),
      ...requests.map((request) => request ?? -1),
    ];
  }

  /** @param {{ process?: number, pool?: string | null, server?: string }} of */
  #poolId({ process = 0, pool = null, server = '' }) {
    const key = keyOf(process, pool, server);
    if (!this.#ids.pool.has(key)) this.#lines.push(...this.ofPool({ process, pool, server }));
    return this.#ids.pool.get(key);
  }

  /** @param {string} name */
  #routeId(name) {
    return this.#idOf('route', name, { name });
  }

  /** @param {string} name @param {CheckoutKind | null} kind */
  #operationId(name, kind) {
    return this.#idOf('operation', kind === null ? name : `${name} ${kind}`, { name, ...(kind !== null && { kind }) });
  }

  /** @param {'route' | 'operation'} define @param {string} key @param {Record<string, unknown>} facts */
  #idOf(define, key, facts) {
    const ids = this.#ids[define];
    let id = ids.get(key);
    if (id === undefined) {
      id = this.#firstId + ids.size;
      ids.set(key, id);
      this.#lines.push({ define, id, ...facts });
    }
    return id;
  }

  /** @param {Record<string, unknown>} line */
  #take(line) {
    const lines = this.#lines;
    lines.push(line);
    this.#lines = [];
    return lines;
  }

  /** @param {number} ms */
  #at(ms) {
    this.#originMs ??= ms;
    return round(ms - this.#originMs);
  }
}

/** @param {number} process @param {string | null} pool @param {string} server */
function keyOf(process, pool, server) {
  return `${process} ${server} ${pool ?? ''}`;
}

/** A clock that was set back must not result in a line that no reader accepts. @param {number} ms NaN becomes 0 */
function duration(ms) {
  return Math.max(0, round(ms) || 0);
}

/** To microseconds. @param {number} ms */
function round(ms) {
  return Math.round(ms * 1000) / 1000;
}
