import { formatQuantity } from 'mongodb-pool-page/universal/quantity.js';
import { CASES } from '../cases/causes.js';
import { defineLesson, judgePuzzle, judgeRuns, right, wrong } from '../../lab/workshop/define-lesson.js';
import { simulateAnswer, slowestMs } from '../../lab/workshop/simulate-answer.js';

/** @import { SavedResult } from '../../lab/workshop/lesson-types.js' */

const LIMIT_MS = 100;
const SIZES = [1, 3, 10];
const REQUESTS = 10;
/** Buses of 5 s, measured. */
const SLOW_MS = 4900;
const TWIST_POOL_SIZE = 10;
const SCENARIO = 'loadtests/mixed.yaml';

export const lesson = defineLesson({
  minutes: 5,
  goal: 'measure an app at several pool sizes without changing it',
  lab: 'sweep',
  guess: {
    question:
      'Five users arrive one second apart. Each sends a bus, which takes 5 s, and then a Ferrari. Which of the pool ' +
      'sizes 1, 3 and 10 is the smallest that keeps every Ferrari below 100 ms?',
    unit: 'connections',
    why: 'All five buses are on their way at the same time, so 3 lanes leave none for a Ferrari, and 10 do.',
    isCount: true,
    replay: { scenario: SCENARIO, poolSize: 10 },
    answer: simulateSmallest,
  },
  hints: [
    'The app needs a MongoDB. --mongo embedded, before the two dashes, starts one.',
    'Five buses of 5 s arrive one second apart. How many lanes do they take at once?',
    '10: five buses take five lanes, and 3 are not enough. Run the sweep of the lesson, then verify.',
  ],
  check({ results }) {
    const runs = results.filter((run) => {
      const sizes = listSizes(run);
      return hasArticleLoad(run) && SIZES.every((wanted) => sizes.some(({ size }) => size === wanted));
    });
    const missing = `There is no sweep of loadtests/mixed.yaml at the sizes ${SIZES.join(', ')} with buses of 5 s yet.`;
    return judgeRuns(runs, missing, (run) => {
      const sizes = listSizes(run).filter(({ size }) => SIZES.includes(size));
      const enough = sizes.find(isEnough);
      if (!enough) {
        return wrong(
          `At no size all requests to /fast took less than ${LIMIT_MS} ms. Something else used this machine: close ` +
            'other programs and sweep again.',
        );
      }
      return right(
        `The app was measured at ${sizes.length} sizes without a changed line. With ${enough.size} connections /fast ` +
          `took ${formatQuantity(enough.fastMs, 'ms')} at most.`,
        { truth: enough.size },
      );
    });
  },
  case: CASES[2],
  twist: {
    lab: 'sweep',
    asks: { question: 'How many of the 10 connections are used at once?', unit: 'connections', isCount: true },
    key: 'One or two, in the column peak active: ten Ferraris a second of a few ms each hardly ever meet.',
    check({ results, answer }) {
      const runs = results.filter(
        (run) => String(run.settings.scenario).endsWith('fast-only.yaml') && findPeak(run) !== undefined,
      );
      return judgeRuns(runs, 'There is no such sweep yet.', (run) => {
        const peak = findPeak(run);
        if (answer !== peak) return wrong(`It is not ${answer}. Look at the column "active" under "peak".`);
        return right(`${peak} of 10. The lab's knee depends on the load, not on the app alone.`);
      });
    },
  },
  puzzle: {
    lab: 'sweep',
    hints: [
      'The lesson has shown that 3 are too few and 10 are enough. Which sizes are left?',
      'A size is the smallest if one connection fewer is too few. Sweep two neighbours.',
      'npx pool-lab sweep loadtests/mixed.yaml --pool-sizes 4,5 --mongo embedded -- node examples/article-app.js: 5 ' +
        'are enough.',
    ],
    check({ results }) {
      const isAllowed = (/** @type {SavedResult} */ run) => hasArticleLoad(run) && listPairs(run).length > 0;
      const missing = 'There is no sweep of loadtests/mixed.yaml at two neighbouring sizes yet, with buses of 5 s.';
      return judgePuzzle(results, isAllowed, missing, (run) => {
        const pairs = listPairs(run);
        const [fewer, enough] = pairs.find((pair) => !isEnough(pair[0]) && isEnough(pair[1])) ?? pairs[0];
        const found = [fewer, enough]
          .map(({ size, fastMs, answered }) =>
            answered < REQUESTS
              ? `with ${size}, ${answered} of ${REQUESTS} requests were answered`
              : `with ${size}, the slowest customer waited ${formatQuantity(fastMs, 'ms')}`,
          )
          .join(', and ');
        if (isEnough(fewer)) return wrong(`${enough.size} are not the smallest: ${found}.`);
        if (!isEnough(enough)) return wrong(`${enough.size} are too few: ${found}.`);
        return right(`${enough.size} are the smallest: ${found}.`);
      });
    },
  },
});

/** The smallest of the sizes that keeps every Ferrari quick. */
async function simulateSmallest() {
  for (const poolSize of SIZES) {
    if (slowestMs(await simulateAnswer({ scenario: SCENARIO, poolSize }), '/fast') < LIMIT_MS) return poolSize;
  }
  throw new Error(`none of the sizes ${SIZES.join(', ')} keeps every Ferrari below ${LIMIT_MS} ms`);
}

/** @typedef {{ size: number, fastMs: number, slowMs: number, answered: number }} Size */

/** @param {Size} size */
function isEnough({ fastMs, answered }) {
  return fastMs < LIMIT_MS && answered === REQUESTS;
}

/** The sizes at which the article's load was measured, smallest first. @param {SavedResult} run @returns {Size[]} */
function listSizes({ variants }) {
  return variants
    .filter(({ measured }) => measured?.routes?.['/fast'] && measured.routes['/slow'])
    .map(({ settings, measured }) => ({
      size: Number(settings.poolSize),
      fastMs: Number(measured.routes['/fast'].maxMs),
      slowMs: Number(measured.routes['/slow'].useP50Ms),
      answered: measured.requests - measured.failures,
    }))
    .toSorted((a, b) => a.size - b.size);
}

/** Sizes with the next larger one. @param {SavedResult} run @returns {[Size, Size][]} */
function listPairs(run) {
  const sizes = listSizes(run);
  return sizes.flatMap((size, index) =>
    sizes[index + 1]?.size === size.size + 1 ? [/** @type {[Size, Size]} */ ([size, sizes[index + 1]])] : [],
  );
}

/** Whether a sweep had the article's load. The app itself decides how long a bus takes. @param {SavedResult} run */
function hasArticleLoad(run) {
  const { scenario, environment } = run.settings;
  const sizes = listSizes(run);
  return (
    String(scenario).endsWith('loadtests/mixed.yaml') &&
    !environment &&
    sizes.length > 0 &&
    sizes.every(({ slowMs }) => slowMs >= SLOW_MS)
  );
}

/** The connections in use at once in the pool of the twist. @param {SavedResult} run */
function findPeak({ variants }) {
  return variants.find(({ settings, measured }) => settings.poolSize === TWIST_POOL_SIZE && measured)?.measured.pool
    .peakActive;
}
