import { formatNumber, formatQuantity } from 'mongodb-pool-page/universal/quantity.js';
import { describeSize } from '../../lab/report/columns.js';
import { defineLesson, isClose, judgePuzzle, judgeRuns, right, wrong } from '../../lab/workshop/define-lesson.js';

/** @import { SavedResult } from '../../lab/workshop/lesson-types.js' */

const SHARES = [50, 80, 90, 95];
const SHARE = 90;
const USE_MS = 100;
const TWIST_USE_MS = 50;
/** The shortest run in which the queue has time to grow. */
const MIN_SECONDS = 40;
const PUZZLE_MAX_CONNECTIONS = 8;
const PUZZLE_LIMIT_MS = 75;
/** Connections that are less busy than this are not as busy as the puzzle wants. */
const PUZZLE_MIN_USE = 0.87;

export const lesson = defineLesson({
  minutes: 5,
  goal: "use Little's law, and say how busy a connection may be",
  lab: 'utilisation',
  guess: {
    question:
      'Each query holds a lane for 100 ms. There is one lane, and queries come at random moments. If ' +
      'they keep it busy for 50 % of the time, they wait for 50 ms on average. How long do they wait ' +
      'if they keep it busy for 95 %?',
    unit: 'ms',
    answer: () => meanWaitMs(0.95),
    why:
      'The wait grows with the busy share divided by the free share: 1 at 50 %, 19 at 95 %, and 19 times 50 ms ' +
      'is about 950 ms.',
  },
  hints: [
    'You need two columns of the line "random, 90 %": queries/s, and the mean wait.',
    "Little's law: the number that wait is the arrival rate times the mean wait, with the wait in seconds.",
    '9.0 x 0.489 = 4.4 with the figures in the text. Use your own.',
  ],
  asks: {
    question: 'With random arrivals and a lane that is busy for 90 % of the time, how many queries wait on average?',
    unit: 'queries',
  },
  check({ results, answer }) {
    const runs = results.filter(
      (run) => run.settings.poolSize === 1 && SHARES.every((share) => findRandom(run, share, USE_MS)),
    );
    return judgeRuns(runs, 'There is no such run yet: npx pool-lab run utilisation --parallel', (run) => {
      const [least, , at90, most] = SHARES.map((share) => findRandom(run, share, USE_MS));
      if (most.waitMeanMs < at90.waitMeanMs) {
        return wrong(
          'Queries waited longer at 90 % than at 95 %, by chance or because of other programs. Close those and ' +
            'run it again: npx pool-lab run utilisation --parallel',
        );
      }
      const waiting = (at90.ratePerSec * at90.waitMeanMs) / 1000;
      if (!isClose(answer, waiting)) {
        return wrong('Multiply queries/s of the line "random, 90 %" by its mean wait in seconds.');
      }
      return right(
        `By Little's law, ${formatNumber(waiting, 1)} queries wait on average. From 50 to 95 % the mean wait grew ` +
          `from ${formatQuantity(least.waitMeanMs, 'ms')} to ${formatQuantity(most.waitMeanMs, 'ms')}.`,
        { truth: most.waitMeanMs },
      );
    });
  },
  twist: {
    lab: 'utilisation',
    asks: { question: 'With queries of 50 ms, what is the mean wait at 90 % with random arrivals?', unit: 'ms' },
    key: 'About half of what it is with queries of 100 ms: 200 ms or so. Waits shrink with the queries.',
    check({ results, answer }) {
      const runs = results.filter((run) => run.settings.poolSize === 1 && findRandom(run, SHARE, TWIST_USE_MS));
      const command = 'npx pool-lab run utilisation --shares 90 --arrivals random --use-ms 50';
      return judgeRuns(runs, `There is no such run yet: ${command}`, (run) => {
        const { waitMeanMs } = findRandom(run, SHARE, TWIST_USE_MS);
        if (!isClose(answer, waitMeanMs)) return wrong('Look at the mean wait in the line "random, 90 %".');
        return right(
          `${formatQuantity(waitMeanMs, 'ms')}, with a lane that is as busy as before. Waits shrink with the ` +
            'queries, even if twice as many come.',
        );
      });
    },
  },
  puzzle: {
    lab: 'utilisation',
    hints: [
      'A lane that is busy can be free again soon, or not. What if a query could take any of several lanes?',
      'Which option gives the pool more connections, and each connection as much to do?',
      'npx pool-lab run utilisation --shares 90 --arrivals random --pool-size 8: eight lanes with one queue.',
    ],
    check({ results }) {
      return judgePuzzle(
        results,
        (run) => Number(run.settings.poolSize) <= PUZZLE_MAX_CONNECTIONS && findRandom(run, SHARE, USE_MS),
        `There is no run yet with random arrivals at ${SHARE} %, queries of ${USE_MS} ms and at most ` +
          `${PUZZLE_MAX_CONNECTIONS} connections.`,
        (run) => {
          const { poolSize } = run.settings;
          const { usedShare, waitMeanMs, failures } = findRandom(run, SHARE, USE_MS);
          if (failures > 0) return wrong(`${failures} queries were not answered.`);
          if (usedShare < PUZZLE_MIN_USE) {
            return wrong(`The connections were in use for ${formatNumber(usedShare * 100)} % of the time only.`);
          }
          const found = `With ${describeSize(Number(poolSize))} the mean wait is ${formatQuantity(waitMeanMs, 'ms')}`;
          return waitMeanMs < PUZZLE_LIMIT_MS
            ? right(`${found}, and each is as busy as before: they share one queue.`)
            : wrong(`${found}.`);
        },
      );
    },
  },
});

/**
 * How long queries wait on average, in the long run, in a lane that they keep busy for a share of the time: one lane,
 * random arrivals, all queries as long (https://en.wikipedia.org/wiki/M/D/1_queue).
 * @param {number} share
 */
function meanWaitMs(share) {
  return (USE_MS * share) / (2 * (1 - share));
}

/**
 * What was measured with random arrivals; undefined if it was not, or not for long enough.
 * @param {SavedResult} run
 * @param {number} share
 * @param {number} useMs
 */
function findRandom({ settings, variants }, share, useMs) {
  if (settings.useMs !== useMs || Number(settings.seconds) < MIN_SECONDS) return undefined;
  return variants.find((variant) => variant.settings.arrivals === 'random' && variant.settings.share === share)
    ?.measured;
}
