import { formatQuantity } from 'mongodb-pool-monitor/universal/quantity.js';
import { isClose, right, wrong } from '../../src/workshop/verdict.js';

/** @import { SavedResult } from '../../src/workshop/lesson-types.js' */

/** The twist uses another value. */
const SLOW_MS = 5000;

/** @type {import('../../src/workshop/lesson-types.js').LessonRules} */
export const lesson = {
  minutes: 10,
  lab: 'mixed',
  guess: {
    question: 'How many connections are as good as any larger number?',
    unit: 'connections',
  },
  hints: [
    'Look for the smallest pool whose max is the same as that of pool 10.',
    'A bus takes 5 s, and one arrives each second. How many are on the road at once?',
    '5 connections. Measure at least 4, 5 and 6: 4 takes longer, and 6 is no better than 5.',
  ],
  check({ results }) {
    const sizes = collectSizes(results.filter(({ settings }) => settings.slowMs === SLOW_MS));
    if (sizes.length < 2) return wrong('There are no two pool sizes to compare yet: measure several.');
    const bestMs = Math.min(...sizes.map(({ maxMs }) => maxMs));
    const knee = sizes.findIndex(({ maxMs }) => isClose(maxMs, bestMs));
    const { size, maxMs } = sizes[knee];
    const before = sizes[knee - 1]?.size ?? 0;
    const runs = [...new Set(sizes.map(({ run }) => run))];
    if (before < size - 1) {
      return { ...wrong(`${size} connections are enough, but fewer may be as well. Measure the sizes between ${before} `
        + `and ${size}.`), runs };
    }
    if (knee === sizes.length - 1) {
      return { ...wrong(`The largest pool you measured, ${size}, is the best so far. A larger one may be better.`), runs };
    }
    return { ...right(`The knee is at ${size} connections. The slowest request takes ${formatQuantity(maxMs, 'ms')}. With one `
      + 'connection fewer it takes longer, and more connections do not help.', { truth: size }), runs };
  },
};

/**
 * The pool sizes measured with the load of the newest run, smallest first.
 * @param {SavedResult[]} results newest first
 */
export function collectSizes(results) {
  const alike = results.filter(({ settings }) => (
    ['scenario', 'environment', 'poolTimeout'].every((name) => settings[name] === results[0].settings[name])));
  /** @type {Map<number, { size: number, maxMs: number, fastMs: number, run: SavedResult }>} */
  const sizes = new Map();
  for (const run of alike) {
    for (const { settings: { poolSize: size }, measured, error } of run.variants) {
      if (measured && !error && !sizes.has(size)) {
        sizes.set(size, { size, maxMs: measured.maxMs, fastMs: measured.routes['/fast'].maxMs, run });
      }
    }
  }
  return [...sizes.values()].toSorted((a, b) => a.size - b.size);
}
