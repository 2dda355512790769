import { readSlowQueryTimes } from './slow-query-log.js';
import { openText } from './text-file.js';
import { LOG_BEGINS, readTraceOf } from './trace.js';

/** @import { Service } from '../simulator/service-time.js' */
/** @import { Trace } from './trace.js' */

/** A result lists its service times, so they must not be too many. */
const MAX_VALUES = 1000;

/**
 * Reads service times from the log of MongoDB, which may have only slow queries, or from anything that readTrace reads.
 *
 * @param {string} file
 * @returns {Promise<{ services: Record<string, Service>, warnings: string[] }>} by query, or by route of a trace; at most
 *   1000 values of each, evenly spaced
 * @throws {Error} see readTrace
 */
export async function readServiceTimes(file) {
  const text = await openText(file);
  const { times, warnings } = LOG_BEGINS.test(text.head) ? await readSlowQueryTimes(text) : timesOf(await readTraceOf(text));
  return {
    services: Object.fromEntries([...times].map(([name, valuesMs]) => [name, { kind: 'sample', valuesMs: thin(valuesMs) }])),
    warnings,
  };
}

/** @param {Trace} trace */
function timesOf({ routes, routeOf, useMs, warnings }) {
  const lists = routes.map(() => /** @type {number[]} */ ([]));
  for (let i = 0; i < useMs.length; i++) lists[routeOf[i]].push(useMs[i]);
  return { times: new Map(routes.map((route, index) => [route, lists[index]])), warnings };
}

/** @param {number[]} valuesMs */
function thin(valuesMs) {
  if (valuesMs.length <= MAX_VALUES) return valuesMs;
  const sorted = valuesMs.toSorted((a, b) => a - b);
  return Array.from({ length: MAX_VALUES }, (_, index) => sorted[Math.floor(((index + 0.5) / MAX_VALUES) * sorted.length)]);
}
