import { createReadStream } from 'node:fs';
import { LONGEST_MS } from '../duration.js';
import { textOf } from '../text-of.js';

/**
 * A trace: who asked a pool for a connection when, and how long they kept it. JSON, one object a line, so that it can
 * be written as it happens and cut off anywhere.
 *
 *     {"trace":"mongodb-pool-lab","version":1,"startedAt":"2026-01-01T00:00:00.000Z","maxPoolSize":10}
 *     {"askedMs":0,"waitMs":0.21,"useMs":1.83,"route":"/fast"}
 *     {"askedMs":12.5,"waitMs":null,"useMs":null,"route":"/slow"}
 *     {"askedMs":13.1,"waitMs":0.18,"useMs":1834.2,"route":"/slow","failed":true}
 *     {"end":"closed"}
 *
 * - The first line names the format; `maxPoolSize` is that of the recorded pool, if it is known.
 * - `askedMs` counts from any moment; lines come in the order in which connections were given back. `route` may be
 *   absent. Nulls: it never got a connection. `failed`: it had one, but the operation failed, and was cut short or
 *   answered with an error.
 * - The last line says why the record ends: `closed`, or `full` when it reached its bound. A record that was
 *   interrupted has none.
 */
export const TRACE_NAME = 'mongodb-pool-lab';
export const TRACE_VERSION = 1;

/** Any clock's, with whole milliseconds at least. */
const MAX_MS = Number.MAX_SAFE_INTEGER;

/** Characters. A line says when and which route, and what has no ends of lines at all is no trace. */
const LONGEST_LINE = 1_000_000;

/** The route of a checkout that has none. */
const UNNAMED_ROUTE = 'checkout';

/**
 * Those that got a connection and whose operation succeeded, in the order they asked.
 *
 * @typedef {object} Trace
 * @property {Record<string, unknown>} header
 * @property {string[]} routes
 * @property {ArrayLike<number>} askedMs counts from the first
 * @property {ArrayLike<number>} waitMs
 * @property {ArrayLike<number>} useMs
 * @property {ArrayLike<number>} routeOf index into routes
 * @property {string[]} warnings what a reader of the trace should know
 */

/**
 * @param {string} file
 * @returns {Promise<Trace>}
 * @throws {Error} naming the file, and the line, when it is not a trace
 */
export async function readTrace(file) {
  const stream = createReadStream(file);
  const failed = new Promise((_, reject) => {
    stream.once('error', (cause) => reject(new Error(`${file} can't be read: ${cause.message}`, { cause })));
  });
  const reading = collect(splitLines(stream, file), file);
  return /** @type {Promise<Trace>} */ (Promise.race([failed, reading])).finally(() => stream.destroy());
}

/**
 * @param {import('node:stream').Readable} stream
 * @param {string} file
 */
async function* splitLines(stream, file) {
  let rest = '';
  let number = 1;
  for await (const chunk of stream.setEncoding('utf8')) {
    const lines = (rest + chunk).split(/\r?\n/);
    rest = lines.pop() ?? '';
    number += lines.length;
    yield* lines;
    if (rest.length > LONGEST_LINE) {
      throw new Error(`${file} is not a trace: its line ${number} is longer than ${LONGEST_LINE} characters`);
    }
  }
  if (rest !== '') yield rest;
}

/**
 * @param {AsyncIterable<string>} lines
 * @param {string} file
 * @returns {Promise<Trace>}
 */
async function collect(lines, file) {
  /** @type {Record<string, unknown> | undefined} */
  let header;
  /** @type {Record<'asked' | 'wait' | 'use' | 'route', number[]>} */
  const columns = { asked: [], wait: [], use: [], route: [] };
  /** @type {Map<string, number>} */
  const routes = new Map();
  const warnings = [];
  let number = 0;
  let unserved = 0;
  let failed = 0;
  let broken = 0;

  for await (const line of lines) {
    number++;
    if (line.trim() === '') continue;
    if (broken > 0) throw new Error(`${file}, line ${broken}: not a line of a trace`);
    const entry = parse(line);
    if (!header) {
      header = requireHeader(entry, file);
    } else if (typeof entry?.end === 'string') {
      if (entry.end === 'full') warnings.push(`${file} is not the whole record: it reached its bound`);
    } else if (isCheckout(entry)) {
      const { askedMs, waitMs, useMs, route: name = UNNAMED_ROUTE } = entry;
      if (useMs === null || entry.failed) {
        if (useMs === null) unserved++;
        else failed++;
        continue;
      }
      let route = routes.get(name);
      if (route === undefined) routes.set(name, route = routes.size);
      columns.asked.push(askedMs);
      columns.wait.push(waitMs);
      columns.use.push(useMs);
      columns.route.push(route);
    } else {
      broken = number;
    }
  }
  if (!header) throw new Error(`${file} is empty: a trace begins with a line that names its format`);
  if (broken > 0) warnings.push(`${file}, line ${broken}: the last line is cut, it is left out`);
  if (unserved > 0) {
    warnings.push(`${sayCheckouts(unserved)} got no connection and ${unserved === 1 ? 'is' : 'are'} left out: nobody knows `
      + 'how long a connection would have been kept');
  }
  if (failed > 0) {
    warnings.push(`${sayCheckouts(failed)} had an operation that failed and ${failed === 1 ? 'is' : 'are'} left out: `
      + 'nobody knows how long it would have taken');
  }
  if (columns.asked.length === 0) {
    const left = [...(unserved ? [`${unserved} that got no connection`] : []), ...(failed ? [`${failed} that failed`] : [])];
    throw new Error(`${file} has no checkouts${left.length > 0 ? ` but ${left.join(' and ')}` : ''}`);
  }

  const order = Uint32Array.from(columns.asked.keys()).sort((a, b) => columns.asked[a] - columns.asked[b]);
  const firstMs = columns.asked[order[0]];
  return {
    header,
    routes: [...routes.keys()],
    askedMs: Float64Array.from(order, (index) => columns.asked[index] - firstMs),
    waitMs: Float64Array.from(order, (index) => columns.wait[index]),
    useMs: Float64Array.from(order, (index) => columns.use[index]),
    routeOf: Uint32Array.from(order, (index) => columns.route[index]),
    warnings,
  };
}

/** @param {number} count */
function sayCheckouts(count) {
  return count === 1 ? '1 checkout' : `${count} checkouts`;
}

/** @param {string} line @returns {any} undefined when it is not JSON */
function parse(line) {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}

/** @param {any} entry @param {string} file @returns {Record<string, unknown>} */
function requireHeader(entry, file) {
  if (entry?.trace !== TRACE_NAME) {
    throw new Error(`${file} is not a trace: its first line must begin with `
      + `{"trace":"${TRACE_NAME}","version":${TRACE_VERSION}`);
  }
  if (entry.version !== TRACE_VERSION) {
    throw new Error(`${file} is a trace of version ${textOf(entry.version)}; version ${TRACE_VERSION} can be read`);
  }
  return entry;
}

/** @param {any} entry */
function isCheckout(entry) {
  if (typeof entry !== 'object' || entry === null || !isWithin(entry.askedMs, -MAX_MS, MAX_MS)) return false;
  if (entry.route !== undefined && typeof entry.route !== 'string') return false;
  if (entry.failed !== undefined && typeof entry.failed !== 'boolean') return false;
  const { waitMs, useMs } = entry;
  if (waitMs === null && useMs === null) return true;
  return isWithin(waitMs, 0, LONGEST_MS) && isWithin(useMs, 0, LONGEST_MS);
}

/** @param {unknown} value @param {number} min @param {number} max */
function isWithin(value, min, max) {
  return typeof value === 'number' && value >= min && value <= max;
}
