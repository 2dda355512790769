import { createReadStream } from 'node:fs';
import { LONGEST_MS } from '../duration.js';
import { textOf } from '../text-of.js';

/**
 * A trace: when each checkout started, how long it waited and how long it used its connection. One JSON object per line,
 * so that it can be written as it happens and cut off anywhere.
 *
 *     {"trace":"mongodb-pool-lab","version":2,"startedAt":"2026-01-01T00:00:00.000Z","maxPoolSize":10}
 *     {"checkOutStartedMs":0,"waitMs":0.21,"useMs":1.83,"route":"/fast"}
 *     {"checkOutStartedMs":12.5,"waitMs":null,"useMs":null,"route":"/slow"}
 *     {"checkOutStartedMs":13.1,"waitMs":0.18,"useMs":1834.2,"route":"/slow","failed":true}
 *     {"end":"closed","overhead":{"kind":"sample","valuesMs":[0.4,0.6]}}
 *
 * - The first line names the format. `maxPoolSize` is the size of the recorded pool, if known. `pool` has the
 *   app's other settings: see AppPool. `overhead` is what its responses took beyond waits and uses: a service of kind
 *   sample.
 * - `checkOutStartedMs` counts from any moment. Lines are in the order in which checkouts ended. `route` is optional.
 *   Nulls: it got no connection. `failed`: it got one, but its operation failed.
 * - The last line says why the trace ends: `closed`, or `full` when it reached its size limit. It is missing after an
 *   interruption. `overhead` may be here, where it is known when the recording ends.
 *
 * Version 1 had `askedMs` for `checkOutStartedMs`.
 */
export const TRACE_NAME = 'mongodb-pool-lab';
export const TRACE_VERSION = 2;

/** By version: the field that says when a checkout started. @type {Record<number, string>} */
const STARTED_FIELDS = { 1: 'askedMs', 2: 'checkOutStartedMs' };

/** A clock may count from any moment, as long as milliseconds stay exact. */
const MAX_MS = Number.MAX_SAFE_INTEGER;

/** In characters. A file without line ends is no trace. */
const MAX_LINE_LENGTH = 1_000_000;

/** Stands in for a missing route. */
const UNNAMED_ROUTE = 'checkout';

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
 * @property {string[]} warnings what a reader of the trace should know
 */

/**
 * @param {string} file
 * @returns {Promise<Trace>}
 * @throws {Error} naming the file and the line if it is not a trace
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
    if (rest.length > MAX_LINE_LENGTH) {
      throw new Error(`${file} is not a trace: its line ${number} is longer than ${MAX_LINE_LENGTH} characters`);
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
  let startedField = '';
  /** @type {Record<'started' | 'wait' | 'use' | 'route', number[]>} */
  const columns = { started: [], wait: [], use: [], route: [] };
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
      startedField = STARTED_FIELDS[Number(header.version)];
    } else if (typeof entry?.end === 'string') {
      if (entry.overhead) header.overhead = entry.overhead;
      if (entry.end === 'full') warnings.push(`${file} is incomplete: it reached its size limit`);
    } else if (isCheckout(entry, startedField)) {
      const { waitMs, useMs, route: name = UNNAMED_ROUTE } = entry;
      if (useMs === null || entry.failed) {
        if (useMs === null) unserved++;
        else failed++;
        continue;
      }
      let route = routes.get(name);
      if (route === undefined) routes.set(name, route = routes.size);
      columns.started.push(entry[startedField]);
      columns.wait.push(waitMs);
      columns.use.push(useMs);
      columns.route.push(route);
    } else {
      broken = number;
    }
  }
  if (!header) throw new Error(`${file} is empty: a trace starts with a line that names its format`);
  if (broken > 0) warnings.push(`${file}, line ${broken}: the last line is incomplete and left out`);
  if (unserved > 0) {
    warnings.push(`${countCheckouts(unserved)} got no connection and ${unserved === 1 ? 'is' : 'are'} left out: `
      + 'their service time is unknown');
  }
  if (failed > 0) {
    warnings.push(`${countCheckouts(failed)} had a failed operation and ${failed === 1 ? 'is' : 'are'} left out: `
      + 'their service time is unknown');
  }
  if (columns.started.length === 0) {
    const left = [...(unserved ? [`${unserved} that got no connection`] : []), ...(failed ? [`${failed} that failed`] : [])];
    throw new Error(`${file} has no checkouts${left.length > 0 ? ` but ${left.join(' and ')}` : ''}`);
  }

  const order = Uint32Array.from(columns.started.keys()).sort((a, b) => columns.started[a] - columns.started[b]);
  const firstMs = columns.started[order[0]];
  return {
    header,
    routes: [...routes.keys()],
    checkOutStartedMs: Float64Array.from(order, (index) => columns.started[index] - firstMs),
    waitMs: Float64Array.from(order, (index) => columns.wait[index]),
    useMs: Float64Array.from(order, (index) => columns.use[index]),
    routeOf: Uint32Array.from(order, (index) => columns.route[index]),
    warnings,
  };
}

/** @param {number} count */
function countCheckouts(count) {
  return count === 1 ? '1 checkout' : `${count} checkouts`;
}

/** @param {string} line @returns {any} undefined if it is not JSON */
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
  if (!Number.isInteger(entry.version) || !(entry.version in STARTED_FIELDS)) {
    throw new Error(`${file} is a trace of version ${textOf(entry.version)}; this release reads versions `
      + `${Object.keys(STARTED_FIELDS).join(' and ')}`);
  }
  return entry;
}

/** @param {any} entry @param {string} startedField */
function isCheckout(entry, startedField) {
  if (typeof entry !== 'object' || entry === null || !isWithin(entry[startedField], -MAX_MS, MAX_MS)) return false;
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
