import { readCsvTrace } from './csv-trace.js';
import { readLabTrace } from './lab-trace.js';
import { readOtlpTrace } from './otlp-trace.js';
import { readSlowQueryTrace } from './slow-query-log.js';
import { toTextFile } from './text-lines.js';

/** @import { ServerFit } from '../server/fit-server.js' */
/** @import { TextFile } from './text-lines.js' */

/**
 * The checkouts that got a connection and whose operation succeeded, in the order in which they started.
 *
 * @typedef {object} Trace
 * @property {Record<string, unknown>} header
 * @property {string[]} routes
 * @property {ArrayLike<number>} checkOutStartedMs counts from the first
 * @property {ArrayLike<number>} waitMs
 * @property {ArrayLike<number>} useMs
 * @property {ArrayLike<number>} routeOf index into routes
 * @property {ArrayLike<number>} [requestOf] the same number for the checkouts of one request, -1 where unknown
 * @property {boolean} [lacksWaits] the waits are unknown: waitMs is 0, and a checkout starts when it has its connection
 * @property {{ cores: number, busyCores: number }} [server] what it said of itself: how many cores it has, and how many it used on
 *   average
 * @property {ServerFit} [sharing] how the queries shared its cores; without it they did not slow each other down
 * @property {string[]} warnings what a reader of the trace should know
 */

/** What a log of MongoDB begins with. */
export const LOG_BEGINS = /^\s*\{\s*"t"\s*:\s*\{\s*"\$date"/;

/** By how the file begins. What begins like none of them should be a trace of this lab. */
const FORMATS = [
  { begins: LOG_BEGINS, read: readSlowQueryTrace },
  { begins: /^\s*\{\s*"resource(Spans|Metrics|Logs)"\s*:/, read: readOtlpTrace },
  { begins: /^(?!\s*\{)[^\n]*\b(start|duration)/i, read: readCsvTrace },
];

/**
 * Reads a trace of this lab, an OpenTelemetry export (OTLP JSON), a CSV file or the log of a MongoDB server that logs
 * every query. What other files lack, `warnings` says.
 *
 * @param {TextFile} text
 * @returns {Promise<Trace>}
 * @throws {Error} naming the file and the line if it is none of them
 */
export function readTraceOf(text) {
  const { read = readLabTrace } = FORMATS.find(({ begins }) => begins.test(text.head)) ?? {};
  return read(text);
}

/**
 * Reads a trace that is in the memory, such as one that was dropped on a page; see readTraceOf.
 *
 * @param {string} text
 * @param {string} [file] its name, for messages
 * @returns {Promise<Trace>}
 */
export function readTraceText(text, file = 'The trace') {
  return readTraceOf(toTextFile(file, text));
}
