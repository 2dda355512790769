// Is advice right? `pool-lab advise` gets a goal for each kind of load of recorded-loads.js, recorded at 2 and at 8
// connections. The size that it says, and the next smaller one, are then measured.
//
// Rules, fixed before measuring:
// - The goal is a p95 of the route /a. Its limit is the geometric mean of the p95 measured at 2 and at 8; where these
//   differ by less than a factor of 1.5, one and a half times the smaller one. A request that failed misses the goal.
// - The goal must hold at the load as it is (--headroom 1), because nothing else is measured.
// - A size is promised for 95 of 100 runs. If the p95 measured with it is not below the limit, two more runs with other
//   arrivals decide: if one of them misses it too, the size is a false pass, and none is allowed.
// - As in apps.js, a measurement counts only if the queries took about as long as in the recording. Other goals are not
//   compared. At least 20 are.
// - The next smaller size misses the goal in one of three runs, or is within the noise: its median of `advise` is
//   within 15 % or 5 ms of the measured p95, and only the promise for 95 of 100 runs keeps it out.
// - Without a size, the reason is right. "nothing": 16 connections miss the goal, or that is within the noise of the
//   best size that it names, as above. "notEnoughData": there are fewer requests than it says. "noPrediction": of the
//   p95 that `predict` would have said for other sizes, one is off by more than 15 % and 5 ms.
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { readTrace } from 'mongodb-pool-predictor/node';
import { QUICK_SECONDS, RECORDED, SECONDS, isClose, predictFrom, readRecordings } from './apps.js';
import { isAlike, measureRoutes } from './measure-routes.js';
import { KINDS, recordKinds } from './recorded-loads.js';

/** @import { Advice } from 'mongodb-pool-predictor' */
/** @import { MeasuredRoute } from './measure-routes.js' */
/** @import { PartContext } from '../parts/run-parts.js' */

const CLI = fileURLToPath(new URL('../../lab/cli.js', import.meta.url));
/** What goals are about. */
export const GOAL = /** @type {const} */ ({ route: '/a', figure: 'p95Ms' });
const LARGEST = 16;
const LIMIT_FACTOR = 1.5;
const RUNS = [1, 2, 3];
const MIN_COMPARED = 20;
const NOT_COMPARED = 'not compared';

export const PART = {
  name: 'goals',
  about: 'advice for the same loads, against measurements of the size and the next smaller one (15 minutes more)',
  /** @param {PartContext} context */
  async run(context) {
    const rows = [];
    for (const kind of Object.keys(KINDS)) {
      /** @type {Measure} */
      const measure = (pool, run) => measureSize(kind, pool, context, run);
      const p95Of = async (/** @type {number} */ pool) => (await measure(pool)).routes[GOAL.route][GOAL.figure];
      const limitMs = chooseLimitMs(await p95Of(RECORDED[0]), await p95Of(RECORDED[1]));
      for (const from of RECORDED) {
        context.say(`advise ${kind}, from ${from}`);
        const advice = await ask((await measure(from)).file, limitMs, KINDS[kind].options?.appName, context.signal);
        rows.push({ kind, from, limitMs, ...(await judge(advice, { kind, from, limitMs, measure, context })) });
      }
    }
    const compared = rows.filter(({ said }) => said !== NOT_COMPARED);
    return [
      {
        title:
          'Advice against measurement: p95 of /a in ms; simulated: the median, and what 95 of 100 runs do not exceed',
        rows,
        isMet: compared.length >= MIN_COMPARED && compared.every(({ said }) => said.startsWith('right')),
      },
    ];
  },
};

/**
 * A limit that some pool sizes meet and others miss, where there is one.
 * @param {number} oneMs measured at one size
 * @param {number} otherMs at another
 */
export function chooseLimitMs(oneMs, otherMs) {
  const [low, high] = [Math.min(oneMs, otherMs), Math.max(oneMs, otherMs)];
  return Math.round(high < LIMIT_FACTOR * low ? LIMIT_FACTOR * low : Math.sqrt(low * high));
}

/** Share of a route's requests that may fail: a p95 is about 95 of 100. */
const MAX_FAILED = 0.05;

/** The time that a goal limits, where a failed request counts as never answered. @param {MeasuredRoute} measured */
export function goalMs({ count, failures, [GOAL.figure]: ms }) {
  return failures > MAX_FAILED * count ? Infinity : ms;
}

/**
 * @typedef {object} MeasuredSize
 * @property {string} file trace
 * @property {Record<string, MeasuredRoute>} routes
 * @property {number} ms see goalMs
 *
 * @typedef {(pool: number, run?: number) => Promise<MeasuredSize>} Measure
 */
/** @typedef {Omit<Advice, 'verdict'> & { verdict: Advice['verdict'] | 'noPrediction' }} Said */

/**
 * @param {Said} advice
 * @param {{ kind: string, from: number, limitMs: number, measure: Measure, context: PartContext }} asked
 */
async function judge(
  { verdict, poolSize, rows = [], loads = [], samples = [] },
  { kind, from, limitMs, measure, context },
) {
  const recorded = await measure(from);
  /** @param {number} pool @returns {Promise<number | undefined>} ms; undefined if it does not count */
  const compare = async (pool) => {
    const { routes, ms } = await measure(pool);
    return KINDS[kind].isCpuBound || isAlike(recorded.routes, routes) ? ms : undefined;
  };
  if (verdict === 'nothing') {
    const ms = await compare(LARGEST);
    if (ms === undefined) return { size: verdict, said: NOT_COMPARED };
    const { medianMs = NaN, upperMs = NaN } = loads[0].best?.goals[0] ?? {};
    const isNoise = isClose({ measuredMs: ms, predictedMs: medianMs });
    return {
      ...{ size: verdict, measured: Math.round(ms) },
      simulated: `${medianMs.toFixed(0)} to ${upperMs.toFixed(0)}`,
      said: ms >= limitMs ? 'right' : isNoise ? 'right, within the noise' : 'WRONG',
    };
  }
  if (verdict !== 'size' || poolSize === null) {
    const isRight =
      verdict === 'notEnoughData'
        ? samples.some(({ isEnough }) => !isEnough)
        : await isUnpredictable(kind, from, context);
    return { size: verdict, said: isRight === undefined ? NOT_COMPARED : isRight ? 'right' : 'WRONG' };
  }
  /** @param {number} pool @param {number} enough @returns {Promise<boolean>} whether so many of three runs miss it */
  const misses = async (pool, enough) => {
    let count = 0;
    for (const run of RUNS) {
      if ((await measure(pool, run)).ms >= limitMs) count++;
      if (count === enough) return true;
    }
    return false;
  };
  const ms = await compare(poolSize);
  if (ms === undefined) return { size: poolSize, said: NOT_COMPARED };
  const measured = { size: poolSize, measured: Math.round(ms) };
  if (ms >= limitMs && (await misses(poolSize, 2))) return { ...measured, said: 'FALSE PASS' };
  const row = rows.find((each) => each.poolSize === poolSize - 1);
  if (!row) return { ...measured, said: 'right' };
  const smallerMs = await compare(poolSize - 1);
  if (smallerMs === undefined) return { ...measured, said: NOT_COMPARED };
  const [{ medianMs, upperMs }] = row.goals;
  const isNoise = isClose({ measuredMs: smallerMs, predictedMs: medianMs });
  return {
    ...measured,
    'one less': Math.round(smallerMs),
    simulated: `${medianMs.toFixed(0)} to ${upperMs.toFixed(0)}`,
    said: isNoise ? 'right, within the noise' : (await misses(poolSize - 1, 1)) ? 'right' : 'TOO LARGE',
  };
}

/**
 * Whether a size would have been luck.
 * @param {string} kind @param {number} from @param {PartContext} context
 * @returns {Promise<boolean | undefined>} undefined if no measurement counts
 */
async function isUnpredictable(kind, from, context) {
  const figures = await predictFrom(KINDS[kind], from, await readRecordings(kind, context));
  const goals = figures.filter(({ route, figure }) => route === GOAL.route && figure === GOAL.figure);
  return goals.length === 0 ? undefined : goals.some((each) => !isClose(each));
}

/** @param {string} kind @param {number} pool @param {PartContext} context @param {number} [run] */
async function measureSize(kind, pool, context, run) {
  const seconds = context.isQuick ? QUICK_SECONDS : SECONDS;
  const files = await recordKinds(context, { kinds: { [kind]: KINDS[kind] }, pools: [pool], seconds, run });
  const file = files[kind][pool];
  const routes = measureRoutes(await readTrace(file), KINDS[kind].options?.appName);
  return { file, routes, ms: goalMs(routes[GOAL.route]) };
}

/**
 * @param {string} file trace
 * @param {number} limitMs
 * @param {string | undefined} client
 * @param {AbortSignal} signal
 * @returns {Promise<Said>}
 */
function ask(file, limitMs, client, signal) {
  const args = ['advise', '--trace', file, '--slo', `${GOAL.route} p95 < ${limitMs} ms`, '--headroom', '1', '--json'];
  if (client !== undefined) args.push('--client', client);
  return new Promise((resolve, reject) => {
    execFile(process.execPath, [CLI, ...args], { signal }, (error, stdout) => {
      // Without a size, the command says so in its exit code, too.
      if (stdout === '') reject(error);
      else resolve(JSON.parse(stdout));
    });
  });
}
