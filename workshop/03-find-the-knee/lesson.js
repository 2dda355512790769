import { formatQuantity } from '../../src/dashboard/shared/quantity.js';
import { isClose, right, wrong } from '../../src/workshop/verdict.js';

/** @import { Result } from '../../src/report/types.js' */

/** @type {import('../../src/workshop/types.js').LessonRules} */
export const lesson = {
  minutes: 10,
  lab: 'mixed',
  check({ results }) {
    const sizes = collectSizes(results);
    if (sizes.length < 2) return wrong('There are no two sizes to compare: measure several.');
    const bestMs = Math.min(...sizes.map(({ maxMs }) => maxMs));
    const knee = sizes.findIndex(({ maxMs }) => isClose(maxMs, bestMs));
    const { size, maxMs } = sizes[knee];
    const before = sizes[knee - 1]?.size ?? 0;
    if (before < size - 1) {
      return wrong(`${size} connections are as good as any, but so may fewer be: between ${before} and ${size} you `
        + 'have measured nothing.');
    }
    if (knee === sizes.length - 1) {
      return wrong(`The largest pool you measured, ${size}, is still the best: a larger one may be better yet.`);
    }
    return right(`The knee is at ${size} connections: the slowest request takes ${formatQuantity(maxMs, 'ms')}, with `
      + 'one fewer it takes longer, and with more it takes no less.');
  },
};

/**
 * The sizes measured under the load of the newest run, the smallest first.
 * @param {Result[]} results
 */
function collectSizes(results) {
  const alike = results.filter(({ settings }) => (
    ['scenario', 'environment', 'slowMs'].every((name) => settings[name] === results[0].settings[name])));
  /** @type {Map<number, number>} */
  const maxima = new Map();
  for (const { settings, measured, error } of alike.flatMap(({ variants }) => variants)) {
    if (measured && !error && !maxima.has(settings.poolSize)) maxima.set(settings.poolSize, measured.maxMs);
  }
  return [...maxima].map(([size, maxMs]) => ({ size, maxMs })).toSorted((a, b) => a.size - b.size);
}
