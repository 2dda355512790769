import { COMMON } from '../assumptions/common-assumptions.js';
import { sum } from '../base/sample-statistics.js';
import { listWaiting } from '../trace/open-checkouts.js';
import { OUTCOMES } from '../reading/recorded-trace.js';
import { meansByRoute, summariseTrace } from '../trace/trace.js';
import { poolOfApp } from './pool-settings.js';
import { predict } from './predict.js';
import { openRecording } from './recording.js';
import { MIN_FOR_PERCENTILES } from './size-comparison.js';
import { readFigure } from './shown-figures.js';
import { judgeTrust } from './trust.js';
import { choosePoolSizes, isSame } from './what-if-sizes.js';

/** @import { RecordedTrace } from '../reading/recorded-trace.js' */
/** @import { CodedFinding } from '../base/finding.js' */
/** @import { BestGuess } from './size-comparison.js' */
/** @import { ShownFigure } from './shown-figures.js' */

/**
 * What pools of other sizes would have done to a recording.
 *
 * @typedef {object} WhatIf
 * @property {number} recordedSize NaN where the pool had no limit, or the recording does not say
 * @property {number[]} poolSizes ascending; none if there is a doubt
 * @property {BestGuess | null} best the same as that of `predict`, for these sizes; null if there is a doubt
 * @property {number[]} failures requests that fail, one for each size; NaN where that is unknown
 * @property {CodedFinding | null} unknownFailures why it is
 * @property {Record<string, WhatIfRoute>} routes
 * @property {CodedFinding | null} doubt why no size has figures
 * @property {boolean} isOpen requests waited when the recording ended, so what was measured is a lower bound
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
  const { trace, load, picked, overhead, settings } = openRecording([recorded]);
  const trust = judgeTrust({ trace, load }, null);
  const { recordedSize } = trust;
  const pool = recorded.pools.indexOf(picked.pool);
  const isOpen = listWaiting(recorded).some((row) => recorded.checkouts.poolOf[row] === pool);
  const { requests, failures, routes: measured } = summariseTrace(trace);
  const nothing = { recordedSize, poolSizes: [], best: null, failures: [], unknownFailures: null, routes: {}, isOpen };
  const findDoubt = () => {
    if (trust.refusal) return trust.refusal;
    if (trace.header.maxPoolSize === 0) return /** @type {const} */ ({ code: 'unlimitedPool', figures: {} });
    if (!(recordedSize > 0)) return /** @type {const} */ ({ code: 'unknownSize', figures: {} });
    if (requests < COMMON.minRequests) return /** @type {const} */ ({ code: 'fewRequests', figures: {} });
    return null;
  };
  const doubt = findDoubt();
  if (doubt) return { ...nothing, doubt };
  const meansMs = meansByRoute(trace, trace.useMs);
  const usedMs = sum(Array.from(trace.useMs)) + sum((trace.waiting ?? []).map(({ route }) => meansMs[route]));
  const needed = (usedMs / load.durationMs) * (requests / (requests - failures));
  const poolSizes = choosePoolSizes(recordedSize, needed);
  const { services } = load;
  const poolOf = (/** @type {number} */ poolSize) => poolOfApp({ ...settings, poolSize });
  const { variants, load: facts } = await predict({ load, poolSizes, services, overhead, poolOf, widen: trust.widen });
  const figureOf = (/** @type {string} */ route) =>
    [
      measured[route].count - measured[route].failures,
      ...variants.map((each) => each.predicted.routes[route].count),
    ].every((count) => count >= MIN_FOR_PERCENTILES)
      ? /** @type {const} */ ('p95Ms')
      : /** @type {const} */ ('maxMs');
  const routes = Object.fromEntries(
    Object.keys(measured)
      // With few connections, callers who wait for their answers may never get to a rare route.
      .filter((route) => variants.every((each) => each.predicted.routes[route]))
      .map((route) => {
        const figure = figureOf(route);
        const measuredMs = measured[route][figure];
        const predicted = variants.map((variant) => {
          const each = readFigure(trust, variant, figure, route);
          return { ...each, isSame: isSame(each.ms, measuredMs) };
        });
        return [route, { count: measured[route].count, figure, measuredMs, predicted }];
      }),
  );
  const failing = variants.map((variant) => variant.predicted.failures);
  const unknown = variants.map((variant) => trust.whyUnknownFailures(variant.settings.poolSize, variant.predicted));
  return {
    ...nothing,
    poolSizes,
    best: facts.best,
    failures: failing.map((count, index) => (unknown[index] ? NaN : count)),
    unknownFailures: unknown.find((why) => why) ?? null,
    routes,
    doubt: null,
  };
}
