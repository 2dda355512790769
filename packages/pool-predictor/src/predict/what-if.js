import { sum } from '../base/sample-statistics.js';
import { createTraceLoad } from '../load/trace-load.js';
import { OUTCOMES } from '../trace/recorded-trace.js';
import { summariseTrace } from '../trace/trace.js';
import { poolOfApp } from './pool-settings.js';
import { predict } from './predict.js';
import { checkRecording, openRecording } from './recording.js';
import { MIN_FOR_PERCENTILES } from './size-comparison.js';
import { judgeTrust } from './trust.js';

/** @import { LoadSource } from '../load/load.js' */
/** @import { PredictedFigures } from '../runs/run-figures.js' */
/** @import { RecordedTrace } from '../trace/recorded-trace.js' */
/** @import { TraceCheck } from './check-trace.js' */
/** @import { Recording } from './recording.js' */

/**
 * What pools of other sizes would have done to a recording.
 *
 * @typedef {object} WhatIf
 * @property {number} recordedSize NaN where the pool had no limit, or the recording does not say
 * @property {number[]} poolSizes ascending; those without figures are left out
 * @property {number[]} failures requests that fail, one for each size
 * @property {Record<string, WhatIfRoute>} routes
 * @property {'checkFails' | 'notChecked' | 'unclear' | 'unknownServer' | null} doubt why sizes have no figures. The last
 *   two may concern only some sizes: those at which it matters who waits for answers, and those far from the recorded one
 * @property {TraceCheck} check
 *
 * @typedef {object} WhatIfRoute
 * @property {number} count requests that were recorded
 * @property {'p95Ms' | 'maxMs'} figure below 20 requests, the maximum
 * @property {number} measuredMs when it was recorded
 * @property {number[]} predictedMs one for each size
 */

const SUCCEEDED = OUTCOMES.indexOf('checkedIn');
/** Two figures are the same if they differ by less than this share, or time. */
const SAME = { share: 0.05, ms: 5 };

/** Every size where it matters most, then growing steps up to the page's maximum. */
const SIZES = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 15, 20, 25, 30, 40, 50, 70, 100, 150, 200, 300, 400, 500, 700, 1000];
const MIN_LARGEST = 10;

/**
 * Predicts p95 and failures at other pool sizes, from a recording. The figures are those of `pool-lab predict`; where
 * that would not rely on them, there are none.
 *
 * @param {RecordedTrace} recorded
 * @returns {Promise<WhatIf | null>} null if no checkout got a connection
 */
export async function predictWhatIf(recorded) {
  if (!recorded.checkouts.outcomeOf.includes(SUCCEEDED)) return null;
  const recording = openRecording([recorded]);
  const { trace, load } = recording;
  const check = await checkRecording(recording);
  const { recordedSize, withheld, isWithheld } = judgeTrust({ trace, load }, check);
  const nothing = { recordedSize, poolSizes: [], failures: [], routes: {}, check };
  if (withheld === 'checkFails') return { ...nothing, doubt: withheld };
  if (check.status === 'notChecked') return { ...nothing, doubt: 'notChecked' };
  const needed = sum(Array.from(trace.useMs)) / load.durationMs;
  const sizes = choosePoolSizes(recordedSize, needed).filter((size) => !isWithheld(size));
  const predicted = await predictSizes(recording, sizes, false);
  const measured = summariseTrace(trace).routes;
  const routes = compareRoutes(measured, predicted);
  const others = load.otherwise ? await predictSizes(recording, sizes, true) : predicted;
  const kept = [...sizes.keys()].filter((index) =>
    Object.entries(routes).every(([route, { figure, predictedMs }]) =>
      isSame(others[index].routes[route][figure], predictedMs[index]),
    ),
  );
  if (kept.length === 0) return { ...nothing, doubt: 'unclear' };
  const keep = (/** @type {number[]} */ values) => kept.map((index) => values[index]);
  return {
    ...nothing,
    poolSizes: keep(sizes),
    failures: keep(predicted.map(({ failures }) => failures)),
    routes: Object.fromEntries(
      Object.entries(routes).map(([route, figures]) => [route, { ...figures, predictedMs: keep(figures.predictedMs) }]),
    ),
    doubt: kept.length < sizes.length ? 'unclear' : withheld,
  };
}

/**
 * @param {Recording} recording
 * @param {number[]} poolSizes
 * @param {boolean} isUnclear which reading of it, see createTraceLoad
 * @returns {Promise<PredictedFigures[]>}
 */
async function predictSizes({ trace, load, overhead, settings }, poolSizes, isUnclear) {
  const { options } = /** @type {Extract<LoadSource, { kind: 'trace' }>} */ (load.source);
  const { variants } = await predict({
    // Only bands need more runs than the recorded one.
    load: createTraceLoad(trace, { ...options, resample: false, isUnclear }),
    poolSizes,
    services: load.services,
    overhead,
    poolOf: (poolSize) => poolOfApp({ ...settings, poolSize }),
  });
  return variants.map(({ predicted }) => predicted);
}

/**
 * @param {ReturnType<typeof summariseTrace>['routes']} measured
 * @param {PredictedFigures[]} predicted one for each size
 * @returns {Record<string, WhatIfRoute>}
 */
function compareRoutes(measured, predicted) {
  return Object.fromEntries(
    Object.keys(measured).map((route) => {
      const all = [measured[route], ...predicted.map(({ routes }) => routes[route])];
      const figure = all.every(({ count }) => count >= MIN_FOR_PERCENTILES) ? 'p95Ms' : 'maxMs';
      const [measuredMs, ...predictedMs] = all.map((times) => times[figure]);
      return [route, { count: measured[route].count, figure, measuredMs, predictedMs }];
    }),
  );
}

/** @param {number} ms @param {number} otherMs */
function isSame(ms, otherMs) {
  return Math.abs(ms - otherMs) <= Math.max(SAME.ms, SAME.share * otherMs);
}

/**
 * Chooses sizes up to twice the recorded size and twice what the load needs, the recorded size included.
 *
 * @param {number} recordedSize
 * @param {number} needed connections in use on average
 */
export function choosePoolSizes(recordedSize, needed) {
  const largest = Math.max(MIN_LARGEST, 2 * recordedSize, 2 * needed);
  const end = SIZES.findIndex((size) => size >= largest);
  const sizes = end === -1 ? SIZES : SIZES.slice(0, end + 1);
  return [...new Set([...sizes, recordedSize])].sort((a, b) => a - b);
}
