import { ColumnTable } from './column-table.js';

/** @import { RecordedRequests } from './recorded-trace.js' */

/** The requests of a trace. Each has a row from the first line that names it. */
export class RequestRows {
  #table = new ColumnTable({
    processOf: Int32Array,
    startedMs: Float64Array,
    durationMs: Float64Array,
    statusOf: Int32Array,
    routeOf: Int32Array,
    socketOf: Int32Array,
  });
  /** Row of each request number in the file, one map per process. @type {Map<number, number>[]} */
  #rows = [];

  get length() {
    return this.#table.length;
  }

  /** @param {number} process row @param {number} number @returns {number} */
  rowOf(process, number) {
    const rows = (this.#rows[process] ??= new Map());
    const known = rows.get(number);
    if (known !== undefined) return known;
    const row = this.#table.next();
    rows.set(number, row);
    const { columns } = this.#table;
    columns.processOf[row] = process;
    columns.startedMs[row] = columns.durationMs[row] = NaN;
    columns.routeOf[row] = columns.socketOf[row] = -1;
    return row;
  }

  /** @param {number} process row @param {number} route row @param {Record<string, any>} line */
  add(process, route, { request, atMs, durationMs, status, socket = -1 }) {
    const row = this.rowOf(process, request);
    const { columns } = this.#table;
    columns.startedMs[row] = atMs;
    columns.durationMs[row] = durationMs;
    columns.statusOf[row] = status;
    columns.routeOf[row] = route;
    columns.socketOf[row] = socket;
  }

  /** @param {number} firstMs when the trace starts @returns {RecordedRequests} */
  take(firstMs) {
    this.#rows = [];
    const columns = this.#table.take();
    for (let row = 0; row < columns.startedMs.length; row++) columns.startedMs[row] -= firstMs;
    return { length: this.#table.length, ...columns };
  }
}
