import { readTraceText } from '../../src/reading/read-trace.js';

/** @typedef {Record<string, unknown>} Line */

const HEADER = { trace: 'mongodb-pool-lab', version: 3, resolutionMs: 0.001 };
const DEFINITIONS = [
  { define: 'route', id: 0, name: '/fast' },
  { define: 'route', id: 1, name: '/report' },
  { define: 'operation', id: 0, name: 'find articles' },
  { define: 'operation', id: 1, name: 'getMore events', kind: 'changeStream' },
];

/** A pool of two in process 0. @param {string} address @param {Record<string, unknown>} [options] */
function definePool(address, options = { maxPoolSize: { value: 2, from: 'code' } }) {
  return [
    { define: 'process', id: 0, pid: 7, attached: true },
    { define: 'pool', id: 0, process: 0, name: null, address, options },
  ];
}

/** @param {Line[]} lines without the first one, in the order of their times */
export function readLines(lines) {
  return readTraceText([HEADER, ...lines].map((line) => JSON.stringify(line)).join('\n'), 'trace.jsonl');
}

/**
 * A trace of one pool.
 * @param {Line[]} lines in the order of their times
 * @param {Record<string, unknown>} [options] of the client
 * @param {string} [address]
 */
export function record(lines, options, address = 'db:27017') {
  return readLines([...definePool(address, options), ...DEFINITIONS, ...lines]);
}

/**
 * The lines of requests to /fast, one after another, each with one checkout and 1 ms for the rest.
 *
 * @param {number} count
 * @param {(index: number) => Line} checkout what is special about it: at least its waitMs
 * @param {number} [everyMs]
 */
export function requests(count, checkout, everyMs = 100) {
  return Array.from({ length: count }, (_, index) => {
    const atMs = index * everyMs;
    const line = { atMs, useMs: 2, pool: 0, connection: 1, route: 0, operation: 0, request: index, ...checkout(index) };
    const { waitMs, useMs, route, request, atMs: startedMs } = /** @type {any} */ (line);
    return [line, { request, route, atMs: startedMs, durationMs: waitMs + (useMs ?? 0) + 1, status: 200 }];
  }).flat();
}

/**
 * An event for each of some requests, at the end of its wait.
 * @param {number} count
 * @param {(index: number) => Line} event
 * @param {number} [everyMs]
 */
export function events(count, event, everyMs = 100) {
  return Array.from({ length: count }, (_, index) => ({ atMs: index * everyMs, pool: 0, ...event(index) }));
}
