import { isDurationMs } from '../duration.js';
import { listSome } from '../list-some.js';
import { textOf } from '../text-of.js';
import { parseJson } from './parse-json.js';
import { nameShape } from './query-shape.js';
import { TraceColumns } from './trace-columns.js';

/** @import { LoggedTimes } from '../service/logged-times.js' */
/** @import { TextFile } from './text-lines.js' */
/** @import { Trace } from './trace.js' */

/** The log has whole milliseconds, rounded down: on average this much is missing. */
const MISSING_MS = 0.5;

/** How many clients a warning lists. */
const MAX_LISTED = 5;

const LIMITS = 'Its times are those of the server, without the network and the driver. They are rounded down to whole '
  + 'milliseconds, so half a millisecond is added to each.';

/**
 * @typedef {object} Query a line of the log
 * @property {string | undefined} shape see nameShape
 * @property {string | undefined} hash the server's own name for the shape
 * @property {number} endedAtMs since 1970
 * @property {number} durationMs whole
 * @property {boolean} failed
 * @property {string} client
 */

/**
 * Reads the log of MongoDB 4.4 or later as a trace: each shape of query is a route. It is a load only while the server
 * logged every query (slowms 0): from its first to its last query that took less than a millisecond.
 *
 * @param {TextFile} text
 * @returns {Promise<Trace>}
 * @throws {Error} naming the file, if it has no such part, and the line that is wrong
 */
export async function readSlowQueryTrace(text) {
  const { file } = text;
  const queries = await readQueries(text);
  const isFast = (/** @type {Query} */ { durationMs }) => durationMs === 0;
  const whole = queries.slice(Math.max(0, queries.findIndex(isFast)), queries.findLastIndex(isFast) + 1);
  if (whole.length === 0) {
    throw new Error(`${file} is a log of slow queries only, not a load: none of them took less than a millisecond. Log `
      + "every query for a while (slowms 0), or take service times from it: --service-log FILE --service '/route=log:QUERY'");
  }
  const columns = new TraceColumns(file);
  const sent = pickSent(whole);
  for (const { name, endedAtMs, durationMs, failed } of sent) {
    columns.add({ startedMs: endedAtMs - durationMs, waitMs: 0, useMs: durationMs + MISSING_MS, route: name, failed });
  }
  const clients = [...new Set(sent.map(({ client }) => client))];
  return columns.toTrace({ format: 'log of MongoDB' }, {
    lacksWaits: true,
    warnings: [
      `${file} is a log of MongoDB. ${LIMITS} It does not show how long a request waited for a connection, so the load `
      + 'arrives as if nobody had waited. Nor does it show requests, so each query is a route of its own.',
      ...(whole.length < queries.length ? [`${file}: ${whole.length} of ${queries.length} queries count, those from the time `
        + 'when the server logged every query'] : []),
      ...(clients.length > 1 ? [`The queries come from ${clients.length} clients: ${listSome(clients, MAX_LISTED)}. Each has a pool of `
        + 'its own, but here one pool gets the whole load.'] : []),
    ],
  });
}

/**
 * @param {TextFile} text
 * @returns {Promise<{ times: LoggedTimes, warnings: string[] }>} by shape of query
 * @throws {Error} naming the file, if it has no queries, and the line that is wrong
 */
export async function readSlowQueryTimes(text) {
  const queries = await readQueries(text);
  const sent = pickSent(queries).filter(({ failed }) => !failed);
  if (sent.length === 0) throw new Error(`${text.file} has no slow query of an app`);
  /** @type {LoggedTimes} */
  const times = new Map();
  for (const { name, durationMs } of sent) {
    const ofShape = times.get(name);
    if (ofShape) ofShape.push(durationMs + MISSING_MS);
    else times.set(name, [durationMs + MISSING_MS]);
  }
  const shortestMs = queries.reduce((min, { durationMs }) => Math.min(min, durationMs), Infinity);
  return {
    times,
    warnings: [
      `${text.file} is a log of MongoDB. ${LIMITS}`,
      ...(shortestMs > 0 ? [`${text.file} has no query under ${shortestMs} ms: the server logs only those slower than its slowms. `
        + 'So these service times are too long, unless all queries of that shape are slow.'] : []),
    ],
  };
}

/** @param {TextFile} text @returns {Promise<Query[]>} */
async function readQueries({ file, lines }) {
  const queries = [];
  let number = 0;
  for await (const line of lines()) {
    number++;
    if (!line.includes('"Slow query"')) continue;
    const query = decode(line, `${file}, line ${number}`);
    if (query) queries.push(query);
  }
  return queries;
}

/** @param {string} line @param {string} where @returns {Query | undefined} undefined for a part of a command, and for other messages */
function decode(line, where) {
  const { t, msg, attr } = Object(parseJson(line));
  // A command that updates or deletes also has a line for each of its statements, with another type.
  if (msg !== 'Slow query' || attr?.type !== 'command') return undefined;
  const { command, durationMillis: durationMs, queryHash, planCacheShapeHash = queryHash, errCode, appName, remote } = attr;
  const endedAtMs = Date.parse(textOf(t?.$date));
  if (Number.isNaN(endedAtMs)) throw new Error(`${where}: t.$date must be a time such as 2026-01-01T00:00:00.000+00:00`);
  if (!isDurationMs(durationMs)) throw new Error(`${where}: attr.durationMillis must be a number of ms from 0 to 365 days`);
  if (typeof command !== 'object' || command === null) throw new Error(`${where}: attr.command must be an object`);
  return {
    shape: nameShape(attr), hash: planCacheShapeHash && textOf(planCacheShapeHash), endedAtMs, durationMs, failed: errCode !== undefined,
    client: `${textOf(appName ?? 'no appName')} at ${textOf(remote).replace(/:\d+$/, '')}`,
  };
}

/**
 * The queries of apps, by name. Two shapes with the same command, collection and fields differ in something else, such as
 * the order: their names end with the server's hash.
 *
 * @param {Query[]} queries
 */
function pickSent(queries) {
  /** @type {Map<string, Set<string | undefined>>} */
  const hashes = new Map();
  const sent = [];
  for (const query of queries) {
    const { shape, hash } = query;
    if (shape === undefined) continue;
    hashes.set(shape, (hashes.get(shape) ?? new Set()).add(hash));
    sent.push({ ...query, shape });
  }
  return sent.map((query) => ({
    ...query, name: Number(hashes.get(query.shape)?.size) > 1 ? `${query.shape} #${query.hash ?? 'none'}` : query.shape,
  }));
}
