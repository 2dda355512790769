import { formatQuantity } from 'mongodb-pool-page/universal/quantity.js';
import { poolOfApp, simulate } from 'mongodb-pool-predictor';
import { defineLesson, isClose, judgePuzzle, judgeRuns, right, wrong } from '../../lab/workshop/define-lesson.js';

/** @import { SavedResult, Verdict } from '../../lab/workshop/lesson-types.js' */

const RTT_MS = 20;
const TWIST_RTT_MS = 100;
/** Connections that the driver opens at a time, unless somebody has changed that. */
const MAX_CONNECTING = 2;
const CUSTOMERS = 100;
const POOL_SIZE = 20;
const QUERY_MS = 1;
/** Opening connections takes longer than this much of what a warm crowd waits, unless the machine is busy. */
const CLEAR_RATIO = 1.2;
/** Nobody can be this quick where two connections are opened at a time, each in at least one round trip. */
const PUZZLE_LIMIT_MS = 1000;

export const lesson = defineLesson({
  minutes: 5,
  goal: 'warm a pool up before a crowd comes',
  lab: 'remedies',
  guess: {
    question:
      'A hundred customers arrive at once, each with a query of 1 ms, at an app with room for 20 connections. ' +
      'Its database is 20 ms away, and the app opens two connections at a time, in 20 ms each. By how many ms does ' +
      'a warm pool, whose connections are open already, reduce the p99 of their responses?',
    unit: 'ms',
    why:
      'A warm pool serves the crowd in five rounds of 21 ms, while a cold one gets two more connections every 20 ms, ' +
      'so most of the crowd waits for those to open.',
    answer: () => simulateP99Ms({ warm: false }) - simulateP99Ms({ warm: true }),
  },
  hints: [
    'Find the two lines called burst. Only their p99 of /fast matters.',
    'A cold pool opens two connections at a time, and each needs at least one round trip of 20 ms.',
    'Subtract: p99 of burst, cold pool minus p99 of burst, warm pool. It was about 100 ms on our machine.',
  ],
  asks: { question: 'By how many ms did the warm pool reduce the p99?', unit: 'ms' },
  check({ results, answer }) {
    return judgeCrowds(results, RTT_MS, (run) => {
      const [coldMs, warmMs] = [cold(run).p99Ms, warm(run).p99Ms];
      if (!isClose(answer, coldMs - warmMs)) return wrong('Compare the p99 of /fast in the two bursts.');
      return right(
        `${formatQuantity(coldMs, 'ms')} against ${formatQuantity(warmMs, 'ms')}, with the same pool and the same ` +
          'load. The only difference: the connections were already open.',
        { truth: coldMs - warmMs },
      );
    });
  },
  twist: {
    lab: 'remedies',
    asks: {
      question: 'With a database 100 ms away, what is the p99 of /fast in the burst with a cold pool?',
      unit: 'ms',
    },
    key:
      'Between one and a few seconds, several times as long as with 20 ms: opening a connection takes several round ' +
      'trips. The column p99 shows it.',
    check({ results, answer }) {
      return judgeCrowds(results, TWIST_RTT_MS, (run) => {
        const { p99Ms } = cold(run);
        if (!isClose(answer, p99Ms)) return wrong('Look at the p99 of /fast in the line "burst, cold pool".');
        return right(
          `${formatQuantity(p99Ms, 'ms')}, and ${formatQuantity(warm(run).p99Ms, 'ms')} with a warm pool: the ` +
            'farther away the database, the more a warm pool is worth.',
        );
      });
    },
  },
  puzzle: {
    lab: 'remedies',
    hints: [
      'Most of the time goes into opening connections. How many does the driver open at a time?',
      'The lesson names the setting that lets a waiting crowd open more at a time. The lab ' +
        'takes it from your environment.',
      'MONGO_MAX_CONNECTING=20 npx pool-lab run remedies --remedies warm --rtt 100: the driver opens all 20 at once.',
    ],
    check({ results }) {
      const isAllowed = (/** @type {SavedResult} */ run) =>
        run.settings.rttMs === TWIST_RTT_MS && cold(run) && warm(run);
      const missing = 'There is no run of both bursts yet: npx pool-lab run remedies --remedies warm --rtt 100';
      return judgePuzzle(results, isAllowed, missing, (run) => {
        const { failures, refused, p99Ms } = cold(run);
        if (failures + refused > 0) return wrong(`${failures + refused} customers of the cold pool got no answer.`);
        const words =
          `The p99 was ${formatQuantity(p99Ms, 'ms')} with a cold pool and ` +
          `${formatQuantity(warm(run).p99Ms, 'ms')} with a warm one.`;
        return p99Ms < PUZZLE_LIMIT_MS
          ? right(`${words} The connections were opened together, so the crowd waited for them only once.`)
          : wrong(`${words} If you have found what to change, close other programs and run it again.`);
      });
    },
  },
});

/**
 * Judges the runs with both bursts at a distance, and a pool that grows as the driver's default says.
 * @param {SavedResult[]} results
 * @param {number} rttMs
 * @param {(run: SavedResult) => Verdict} judge
 */
function judgeCrowds(results, rttMs, judge) {
  const runs = results.filter(
    (run) =>
      run.settings.rttMs === rttMs &&
      cold(run) &&
      warm(run) &&
      run.variants.every(({ settings: { env } }) => (env.MONGO_MAX_CONNECTING ?? MAX_CONNECTING) === MAX_CONNECTING),
  );
  const command = `npx pool-lab run remedies --remedies warm${rttMs === RTT_MS ? '' : ` --rtt ${rttMs}`}`;
  return judgeRuns(runs, `There is no run with both bursts yet: ${command}`, (run) => {
    const lost = [cold(run), warm(run)].reduce((sum, { failures, refused }) => sum + failures + refused, 0);
    if (lost > 0) return wrong(`${lost} customers got no answer. Close other programs and run it again: ${command}`);
    const isClear = ['p50Ms', 'p99Ms'].every((figure) => cold(run)[figure] > CLEAR_RATIO * warm(run)[figure]);
    if (!isClear) {
      return wrong(
        'The two bursts took about as long, so something else used this machine. Close other programs ' +
          `and run it again: ${command}`,
      );
    }
    return judge(run);
  });
}

/** @param {{ warm: boolean }} state of the pool that the crowd meets */
function simulateP99Ms({ warm }) {
  const { routes } = simulate({
    arrivals: Array.from({ length: CUSTOMERS }, () => ({ route: '/fast', atMs: 0 })),
    pool: poolOfApp({ poolSize: POOL_SIZE, maxConnecting: MAX_CONNECTING }, { connectMs: RTT_MS, warm }),
    services: { '/fast': { kind: 'fixed', ms: RTT_MS + QUERY_MS } },
  });
  return routes['/fast'].p99Ms;
}

/** @param {SavedResult} run */
const cold = (run) => findBurst(run, false);
/** @param {SavedResult} run */
const warm = (run) => findBurst(run, true);

/** What /fast took in a burst. @param {SavedResult} run @param {boolean} isWarm with a minPoolSize */
function findBurst({ variants }, isWarm) {
  return variants.find(
    ({ settings: { load, env }, measured }) =>
      measured && load === 'burst' && Boolean(env.MONGO_MIN_POOLSIZE) === isWarm,
  )?.measured.routes['/fast'];
}
