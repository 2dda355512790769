// How right the answers are, by the rules of benchmarks/predicted-vs-measured/apps.js and goals.js. Measured is only
// what the benchmark measured, at five sizes.
import { isRight } from '../../benchmarks/doctor/cases.js';
import { FIGURES, MIN_REQUESTS, isClose, isFar } from '../../benchmarks/predicted-vs-measured/apps.js';
import { GOAL, goalMs } from '../../benchmarks/predicted-vs-measured/goals.js';
import { isAlike } from '../../benchmarks/predicted-vs-measured/measure-routes.js';
import { mean, median } from 'mongodb-pool-predictor/statistics';

/** @import { Answers, Measured, Recording } from './recordings.js' */
/** @import { MeasuredRoute } from '../../benchmarks/predicted-vs-measured/measure-routes.js' */

/** Figures whose errors are shown one by one. The last one is in no other count: of few requests it is chance. */
export const ALL_FIGURES = /** @type {const} */ ([...FIGURES, 'p99Ms']);

/**
 * A predicted figure of the requests of a route, beside the measured one.
 *
 * @typedef {object} Compared
 * @property {string} name of the recording
 * @property {number} poolSize
 * @property {string} route
 * @property {typeof ALL_FIGURES[number]} figure
 * @property {number} measuredMs
 * @property {number | null} predictedMs null: withheld
 * @property {number | null} lowMs the band that is shown, with or without a figure; null: none is
 * @property {number | null} highMs
 * @property {boolean} hasBand
 * @property {boolean} isInBand
 */

/**
 * Compares predicted figures with measured ones, at all sizes but the recorded one.
 *
 * @param {Recording} recording of a load
 * @param {Answers} answers
 * @returns {Compared[]}
 */
export function compareFigures({ name, measured: truth }, { predict }) {
  const { measured, isCpuBound } = /** @type {Measured} */ (truth);
  const recordedSize = recordedSizeOf(name);
  return Object.entries(measured).flatMap(([size, routes]) => {
    if (size === recordedSize || (!isCpuBound && !isAlike(measured[recordedSize], routes))) return [];
    const variant = predict.variants?.find((/** @type {any} */ { settings }) => settings.poolSize === Number(size));
    const { low, high, ...figures } = variant?.predicted ?? {};
    return listFigures(routes).map(({ route, figure, measuredMs }) => {
      const [ms, lowMs, highMs] = [figures, low, high].map((each) => each?.routes?.[route]?.[figure] ?? null);
      const hasBand = lowMs !== null && highMs !== null;
      return {
        ...{ name, poolSize: Number(size), route, figure, measuredMs, predictedMs: ms, lowMs, highMs, hasBand },
        isInBand: hasBand && measuredMs >= lowMs && measuredMs <= highMs,
      };
    });
  });
}

/**
 * The noise floor: the second measurement beside the first one, at all sizes, as if it were a prediction.
 *
 * @param {Pick<Recording, 'name' | 'measured'>} recording of a load
 * @returns {Compared[]}
 */
export function compareMeasurements({ name, measured: truth }) {
  const { measured, again = {}, isCpuBound } = /** @type {Measured} */ (truth);
  return Object.entries(again).flatMap(([size, routes]) => {
    if (!isCpuBound && !isAlike(measured[size], routes)) return [];
    return listFigures(measured[size]).map(({ route, figure, measuredMs }) => ({
      ...{ name, poolSize: Number(size), route, figure, measuredMs },
      ...{ lowMs: null, highMs: null, hasBand: false, isInBand: false },
      predictedMs: routes[route]?.[figure] ?? null,
    }));
  });
}

/** @param {Record<string, MeasuredRoute>} routes */
function listFigures(routes) {
  return Object.entries(routes)
    .filter(([, { count, failures }]) => count - failures >= MIN_REQUESTS)
    .flatMap(([route, of]) => ALL_FIGURES.map((figure) => ({ route, figure, measuredMs: of[figure] })));
}

/** @param {string} name of a recording */
function recordedSizeOf(name) {
  return String(name.match(/recorded-at-(\d+)$/)?.[1]);
}

/** @param {number} count @param {number} all */
const shareOf = (count, all) => Number(((100 * count) / all).toFixed(1));

/** How many are shown and right, by the rules of the benchmark. @param {Compared[]} compared */
export function summariseFigures(compared) {
  const all = compared.filter(({ figure }) => figure !== 'p99Ms');
  const shown = all.flatMap(({ predictedMs, ...rest }) => (predictedMs === null ? [] : { ...rest, predictedMs }));
  const bandsAlone = all.filter(({ predictedMs, hasBand }) => predictedMs === null && hasBand);
  const hold = (/** @type {{ isInBand: boolean }[]} */ some) => some.filter(({ isInBand }) => isInBand).length;
  return {
    figures: all.length,
    'shown, %': shareOf(shown.length, all.length),
    'within 15 % or 5 ms, %': shareOf(shown.filter(isClose).length, shown.length),
    'in band, %': shareOf(hold(shown), shown.filter(({ hasBand }) => hasBand).length),
    'off by × 2': shown.filter(isFar).length,
    'off by × 2, %': shareOf(shown.filter(isFar).length, shown.length),
    'bands alone': bandsAlone.length,
    'of these right, %': shareOf(hold(bandsAlone), bandsAlone.length),
  };
}

/** Each figure by itself, and its errors, where 5 ms do not excuse any. @param {Compared[]} compared */
export function listErrors(compared) {
  return ALL_FIGURES.map((name) => {
    const all = compared.filter(({ figure }) => figure === name);
    const shown = all.filter(({ predictedMs }) => predictedMs !== null);
    const errors = shown.map(
      ({ measuredMs, predictedMs }) => (100 * Math.abs(Number(predictedMs) - measuredMs)) / measuredMs,
    );
    const [meanError, medianError] = errors.length > 0 ? [mean(errors), median(errors)] : [NaN, NaN];
    return {
      figure: name.replace('Ms', ''),
      'shown, %': shareOf(shown.length, all.length),
      'mean error, %': Number(meanError.toFixed(1)),
      'median error, %': Number(medianError.toFixed(1)),
      'in band, %': shareOf(
        shown.filter(({ isInBand }) => isInBand).length,
        shown.filter(({ hasBand }) => hasBand).length,
      ),
    };
  });
}

/**
 * @typedef {object} AdviceJudgement
 * @property {'right' | 'false pass' | 'too large' | 'no size'} judgement right: no smaller measured size meets the
 *   goal. A smaller size that was not measured may.
 * @property {number} [by] too large: connections above the smallest measured size that meets the goal, at least so many
 *   too many
 */

/**
 * Judges an advised size by the sizes that were measured: a larger pool is taken to answer no later.
 *
 * @param {Recording} recording of a load
 * @param {Answers} answers
 * @returns {AdviceJudgement}
 */
export function judgeAdvice({ measured: truth }, { advise }) {
  const { goal, measured } = /** @type {Measured} */ (truth);
  if (advise.verdict !== 'size') return { judgement: 'no size' };
  const limitMs = Number(goal.match(/< (\d+) ms/)?.[1]);
  const sizes = Object.entries(measured).map(([size, routes]) => ({
    size: Number(size),
    isMet: goalMs(routes[GOAL.route]) < limitMs,
  }));
  const above = sizes.find(({ size }) => size >= advise.poolSize);
  if (above && !above.isMet) return { judgement: 'false pass' };
  const enough = sizes.find(({ size, isMet }) => size < advise.poolSize && isMet);
  return enough ? { judgement: 'too large', by: advise.poolSize - enough.size } : { judgement: 'right' };
}

/** @param {AdviceJudgement[]} judged */
export function summariseAdvice(judged) {
  const count = (/** @type {AdviceJudgement['judgement']} */ kind) =>
    judged.filter(({ judgement }) => judgement === kind).length;
  return {
    goals: judged.length,
    right: count('right'),
    'false pass': count('false pass'),
    'too large': count('too large'),
    'by 2 connections or more': judged.filter(({ by = 0 }) => by > 1).length,
    'no size': count('no size'),
  };
}

/**
 * The doctor's matrix: injected causes against verdicts.
 *
 * @param {{ recording: Recording, answers: Answers }[]} all
 */
export function tabulateVerdicts(all) {
  const rows = new Map();
  for (const { recording, answers } of all) {
    const cause = recording.injected ? recording.name.split('/')[1] : 'a load, no cause injected';
    const row = rows.get(cause) ?? { injected: cause, right: 0, wrong: 0, said: new Map() };
    rows.set(cause, row);
    const { verdict } = answers.doctor;
    const { injected } = recording;
    if (injected) row[isRight(verdict, injected) ? 'right' : 'wrong']++;
    const said = `${verdict.cause}${verdict.isProblem ? '' : ' (no problem)'}`;
    row.said.set(said, (row.said.get(said) ?? 0) + 1);
  }
  return [...rows.values()].map(({ said, ...row }) => ({
    ...row,
    said: [...said].map(([name, count]) => (count > 1 ? `${count} x ${name}` : name)).join(', '),
  }));
}
