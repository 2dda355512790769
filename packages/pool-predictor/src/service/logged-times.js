import { listSome } from '../list-some.js';

/** @import { Service } from '../simulator/service-time.js' */

/** A result lists its service times, so they must not be too many. */
const MAX_VALUES = 1000;

/** How many queries an error lists. */
const MAX_LISTED = 20;

/** Service times that were measured one by one, in ms, by query or route. @typedef {Map<string, number[]>} LoggedTimes */

/**
 * @param {LoggedTimes} times
 * @param {string} name of a query, or how the names of several queries begin
 * @returns {Service} at most 1000 values, evenly spaced
 * @throws {Error} naming what there is
 */
export function pickService(times, name) {
  const found = [...times].filter(([query]) => query === name || query.startsWith(`${name} `));
  if (found.length === 0) throw new Error(`there is no "${name}", only ${listQueries(times)}`);
  return { kind: 'sample', valuesMs: thin(found.flatMap(([, valuesMs]) => valuesMs)) };
}

/** @param {LoggedTimes} times */
export function listQueries(times) {
  return listSome([...times.keys()], MAX_LISTED);
}

/** @param {number[]} valuesMs */
function thin(valuesMs) {
  if (valuesMs.length <= MAX_VALUES) return valuesMs;
  const sorted = valuesMs.toSorted((a, b) => a - b);
  return Array.from({ length: MAX_VALUES }, (_, index) => sorted[Math.floor(((index + 0.5) / MAX_VALUES) * sorted.length)]);
}
