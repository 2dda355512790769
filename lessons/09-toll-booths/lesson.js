import { formatNumber, formatQuantity } from 'mongodb-pool-page/universal/quantity.js';
import { compareRepeats, judge } from '../../lab/labs/saturation/saturation-findings.js';
import { closeLimitMs } from '../../lab/labs/remedies/criterion.js';
import { defineLesson, isClose, judgePuzzle, judgeRuns, right, wrong } from '../../lab/workshop/define-lesson.js';

/** @import { Variant } from '../../lab/report/result-types.js' */
/** @import { SavedResult } from '../../lab/workshop/lesson-types.js' */
/** @import { Comparison, Figure, MeasuredPool } from '../../lab/labs/saturation/saturation-findings.js' */

/** Fewer would not fill a server of many cores. */
const CALLERS = 64;
/** If a larger pool answers more than this many times as many queries, the smaller one left cores idle. */
const MORE_ANSWERS = 1.5;
const HEAVY_MS = 20;
/** The share of the server's cores that so many callers keep busy, unless other programs use them. */
const FULL = 0.5;
const TWIST_LANES = 2;
const TWIST_BUSES = 30;
/** Shorter waits do not count as waiting in line. */
const MIN_WAIT_MS = 50;
const PUZZLE_MAX_CONNECTIONS = 4;
const PUZZLE_SLOW_MS = 1000;

/** @type {Figure} */
const heavyP99 = ({ heavy }) => heavy.p99Ms;
/** @type {Figure} */
const rate = ({ ratePerSec }) => ratePerSec;

export const lesson = defineLesson({
  minutes: 6,
  goal: 'say when a larger pool makes nothing faster',
  lab: 'saturation',
  hints: [
    'Compare the p99 of heavy queries in the lines best and 100.',
    'The server has as many toll booths as cores. With 100 lanes, all queries share them and each crawls.',
    'Two to six times as long, about 3 on two cores. Guess, run the command of the lesson, then verify. Any guess ' +
      'counts.',
  ],
  guess: {
    question:
      '64 callers each send their next query when the last one is answered. One query in four keeps a core of the ' +
      'server busy for 20 ms, the others for less than 1 ms. With 100 connections instead of the best of 2, 4, 8 and ' +
      '16, how many times as long is the p99 of these heavy queries?',
    unit: 'times as long',
    why:
      'The server works on as many queries at once as it has cores, so with 100 connections many heavy queries ' +
      'share the cores and each takes longer.',
  },
  check({ results, guess }) {
    const runs = results.filter(
      (run) =>
        run.startedAt > guess.at &&
        Number(run.settings.callers) >= CALLERS &&
        run.settings.heavyMs === HEAVY_MS &&
        comparisonOf(run),
    );
    const missing =
      'You have not measured since your guess: npx pool-lab run saturation --loads closed ' +
      '--heavy-ms 20 --pool-sizes 2,4,8,16 --repeat 3';
    return judgeRuns(runs, missing, (run) => {
      const { best, reference, heavy, answers } = /** @type {Compared} */ (comparisonOf(run));
      const [few, many] = [best, reference].map(({ measured }) => Number(measured?.poolSize));
      const times = `${formatNumber(heavy.ratio, 1)} times as long`;
      const { cores, coresBusy } = reference.measured?.server ?? {};
      if (cores && coresBusy && coresBusy < FULL * cores) {
        return wrong(
          `The server could use only ${formatNumber(coresBusy, 1)} of ${cores} cores. Close other ` +
            'programs and measure again.',
        );
      }
      const verdict = judge(heavy);
      if (answers.ratio > MORE_ANSWERS || verdict === 'less' || verdict === 'same') {
        return wrong(
          `With ${many} connections the p99 of heavy queries is ${times} as with ${few}, and the server answers ` +
            `${formatNumber(answers.ratio, 1)} times as many queries. So ${few} did not fill it. On a server with ` +
            'many cores, measure with --pool-sizes 8,16,32,64 --callers 256 --reference 256.',
        );
      }
      if (verdict === 'unclear') {
        return wrong(
          `The repeats disagree: with ${many} connections the p99 of heavy queries is ` +
            `${formatSpread(heavy)} times as long as with ${few}. Close other programs and measure again.`,
        );
      }
      return right(
        `${judgeGuess(guess.value, heavy)} The server answers ${formatNumber(answers.ratio, 1)} times as many ` +
          `queries with ${many} connections as with ${few}. ${describeAnswers(answers, few)}`,
        {
          truth: heavy.ratio,
          figures: [
            ['you guessed', `${guess.value} times as long`],
            ['measured', `${times}${heavy.spread ? ` (${formatSpread(heavy)})` : ''}`],
            [`heavy p99, pool ${few}`, formatQuantity(Number(best.measured?.heavy.p99Ms), 'ms')],
            [`heavy p99, pool ${many}`, formatQuantity(Number(reference.measured?.heavy.p99Ms), 'ms')],
          ],
        },
      );
    });
  },
  twist: {
    app: true,
    key:
      'Only buses wait: two drive at a time in a tunnel of their own. Ferraris have 64 lanes, wait for none, and ' +
      'share the cores with two buses only.',
    check({ app: { max, checkouts } }) {
      const served = checkouts.flatMap(({ route, checkOutStartedAtMs, checkedOutAtMs, checkedInAtMs }) =>
        checkedOutAtMs === null
          ? []
          : {
              route,
              fromMs: checkedOutAtMs,
              toMs: checkedInAtMs ?? Infinity,
              waitMs: checkedOutAtMs - checkOutStartedAtMs,
            },
      );
      const of = (/** @type {string} */ wanted) => served.filter(({ route }) => route === wanted);
      // Otherwise a lane was free, and had to be opened.
      const isFull = (/** @type {number} */ atMs) =>
        served.filter(({ route, fromMs, toMs }) => route !== '/slow' && fromMs <= atMs && atMs < toMs).length >= max;
      const isLate = (/** @type {{ waitMs: number }} */ { waitMs }) => waitMs >= MIN_WAIT_MS;
      const [buses, ferraris] = [of('/slow'), of('/fast')];
      const together = Math.max(
        0,
        ...buses.map(({ fromMs: atMs }) => buses.filter(({ fromMs, toMs }) => fromMs <= atMs && atMs < toMs).length),
      );
      const slow = buses.filter(isLate).length;
      const fast = ferraris.filter((one) => isLate(one) && isFull(one.fromMs - one.waitMs / 2)).length;
      if (buses.length < TWIST_BUSES || ferraris.length < 10) {
        return wrong('Send thirty buses and ten Ferraris, and wait for the last bus.');
      }
      if (together !== TWIST_LANES)
        return wrong(`${together} buses drove at once. Start the app with SLOW_POOLSIZE=${TWIST_LANES}.`);
      if (fast > 0) return wrong(`${fast} Ferraris waited for a lane. Start the app with MONGO_POOLSIZE=64.`);
      return right(`${slow} buses waited, and no Ferrari did.`);
    },
  },
  puzzle: {
    lab: 'remedies',
    hints: [
      'A larger pool is not allowed, and neither is a refusal. Which remedy of lesson 8 is left?',
      'A second client keeps a lane free for the customers. --treated sets how many connections both clients have ' +
        'together.',
      'npx pool-lab run remedies --remedies client --treated 4: three connections for the administrators, one for ' +
        'the customers.',
    ],
    check({ results }) {
      const isAllowed = (/** @type {SavedResult} */ { settings, variants }) =>
        Number(settings.slowMs) >= PUZZLE_SLOW_MS && !settings.environment && variants.some(isSmall);
      const missing = `There is no run of that load with at most ${PUZZLE_MAX_CONNECTIONS} connections yet.`;
      return judgePuzzle(results, isAllowed, missing, ({ variants }) => {
        const all = variants
          .filter(isSmall)
          .map(({ name, measured }) => ({ name, ...measured?.routes['/fast'], slow: measured?.routes['/slow'] }));
        const alone = variants.find(({ settings, measured }) => settings.load === 'customers' && measured);
        const limitMs = closeLimitMs(alone?.measured?.routes['/fast'].p99Ms ?? 0);
        const solved = all.find(
          ({ p99Ms, refused, failures, slow }) => p99Ms <= limitMs && refused + failures + slow.refused === 0,
        );
        if (solved) {
          return right(
            `${solved.name}: the p99 of /fast is ${formatQuantity(solved.p99Ms, 'ms')}, and the app refused nobody. ` +
              `The administrators pay: ${solved.slow.failures} of ${solved.slow.count} had no answer after 3 s.`,
          );
        }
        return wrong(
          `${all
            .map(
              ({ name, p99Ms, refused, slow }) =>
                `${name}: ${formatQuantity(p99Ms, 'ms')}, ${refused + slow.refused} refused`,
            )
            .join('; ')}.`,
        );
      });
    },
  },
});

/**
 * The large pool and the best of the small ones. `heavy` and `answers` are ratios: large / best.
 * @typedef {{ best: MeasuredPool, reference: MeasuredPool, heavy: Comparison, answers: Comparison }} Compared
 */

/** @param {SavedResult} run @returns {Compared | null} null if the run does not compare two pools */
function comparisonOf({ variants }) {
  const [best, reference] = ['best', 'reference'].map(
    (role) =>
      /** @type {MeasuredPool | undefined} */ (
        variants.find(({ settings }) => settings.load === 'closed' && settings.role === role)
      ),
  );
  const [heavy, answers] = [heavyP99, rate].map((figure) => compareRepeats(reference, best, figure));
  return best && reference && heavy && answers ? { best, reference, heavy, answers } : null;
}

/** @param {number} guess @param {Comparison} comparison */
function judgeGuess(guess, { ratio, spread }) {
  if (spread ? guess >= spread[0] && guess <= spread[1] : isClose(guess, ratio)) {
    return `Your guess was good: it is ${spread ? 'within what the repeats show' : 'close to the measurement'}.`;
  }
  if (guess <= 1) return 'The larger pool made heavy queries slower, not quicker.';
  return `Your guess was too ${guess > ratio ? 'high' : 'low'}.`;
}

/** @param {Comparison} answers @param {number} few connections of the best pool */
function describeAnswers(answers, few) {
  switch (judge(answers)) {
    case 'more':
      return `So ${few} connections left a booth idle now and then.`;
    case 'less':
      return 'More lanes, same toll booths, and less work done.';
    case 'same':
      return 'More lanes, same toll booths.';
    default:
      return 'The repeats disagree on that.';
  }
}

/** @param {Comparison} comparison */
function formatSpread({ ratio, spread = [ratio, ratio] }) {
  return spread.map((each) => formatNumber(each, 1)).join(' to ');
}

/** Whether a variant with customers and administrators has few connections. @param {Variant} variant */
function isSmall({ settings: { load, env }, measured }) {
  return measured && load === 'all' && env.MONGO_POOLSIZE + (env.SLOW_POOLSIZE ?? 0) <= PUZZLE_MAX_CONNECTIONS;
}
