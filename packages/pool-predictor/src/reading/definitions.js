import { DEFINITION_RULES, findFault } from './line-rules.js';

/** @import { RecordedOperation, RecordedPool, RecordedProcess } from './recorded-trace.js' */

/** Stands in for a missing route. */
const UNNAMED_ROUTE = 'checkout';
/** The same where other checkouts belong to requests. */
const OUTSIDE_ROUTE = 'the app itself';

/** What the numbers in a trace stand for. Rows count from 0 in the order of the definitions. */
export class Definitions {
  /** @type {RecordedProcess[]} */
  processes = [];
  /** @type {RecordedPool[]} */
  pools = [];
  /** @type {string[]} */
  routes = [];
  /** @type {RecordedOperation[]} */
  operations = [];
  /** @type {string[]} */
  reasons = [];
  /** Rows by the numbers in the file. @type {Record<string, Map<number, number>>} */
  #rows = { process: new Map(), pool: new Map(), route: new Map(), operation: new Map() };
  /** Rows of routes and reasons by their texts. */
  #routeRows = new Map();
  #reasonRows = new Map();

  /** @param {Record<string, any>} line @returns {string | undefined} what is wrong with it */
  add(line) {
    const { define, id, ...facts } = line;
    if (typeof define !== 'string' || !Object.hasOwn(DEFINITION_RULES, define))
      return `define must be ${Object.keys(DEFINITION_RULES)
        .join(', ')
        .replace(/, (\w+)$/, ' or $1')}`;
    const fault = findFault(line, DEFINITION_RULES[define]);
    if (fault) return fault;
    if (this.#rows[define].has(id)) return `${define} ${id} is defined already`;
    if (define === 'pool') {
      const process = this.processRow(facts.process);
      if (process === undefined) return `process ${facts.process} is not defined`;
      const maxPoolSize = sizeOf(facts.options?.maxPoolSize?.value);
      this.#rows.pool.set(id, this.pools.push({ ...facts, process, maxPoolSize }) - 1);
    } else if (define === 'route') this.#rows.route.set(id, this.routeRow(facts.name));
    else if (define === 'operation')
      this.#rows.operation.set(id, this.operations.push({ name: facts.name, kind: facts.kind ?? null }) - 1);
    else this.#rows.process.set(id, this.processes.push(/** @type {RecordedProcess} */ (facts)) - 1);
    return undefined;
  }

  /** @param {number} [id] 0 needs no definition @returns {number | undefined} undefined where it is not defined */
  processRow(id = 0) {
    const { process } = this.#rows;
    if (id === 0 && process.size === 0) process.set(0, this.processes.push({}) - 1);
    return process.get(id);
  }

  /**
   * @param {'pool' | 'route' | 'operation'} kind
   * @param {number} [id] -1 or none: unknown
   * @returns {number | undefined} its row, or -1; undefined where the number is not defined
   */
  rowOf(kind, id = -1) {
    return id === -1 ? -1 : this.#rows[kind].get(id);
  }

  /** @param {string} [name] */
  routeRow(name = UNNAMED_ROUTE) {
    return indexIn(this.#routeRows, this.routes, name);
  }

  /** Checkouts without a route belong to no request. */
  nameOutside() {
    const row = this.#routeRows.get(UNNAMED_ROUTE);
    if (row !== undefined) this.routes[row] = OUTSIDE_ROUTE;
  }

  /** @param {string} [reason] @returns {number} -1 for none */
  reasonRow(reason) {
    return reason === undefined ? -1 : indexIn(this.#reasonRows, this.reasons, reason);
  }
}

/** @param {Map<string, number>} rows @param {string[]} all @param {string} text */
function indexIn(rows, all, text) {
  let row = rows.get(text);
  if (row === undefined) rows.set(text, (row = all.push(text) - 1));
  return row;
}

/** @param {any} value of the option */
function sizeOf(value) {
  return Number.isSafeInteger(value) && value >= 0 ? Number(value) : undefined;
}
