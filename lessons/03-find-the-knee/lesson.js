import { formatQuantity } from '../../src/universal/quantity.js';
import { isClose, right, wrong } from '../../src/workshop/verdict.js';

/** @import { SavedResult } from '../../src/workshop/lesson-types.js' */

/** The twist changes it. */
const SLOW_MS = 5000;

/** @type {import('../../src/workshop/lesson-types.js').LessonRules} */
export const lesson = {
  minutes: 10,
  lab: 'mixed',
  check({ results }) {
    const sizes = collectSizes(results.filter(({ settings }) => settings.slowMs === SLOW_MS));
    if (sizes.length < 2) return wrong('There are no two sizes to compare: measure several.');
    const bestMs = Math.min(...sizes.map(({ maxMs }) => maxMs));
    const knee = sizes.findIndex(({ maxMs }) => isClose(maxMs, bestMs));
    const { size, maxMs } = sizes[knee];
    const before = sizes[knee - 1]?.size ?? 0;
    const runs = [...new Set(sizes.map(({ run }) => run))];
    if (before < size - 1) {
      return { ...wrong(`${size} connections are as good as any, but so may fewer be: between ${before} and ${size} you `
        + 'have measured nothing.'), runs };
    }
    if (knee === sizes.length - 1) {
      return { ...wrong(`The largest pool you measured, ${size}, is still the best: a larger one may be better yet.`), runs };
    }
    return { ...right(`The knee is at ${size} connections: the slowest request takes ${formatQuantity(maxMs, 'ms')}, with `
      + 'one fewer it takes longer, and with more it takes no less.'), runs };
  },
};

/**
 * The sizes measured under one load, that of the newest run, the smallest first.
 * @param {SavedResult[]} results the newest first
 */
function collectSizes(results) {
  const alike = results.filter(({ settings }) => (
    ['scenario', 'environment', 'poolTimeout'].every((name) => settings[name] === results[0].settings[name])));
  /** @type {Map<number, { size: number, maxMs: number, run: SavedResult }>} */
  const sizes = new Map();
  for (const run of alike) {
    for (const { settings: { poolSize: size }, measured, error } of run.variants) {
      if (measured && !error && !sizes.has(size)) sizes.set(size, { size, maxMs: measured.maxMs, run });
    }
  }
  return [...sizes.values()].toSorted((a, b) => a.size - b.size);
}
