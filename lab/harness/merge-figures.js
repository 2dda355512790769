import { median, sum } from 'mongodb-pool-predictor/statistics';

/** These are summed over repeats. Of everything else the median is taken. */
const COUNTS = new Set([
  'requests',
  'failures',
  'refused',
  'errors',
  'timeouts',
  'non2xx',
  'reopened',
  'count',
  'usersPlanned',
  'usersSent',
]);

/**
 * One set of figures from those of several repeats.
 * @param {Record<string, any>[]} sets at least one, of the same shape: numbers, nulls and nested objects
 * @param {Set<string>} [counts] names of those that are summed
 * @returns {Record<string, any>}
 */
export function mergeFigures(sets, counts = COUNTS) {
  const keys = new Set(sets.flatMap((set) => Object.keys(set)));
  return Object.fromEntries(
    [...keys].map((key) => {
      const values = sets.map((set) => set[key]).filter((value) => value !== undefined && value !== null);
      if (values.length === 0) return [key, null];
      if (typeof values[0] === 'object') return [key, mergeFigures(values, counts)];
      return [key, counts.has(key) ? sum(values) : median(values)];
    }),
  );
}
