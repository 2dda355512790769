/** What is counted is added up over repeats; everything else is a level, of which the median is taken. */
const COUNTS = new Set(['requests', 'failures', 'refused', 'errors', 'timeouts', 'non2xx', 'reopened', 'count']);

/**
 * Make one set of figures from those of several runs of the same variant.
 *
 * @param {Record<string, any>[]} sets at least one, of the same shape: numbers, nulls and nested objects
 * @returns {Record<string, any>}
 */
export function mergeFigures(sets) {
  const keys = new Set(sets.flatMap((set) => Object.keys(set)));
  return Object.fromEntries([...keys].map((key) => {
    const values = sets.map((set) => set[key]).filter((value) => value !== undefined && value !== null);
    if (values.length === 0) return [key, null];
    if (typeof values[0] === 'object') return [key, mergeFigures(values)];
    return [key, COUNTS.has(key) ? values.reduce((total, value) => total + value, 0) : median(values)];
  }));
}

/** @param {number[]} values */
function median(values) {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}
