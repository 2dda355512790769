import { COMMON } from '../assumptions/common-assumptions.js';
import { median, sum } from '../base/sample-statistics.js';
import { RECORDED_SEED } from '../load/trace-load.js';
import { isWorse, MIN_FOR_PERCENTILES } from '../predict/size-comparison.js';
import { readFigure } from '../predict/shown-figures.js';
import { rememberRuns } from '../runs/simulation-runs.js';
import { groupByRoute, summariseTrace } from '../trace/trace.js';
import { listKinds } from './query-kinds.js';
import { createTrial } from './trial.js';

/** @import { Slo, SloFigure } from '../advise/slo.js' */
/** @import { CodedFinding } from '../base/finding.js' */
/** @import { ShownFigure } from '../predict/shown-figures.js' */
/** @import { RunFigures } from '../runs/run-figures.js' */
/** @import { SimulationResult } from '../simulator/simulate.js' */
/** @import { Trace } from '../trace/trace.js' */
/** @import { UsedQueries, WhatIfChange } from './query-kinds.js' */
/** @import { Trial, TrialInput, TrialPrediction } from './trial.js' */

/** The shares of their recorded times that queries are tried with. */
const FACTORS = [0.9, 0.5, 0];
/** A tenth less may change no percentile, and hardly any query can be left out. */
const RANKED_BY = 0.5;
/** So many that come first in the recording itself are ranked again, by the medians of so many runs. */
const [MAX_CLOSE, CLOSE_RUNS] = [3, 5];

/**
 * @typedef {{ ms: number, lowMs: number, highMs: number }} BandedTime
 *
 * @typedef {object} Speedups what faster queries would do, at the recorded size
 * @property {{ route: string, figure: SloFigure | 'meanMs' }} target the goal that is missed by most; without goals the
 *   p95 of the route that waits most. The mean of its requests, if no kind is sure to change that, but one changes this
 * @property {number} poolSize
 * @property {boolean} isShared the queries share the server's cores, so faster ones leave more of them to the others
 * @property {CodedFinding | null} reason why the times of `best` are not shown; without `now`, why nothing is known
 * @property {BandedTime | null} now
 * @property {TriedKind[]} kinds the one that changes most comes first; those with hardly any use are left out. What
 *   they do in the recording itself has no bands, and is hidden where that of `best` is
 * @property {BestSpeedup | null} best null where no kind is sure to change the figure
 *
 * @typedef {UsedQueries & { tries: { factor: number, ms: number }[] }} TriedKind ms: NaN where callers who wait would
 *   send requests without end
 *
 * @typedef {Pick<UsedQueries, 'route' | 'operation'> & BandedTime & { factor: number, change: { low: number, high:
 *   number }, connections: number | null, rivals: UsedQueries[] }} BestSpeedup of the kind that changes most: with the
 *   largest factor that changes anything; change: the band of the factor by which the time changes; connections: how
 *   many more do the same, null if no number does; rivals: other kinds that change about as much
 */

/**
 * Finds the queries that would help most if they took less time. Causal profiling slows down everything else to find
 * it: C. Curtsinger and E. D. Berger, Coz: finding code that counts (2015), https://doi.org/10.1145/2815400.2815409.
 * Here the recorded load is simulated with other times.
 *
 * @param {TrialInput & { goals?: Slo[] }} input
 * @returns {Promise<Speedups | null>} null where the recorded size is unknown, or meets all goals, and where no route
 *   has enough requests
 */
export async function findSpeedups({ goals = [], ...input }) {
  const { recording, trust } = input;
  const trial = createTrial({ ...input, simulateRuns: rememberRuns(input.simulateRuns) });
  if (!trial) return null;
  const [base] = await trial.run();
  const target = goals.length > 0 ? pickGoal(goals, base) : findWaiting(recording.trace);
  if (!target) return null;
  const result = {
    ...{ target, poolSize: trust.recordedSize, isShared: recording.load.server !== undefined },
    ...{ reason: trust.refusal, now: null, kinds: [], best: null },
  };
  if (trust.refusal) return result;
  const found = await searchFor(target, result, { ...input, trial });
  if (found.best || !found.now) return found;
  // Where callers wait for each other's queries, a percentile is chance, and the mean of as many requests is not.
  const ofMean = await searchFor({ ...target, figure: 'meanMs' }, result, { ...input, trial });
  return ofMean.best ? ofMean : found;
}

/**
 * @param {Speedups['target']} target
 * @param {Speedups} result without what is found
 * @param {TrialInput & { trial: Trial }} input
 * @returns {Promise<Speedups>}
 */
async function searchFor(target, result, { recording: { trace }, trust, trial }) {
  const { route: ofRoute, figure } = target;
  /** @param {Pick<RunFigures, 'routes'>} [figures] */
  const timeIn = (figures) => {
    const times = figures?.routes[ofRoute];
    return (figure === 'meanMs' ? times?.meanMs : times?.all[figure]) ?? NaN;
  };
  const now = await trial.predict();
  const denial = trial.deny(now, [target]);
  if (denial) return { ...result, target, reason: denial };
  const readTime = (/** @type {TrialPrediction} */ { figures: { low, high, ...figures } }) => ({
    ...{ ms: timeIn(figures), lowMs: timeIn(low), highMs: timeIn(high) },
  });

  const nowTime = readTime(now);
  const { kinds, rivals } = await rankKinds(
    trial,
    listKinds(trace).filter(({ share, route }) => share >= COMMON.rareShare || route === ofRoute),
    timeIn,
  );
  const [first] = kinds;
  const found = { ...result, target, now: nowTime, kinds };
  // A route is faster without its own queries: that is no news.
  const isNews = (/** @type {TriedKind['tries'][number]} */ { factor, ms }) =>
    isWorse(nowTime.ms, ms) && (factor > 0 || first.route !== ofRoute);
  for (const { factor, ms } of first?.tries.filter(isNews) ?? []) {
    const { route, operation } = first;
    const tried = { change: { route, operation, factor } };
    // In another reading, or another minute, it may be slower. A few runs often tell.
    const isSlower = ({ high = NaN }) => high > 1 + COMMON.smallShare;
    if (isSlower(trial.compare(now, await trial.predict(tried, CLOSE_RUNS), timeIn))) continue;
    const then = await trial.predict(tried);
    const change = trial.compare(now, then, timeIn);
    if (isSlower(change)) continue;
    const time = readTime(then);
    const reason = trust.reasonToHide({ ...time, poolSize: then.distantSize });
    const shown = reason ? { ms: NaN, lowMs: NaN, highMs: NaN } : time;
    const connections = await trial.countConnections((run) => !isWorse(timeIn(run), ms));
    return {
      ...found,
      // They have no bands of their own.
      kinds: reason ? kinds.map((kind) => ({ ...kind, tries: [] })) : kinds,
      reason,
      best: { route, operation, factor, ...shown, change, connections, rivals },
    };
  }
  return found;
}

/**
 * @param {Trial} trial
 * @param {UsedQueries[]} kinds
 * @param {(run: SimulationResult) => number} timeIn
 * @returns {Promise<{ kinds: TriedKind[], rivals: TriedKind[] }>} in order; rivals of the first
 */
async function rankKinds(trial, kinds, timeIn) {
  // All at once, so that every thread has work.
  const tried = await Promise.all(
    kinds.map(async ({ share, ...kind }) => {
      const timeAt = async (/** @type {number} */ factor) => {
        const [run] = (await trial.isEndless({ ...kind, factor })) ? [] : await trial.run({ ...kind, factor });
        return { factor, ms: run ? timeIn(run) : NaN };
      };
      return { ...kind, share, tries: await Promise.all(FACTORS.map(timeAt)) };
    }),
  );
  const timeOf = (/** @type {TriedKind} */ { tries }) => tries[FACTORS.indexOf(RANKED_BY)].ms;
  tried.sort((a, b) => timeOf(a) - timeOf(b));
  const seeds = Array.from({ length: CLOSE_RUNS }, (_, index) => RECORDED_SEED + index);
  const close = await Promise.all(
    tried.slice(0, MAX_CLOSE).map(async (kind) => {
      const { route, operation } = kind;
      return { kind, ms: median((await trial.run({ route, operation, factor: RANKED_BY }, seeds)).map(timeIn)) };
    }),
  );
  close.sort((a, b) => a.ms - b.ms);
  return {
    kinds: [...close.map(({ kind }) => kind), ...tried.slice(MAX_CLOSE)],
    rivals: close.slice(1).flatMap(({ kind, ms }) => (isWorse(ms, close[0].ms) ? [] : [kind])),
  };
}

/**
 * @param {Slo[]} goals
 * @param {SimulationResult} run
 * @returns {Speedups['target'] | undefined} undefined if all are met
 */
function pickGoal(goals, { routes }) {
  const shareOf = (/** @type {Slo} */ { route, figure, limitMs }) => (routes[route]?.all[figure] ?? 0) / limitMs;
  return goals.filter((goal) => shareOf(goal) >= 1).toSorted((a, b) => shareOf(b) - shareOf(a))[0];
}

/**
 * Finds the route whose checkouts waited longest, all together. Work that belongs to no request makes nobody wait.
 *
 * @param {Trace} trace
 * @returns {Speedups['target'] | undefined} undefined if none has enough requests
 */
function findWaiting(trace) {
  const { routes: names, routeOf, requestOf = [], waitMs } = trace;
  const { routes } = summariseTrace(trace);
  const waitedMs = groupByRoute(trace, waitMs).map(sum);
  const asked = new Set(Array.from(routeOf).filter((_, row) => requestOf[row] >= 0));
  const rows = [...names.keys()].filter(
    (row) => routes[names[row]].count >= MIN_FOR_PERCENTILES && (asked.size === 0 || asked.has(row)),
  );
  const [longest] = rows.toSorted((a, b) => waitedMs[b] - waitedMs[a]);
  return longest === undefined ? undefined : { route: names[longest], figure: 'p95Ms' };
}

/**
 * @typedef {object} WhatIfQueries
 * @property {string} text of the change, as it was given
 * @property {number} poolSize
 * @property {boolean} isShared see Speedups
 * @property {CodedFinding | null} reason why there are no figures
 * @property {{ route: string, figure: 'p95Ms' | 'maxMs', now: ShownFigure, then: ShownFigure | null }[]} routes figure:
 *   below 20 requests, the maximum; then: null of the one that is gone
 */

/**
 * Tries one change of the queries.
 *
 * @param {TrialInput & { tried: WhatIfChange }} input
 * @returns {Promise<WhatIfQueries>}
 * @throws {Error} if the recorded size is unknown; if callers who wait would send requests without end
 */
export async function tryChange({ tried, ...input }) {
  const { recording, trust } = input;
  const trial = createTrial(input);
  if (!trial) throw new Error(`"${tried.text}": the recording does not say how large its pool was`);
  const { text, change, ownClient } = tried;
  const isShared = recording.load.server !== undefined && !ownClient;
  const result = { text, poolSize: trust.recordedSize, isShared };
  if (trust.refusal) return { ...result, reason: trust.refusal, routes: [] };
  if (await trial.isEndless(change))
    throw new Error(
      `"${text}": callers who wait for their answers would send requests without end. Try a longer time, such as 50%`,
    );
  const now = await trial.predict();
  const denial = trial.deny(
    now,
    recording.trace.routes.map((route) => ({ route, figure: 'p95Ms' })),
  );
  if (denial) return { ...result, reason: denial, routes: [] };
  const then = await trial.predict(tried);
  return {
    ...result,
    reason: null,
    routes: Object.entries(now.figures.routes).map(([route, { count }]) => {
      const figure = count >= MIN_FOR_PERCENTILES ? 'p95Ms' : 'maxMs';
      const read = (/** @type {TrialPrediction} */ { figures, distantSize }) =>
        readFigure(trust, { settings: { poolSize: distantSize }, predicted: figures }, figure, route);
      return { route, figure, now: read(now), then: then.figures.routes[route] ? read(then) : null };
    }),
  };
}
