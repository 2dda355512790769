import { formatQuantity } from 'mongodb-pool-monitor/universal/quantity.js';
import { right, wrong } from '../../src/workshop/verdict.js';

/** @import { SavedResult } from '../../src/workshop/lesson-types.js' */

const LIMIT_MS = 100;

/** @type {import('../../src/workshop/lesson-types.js').LessonRules} */
export const lesson = {
  minutes: 15,
  lab: 'sweep',
  guess: { question: 'Which of the pool sizes 1, 3 and 10 is the smallest that keeps /fast below 100 ms?', unit: 'connections' },
  hints: [
    'The app needs a MongoDB. If sweep finds none, start one and set MONGODB_URI to its address.',
    'Five buses of 5 s arrive one second apart. How many lanes do they take at once?',
    '10: five buses take five lanes, and 3 are not enough. Run the sweep of the lesson, then verify.',
  ],
  check({ results }) {
    const [run] = results.filter(({ variants }) => listSizes(variants).length > 1);
    if (!run) return wrong('There is no sweep of several sizes yet.');
    const sizes = listSizes(run.variants);
    const enough = sizes.find(({ fastMs }) => fastMs < LIMIT_MS);
    if (!enough) {
      return { ...wrong(`In no size all requests to /fast took less than ${LIMIT_MS} ms. Measure a larger pool.`), runs: [run] };
    }
    return {
      ...right(`The app was measured at ${sizes.length} sizes without a changed line. With ${enough.size} connections /fast took `
        + `${formatQuantity(enough.fastMs, 'ms')} at most.`, { truth: enough.size }),
      runs: [run],
    };
  },
};

/** The sizes at which /fast was measured, smallest first. @param {SavedResult['variants']} variants */
export function listSizes(variants) {
  return variants.flatMap(({ settings, measured }) => {
    const fast = measured?.routes?.['/fast'];
    return fast ? [{ size: Number(settings.poolSize), fastMs: Number(fast.maxMs), failures: Number(measured.failures), measured }] : [];
  }).toSorted((a, b) => a.size - b.size);
}
