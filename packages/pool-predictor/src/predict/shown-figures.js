import { groupBy } from '../base/group-by.js';

/** @import { CodedFinding } from '../base/finding.js' */
/** @import { PredictedFigures } from '../runs/run-figures.js' */
/** @import { Trust } from './trust.js' */

const TIMES = /** @type {const} */ (['p50Ms', 'p95Ms', 'p99Ms', 'maxMs', 'meanMs']);

/**
 * A predicted figure, as it may be shown.
 *
 * @typedef {object} ShownFigure
 * @property {number} ms NaN where it is hidden
 * @property {number | undefined} lowMs its band; undefined where there is none, NaN where it is hidden, too
 * @property {number | undefined} highMs
 * @property {CodedFinding | null} reason why it is hidden. A band that is too wide may be seen, because it is the
 *   reason
 *
 * @typedef {{ settings: { poolSize: number }, predicted: PredictedFigures }} SizeFigures
 */

/**
 * Every figure that is shown comes from here.
 *
 * @param {Pick<Trust, 'reasonToHide'>} trust
 * @param {SizeFigures} variant
 * @param {typeof TIMES[number] | 'meanWaitMs'} name
 * @param {string} [route] default: a figure of all routes
 * @returns {ShownFigure}
 */
export function readFigure(trust, { settings: { poolSize }, predicted }, name, route) {
  const [ms, lowMs, highMs] = [predicted, predicted.low, predicted.high].map(
    (figures) => /** @type {any} */ (route === undefined ? figures : figures?.routes[route])?.[name],
  );
  const reason = trust.reasonToHide({ poolSize, ms, lowMs, highMs });
  if (reason === null || reason.code === 'wideBand') return { ms: reason === null ? ms : NaN, lowMs, highMs, reason };
  return { ms: NaN, lowMs: NaN, highMs: NaN, reason };
}

/**
 * Why times of routes are hidden, or numbers of failures.
 *
 * @typedef {object} HiddenFigures
 * @property {CodedFinding} reason
 * @property {number[]} poolSizes
 * @property {boolean} isAll whether these sizes have no time at all
 */

/**
 * Leaves out the figures of sizes that are uncertain.
 *
 * @template {SizeFigures} V
 * @param {Pick<Trust, 'reasonToHide' | 'whyUnknownFailures'>} trust
 * @param {V[]} variants
 * @returns {{ variants: V[], hidden: HiddenFigures[] }} hidden: see groupHidden
 */
export function hideUncertain(trust, variants) {
  /** @type {HiddenFigures[]} */
  const hidden = [];
  const copies = variants.map((variant) => {
    const {
      predicted,
      settings: { poolSize },
    } = variant;
    const { low, high } = predicted;
    const copy = structuredClone({ ...predicted, low, high });
    /** @param {typeof TIMES[number] | 'meanWaitMs'} name @param {string} [route] */
    const hide = (name, route) => {
      const { reason, ...figure } = readFigure(trust, variant, name, route);
      if (reason === null) return null;
      for (const [figures, ms] of /** @type {const} */ ([
        [copy, figure.ms],
        [copy.low, figure.lowMs],
        [copy.high, figure.highMs],
      ])) {
        const place = /** @type {any} */ (route === undefined ? figures : figures?.routes[route]);
        if (!place) continue;
        place[name] = ms;
        // The same time with those that failed.
        if (place.all && name in place.all) place.all[name] = ms;
      }
      return reason;
    };
    const reasons = Object.keys(predicted.routes).flatMap((route) => TIMES.map((name) => hide(name, route)));
    hide('meanWaitMs');
    const isAll = !reasons.includes(null);
    for (const reason of new Map(reasons.map((each) => [each?.code, each])).values())
      if (reason) hidden.push({ reason, poolSizes: [poolSize], isAll });
    const why = trust.whyUnknownFailures(poolSize, predicted);
    if (why) {
      hidden.push({ reason: why, poolSizes: [poolSize], isAll: false });
      for (const figures of [copy, copy.low, copy.high])
        for (const counts of figures ? [figures, ...Object.values(figures.routes)] : []) counts.failures = NaN;
    }
    return { ...variant, predicted: copy };
  });
  return { variants: copies, hidden: groupHidden(hidden) };
}

/** @param {HiddenFigures[]} hidden @returns {HiddenFigures[]} one for each reason and `isAll`, with all their sizes */
export function groupHidden(hidden) {
  const groups = groupBy(hidden, ({ reason, isAll }) => `${reason.code} ${isAll}`);
  return Array.from(groups.values(), (own) => ({ ...own[0], poolSizes: own.flatMap(({ poolSizes }) => poolSizes) }));
}
