import { formatQuantity } from 'mongodb-pool-page/universal/quantity.js';
import { describeSize } from '../../lab/report/columns.js';
import { hasArticleLoad } from '../article-load.js';
import { defineLesson, isClose, judgePuzzle, right, wrong } from '../../lab/workshop/define-lesson.js';
import { simulateAnswer, slowestMs } from '../../lab/workshop/simulate-answer.js';

/** @import { SavedResult } from '../../lab/workshop/lesson-types.js' */

const TWIST_SLOW_MS = 2000;
/** Nobody notices a shorter delay. */
const UNNOTICED_MS = 50;
const PUZZLE_MAX_CONNECTIONS = 2;
const PUZZLE_REQUESTS = 10;

const SCENARIO = 'loadtests/mixed.yaml';
/** Size at which each request has a connection, so that nobody waits. */
const MOST = 10;

export const lesson = defineLesson({
  minutes: 4,
  goal: 'find the smallest pool that is enough, by measuring',
  lab: 'mixed',
  guess: {
    question:
      'Five users arrive one second apart. Each sends a bus, which takes 5 s, and then a Ferrari, which takes 2 ms. ' +
      'How many connections are as good as any larger number?',
    unit: 'connections',
    why:
      'The fifth bus comes at 4 s and the first leaves at 5 s, so five lanes are all in use at once, and a ' +
      'sixth never is.',
    isCount: true,
    replay: { scenario: SCENARIO, poolSize: 5 },
    answer: simulateKnee,
  },
  hints: [
    'Look for the smallest pool whose max is the same as that of pool 10.',
    'A bus takes 5 s, and one arrives each second. How many are on the road at once?',
    '5 connections. Measure at least 4, 5 and 6: 4 takes longer, and 6 is no better than 5.',
  ],
  check({ results }) {
    const sizes = collectSizes(results);
    if (sizes.length < 2) return wrong('There are no two pool sizes to compare yet: measure several.');
    return { ...judgeKnee(sizes), runs: [...new Set(sizes.map(({ run }) => run))] };
  },
  twist: {
    lab: 'mixed',
    asks: {
      question: 'What is the smallest pool in which every Ferrari takes less than 50 ms?',
      unit: 'connections',
      isCount: true,
    },
    key:
      'The slowest request is almost as quick with 2 connections as with any more, but with 2 a Ferrari can wait ' +
      'behind a bus. 3 connections keep every Ferrari quick.',
    check({ results, answer }) {
      const sizes = collectSizes(results, TWIST_SLOW_MS);
      const knee = sizes.findIndex(({ fastMs }) => fastMs < UNNOTICED_MS);
      if (knee < 1) {
        return wrong(
          'There is no run with --slow-ms 2000 yet in which one size is enough for the ' +
            'Ferraris and a smaller one is not.',
        );
      }
      const { size } = sizes[knee];
      if (sizes[knee - 1].size < size - 1) {
        return wrong(`Measure the sizes between ${sizes[knee - 1].size} and ${size} as well.`);
      }
      if (answer !== size) return wrong(`It is not ${answer}. Compare the column max of /fast.`);
      const slowest = findKnee(sizes).size;
      return right(
        `${size} connections. ${
          slowest === size
            ? 'The slowest request has its knee at the same size.'
            : `The slowest request hardly gains from more than ${slowest}.`
        }`,
      );
    },
  },
  puzzle: {
    lab: 'mixed',
    hints: [
      'The buses may wait. Why do the Ferraris have to wait with them?',
      "The lab's app gets the settings in your environment. One of them, in the table of docs/settings.md, gives " +
        '/slow a client of its own.',
      'SLOW_POOLSIZE=1 npx pool-lab run mixed --pool-sizes 1: one lane for the buses, the other for the Ferraris.',
    ],
    check({ results }) {
      return judgePuzzle(
        results,
        hasPuzzleLoad,
        'There is no run of loadtests/mixed.yaml with buses of 5 s yet.',
        (run) => {
          const [best] = listBest(run);
          if (!best) return wrong('No app of this run was measured.');
          const { connections, fastMs, slowMs, answered } = best;
          if (connections > PUZZLE_MAX_CONNECTIONS) {
            return wrong(
              `The app had ${describeSize(connections)}, all clients together. It may have ${PUZZLE_MAX_CONNECTIONS}.`,
            );
          }
          if (answered < PUZZLE_REQUESTS) {
            return wrong(`Only ${answered} of ${PUZZLE_REQUESTS} requests were answered.`);
          }
          const found =
            `With ${describeSize(connections)} in all, the slowest Ferrari took ` + `${formatQuantity(fastMs, 'ms')}.`;
          return fastMs < UNNOTICED_MS
            ? right(`${found} The buses wait for each other: the slowest took ${formatQuantity(slowMs, 'ms')}.`)
            : wrong(found);
        },
      );
    },
  },
});

/**
 * The smallest size whose slowest request is as quick as with any other.
 * @template {{ maxMs: number }} Size
 * @param {Size[]} sizes smallest first
 */
function findKnee(sizes) {
  const bestMs = Math.min(...sizes.map(({ maxMs }) => maxMs));
  return /** @type {Size} */ (sizes.find(({ maxMs }) => isClose(maxMs, bestMs)));
}

async function simulateKnee() {
  const sizes = [];
  for (let size = 1; size <= MOST; size++) {
    sizes.push({ size, maxMs: slowestMs(await simulateAnswer({ scenario: SCENARIO, poolSize: size })) });
  }
  return findKnee(sizes).size;
}

/** @param {ReturnType<typeof collectSizes>} sizes */
function judgeKnee(sizes) {
  const found = findKnee(sizes);
  const { size, maxMs } = found;
  const knee = sizes.indexOf(found);
  const before = sizes[knee - 1]?.size ?? 0;
  if (before < size - 1) {
    return wrong(
      `${size} connections are enough, but fewer may be as well. Measure the sizes between ${before} and ${size}.`,
    );
  }
  if (knee === sizes.length - 1) {
    return wrong(`The largest pool you measured, ${size}, is the best so far. A larger one may be better.`);
  }
  return right(
    `The knee is at ${size} connections. The slowest request takes ${formatQuantity(maxMs, 'ms')}. With one ` +
      'connection fewer it takes longer, and more connections do not help.',
    { truth: size },
  );
}

/**
 * The pool sizes measured with the article's load, smallest first.
 * @param {SavedResult[]} results newest first
 * @param {number} [slowMs]
 */
function collectSizes(results, slowMs) {
  const runs = results.filter((run) => hasArticleLoad(run, { slowMs }));
  const all = runs.flatMap((run) =>
    run.variants.flatMap(({ settings, measured, error }) =>
      measured && !error
        ? { size: Number(settings.poolSize), maxMs: measured.maxMs, fastMs: measured.routes['/fast'].maxMs, run }
        : [],
    ),
  );
  return all
    .filter(({ size }, index) => all.findIndex((other) => other.size === size) === index)
    .toSorted((a, b) => a.size - b.size);
}

/** Whether a run had the article's load, whatever the app did with it. @param {SavedResult} run */
function hasPuzzleLoad({ settings, ...run }) {
  return hasArticleLoad({
    ...run,
    settings: { ...settings, slowPoolSize: 0, slowConcurrency: 0, poolTimeout: undefined },
  });
}

/** The apps of a run, the best first; those with too many connections come last. @param {SavedResult} run */
function listBest({ settings: { slowPoolSize }, variants }) {
  return variants
    .flatMap(({ settings, measured }) =>
      measured
        ? {
            // A second client counts, also one that an older version did not record.
            connections: Math.max(settings.poolSize + Number(slowPoolSize ?? 0), measured.pool.peakActive),
            fastMs: measured.routes['/fast']?.maxMs ?? Infinity,
            slowMs: measured.routes['/slow']?.maxMs ?? Infinity,
            answered: measured.requests - measured.failures,
          }
        : [],
    )
    .toSorted((a, b) => excessOf(a) - excessOf(b) || b.answered - a.answered || a.fastMs - b.fastMs);
}

/** How many connections it has too many for the puzzle. @param {{ connections: number }} app */
function excessOf({ connections }) {
  return Math.max(0, connections - PUZZLE_MAX_CONNECTIONS);
}
