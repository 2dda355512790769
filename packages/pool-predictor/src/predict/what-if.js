import { sum } from '../base/sample-statistics.js';
import { listWaiting } from '../trace/open-checkouts.js';
import { OUTCOMES } from '../reading/recorded-trace.js';
import { meansByRoute, summariseTrace } from '../trace/trace.js';
import { poolOfApp } from './pool-settings.js';
import { predict } from './predict.js';
import { checkRecording, openRecording } from './recording.js';
import { MIN_FOR_PERCENTILES } from './size-comparison.js';
import { readFigure } from './shown-figures.js';
import { describeCheck, judgeTrust } from './trust.js';
import { choosePoolSizes, findEnough, isSame } from './what-if-sizes.js';

/** @import { TraceLoad } from '../load/trace-load.js' */
/** @import { PredictedVariant } from './predict.js' */
/** @import { RecordedTrace } from '../reading/recorded-trace.js' */
/** @import { TraceCheck } from './check-trace.js' */
/** @import { Recording } from './recording.js' */
/** @import { CallersCode, CodedFinding } from '../base/finding.js' */
/** @import { ShownFigure } from './shown-figures.js' */
/** @import { Trust } from './trust.js' */

/**
 * What pools of other sizes would have done to a recording.
 *
 * @typedef {object} WhatIf
 * @property {number} recordedSize NaN where the pool had no limit, or the recording does not say
 * @property {number[]} poolSizes ascending; those without figures are left out
 * @property {number} enough index of the smallest size with figures that larger ones do not better
 * @property {number[]} failures requests that fail, one for each size; NaN where that is unknown
 * @property {CodedFinding | null} unknownFailures why it is
 * @property {Record<string, WhatIfRoute>} routes
 * @property {CodedFinding | null} doubt why sizes have no figures. It may concern only some sizes: those at which it
 *   matters who waits for answers, and those at which the server, or the app's event loop, would have more to do
 * @property {boolean} isOpen requests waited when the recording ended, so what was measured is a lower bound
 * @property {TraceCheck} check
 *
 * @typedef {object} WhatIfRoute
 * @property {number} count requests that were recorded
 * @property {'p95Ms' | 'maxMs'} figure below 20 requests, the maximum
 * @property {number} measuredMs when it was recorded
 * @property {(ShownFigure & { isSame: boolean })[]} predicted one for each size; isSame: about what was measured
 */

const SUCCEEDED = OUTCOMES.indexOf('checkedIn');
/**
 * Predicts p95 and failures at other pool sizes, from a recording. The figures are those of `pool-lab predict`; where
 * that would not rely on them, there are none.
 *
 * @param {RecordedTrace} recorded
 * @returns {Promise<WhatIf | null>} null if no checkout that got a connection has ended
 */
export async function predictWhatIf(recorded) {
  if (!recorded.checkouts.outcomeOf.includes(SUCCEEDED)) return null;
  const recording = openRecording([recorded]);
  const { trace, load, picked } = recording;
  const check = await checkRecording(recording);
  const trust = judgeTrust({ trace, load }, check);
  const { recordedSize, refusal, refusalAt } = trust;
  const pool = recorded.pools.indexOf(picked.pool);
  const isOpen = listWaiting(recorded).some((row) => recorded.checkouts.poolOf[row] === pool);
  const nothing = {
    recordedSize,
    poolSizes: [],
    enough: 0,
    failures: [],
    unknownFailures: null,
    routes: {},
    isOpen,
    check,
  };
  if (refusalAt(recordedSize)) return { ...nothing, doubt: refusal };
  if (check.status === 'notChecked') return { ...nothing, doubt: describeCheck(check) };
  const { requests, failures, routes: measured } = summariseTrace(trace);
  const meansMs = meansByRoute(trace, trace.useMs);
  const usedMs = sum(Array.from(trace.useMs)) + sum((trace.waiting ?? []).map(({ route }) => meansMs[route]));
  const needed = (usedMs / load.durationMs) * (requests / (requests - failures));
  const sizes = choosePoolSizes(recordedSize, needed).filter((size) => !refusalAt(size));
  const all = await predictSizes(recording, load, sizes, trust);
  const busy = all.map((variant) => findBusy(trust, variant));
  const predicted = all.filter((_, index) => !busy[index]);
  const known = predicted.map(({ settings }) => settings.poolSize);
  const figureOf = (/** @type {string} */ route) =>
    [
      measured[route].count - measured[route].failures,
      ...predicted.map((each) => each.predicted.routes[route].count),
    ].every((count) => count >= MIN_FOR_PERCENTILES)
      ? /** @type {const} */ ('p95Ms')
      : /** @type {const} */ ('maxMs');
  const others = load.closedReading ? await predictSizes(recording, load.closedReading, known, trust) : predicted;
  // With few connections, callers who wait for their answers may never get to a rare route.
  const figures = Object.keys(measured)
    .filter((route) => [...predicted, ...others].every((each) => each.predicted.routes[route]))
    .map((route) => /** @type {const} */ ([route, figureOf(route)]));
  const kept = predicted.filter(({ predicted: { routes } }, index) =>
    figures.every(([route, figure]) => isSame(others[index].predicted.routes[route][figure], routes[route][figure])),
  );
  const code = /** @type {CallersCode} */ (load.callers.doubt);
  const unclear = kept.length < known.length ? { code, figures: load.callers } : null;
  if (kept.length === 0) return { ...nothing, doubt: unclear ?? refusal };
  const routes = Object.fromEntries(
    figures.map(([route, figure]) => {
      const measuredMs = measured[route][figure];
      const shown = kept.map((variant) => {
        const each = readFigure(trust, variant, figure, route);
        return { ...each, isSame: isSame(each.ms, measuredMs) };
      });
      return [route, { count: measured[route].count, figure, measuredMs, predicted: shown }];
    }),
  );
  const failing = kept.map((variant) => variant.predicted.failures);
  const unknown = kept.map(({ settings, predicted: figures }) => trust.whyUnknownFailures(settings.poolSize, figures));
  // A figure that may be longer than what was measured is not known to be better.
  const likelyMs = figures.map(([route, figure]) =>
    kept.map(({ predicted: { routes: all } }, index) => {
      const { ms, highMs = NaN } = routes[route].predicted[index];
      return Number.isNaN(ms) && highMs > routes[route].measuredMs ? highMs : all[route][figure];
    }),
  );
  return {
    ...nothing,
    poolSizes: kept.map(({ settings }) => settings.poolSize),
    enough: findEnough(failing, likelyMs),
    failures: failing.map((count, index) => (unknown[index] ? NaN : count)),
    unknownFailures: unknown.find((why) => why) ?? null,
    routes,
    doubt: unclear ?? busy.find((reason) => reason) ?? refusal,
  };
}

/**
 * Why the whole load of a size is uncertain.
 * @param {Trust} trust
 * @param {PredictedVariant} variant
 */
function findBusy(trust, variant) {
  const reasons = Object.keys(variant.predicted.routes).map(
    (route) => readFigure(trust, variant, 'p95Ms', route).reason,
  );
  return reasons.find((reason) => reason?.code === 'busyServer' || reason?.code === 'busyLoop');
}

/**
 * @param {Recording} recording
 * @param {TraceLoad} load one reading of it
 * @param {number[]} poolSizes
 * @param {Trust} trust
 * @returns {Promise<PredictedVariant[]>}
 */
async function predictSizes({ load: { services }, overhead, settings }, load, poolSizes, { widen }) {
  const { variants } = await predict({
    load,
    poolSizes,
    services,
    overhead,
    poolOf: (poolSize) => poolOfApp({ ...settings, poolSize }),
    widen,
  });
  return variants;
}
