// How right the answers are, by the rules of benchmarks/predicted-vs-measured/apps.js and goals.js. Measured is only
// what the benchmark measured, at five sizes.
import { isRight } from '../../benchmarks/doctor/cases.js';
import {
  FIGURES,
  MIN_REQUESTS,
  differs,
  isClose,
  isFar,
  isUseAlike,
} from '../../benchmarks/predicted-vs-measured/apps.js';
import { GOAL } from '../../benchmarks/predicted-vs-measured/goals.js';
import { mean, median } from 'mongodb-pool-predictor/statistics';

/** @import { Answers, Measured, Recording } from './recordings.js' */

/**
 * A predicted figure of the requests of a route, beside the measured one.
 *
 * @typedef {object} Compared
 * @property {string} name of the recording
 * @property {number} poolSize
 * @property {string} route
 * @property {string} figure
 * @property {number} measuredMs
 * @property {number | null} predictedMs null: withheld
 * @property {boolean} isInBand
 */

/**
 * Compares predicted figures with measured ones, at all sizes but the recorded one. Where a recording leaves two
 * readings that differ, no figure is shown.
 *
 * @param {Recording} recording of a load
 * @param {Answers} answers
 * @returns {Compared[]}
 */
export function compareFigures({ name, measured: truth }, { predict }) {
  const { measured, isCpuBound } = /** @type {Measured} */ (truth);
  const recordedSize = recordedSizeOf(name);
  return Object.entries(measured).flatMap(([size, routes]) => {
    if (size === recordedSize || (!isCpuBound && !isUseAlike(usesOf(measured[recordedSize]), usesOf(routes))))
      return [];
    const [predicted, closedReading] = [predict.variants, predict.closedReading?.variants].map(
      (variants) => variants?.find((/** @type {any} */ { settings }) => settings.poolSize === Number(size))?.predicted,
    );
    return Object.entries(routes)
      .filter(([, { count }]) => count >= MIN_REQUESTS)
      .flatMap(([route, of]) =>
        FIGURES.map((figure) => {
          const [ms, lowMs, highMs] = [predicted, predicted?.low, predicted?.high].map(
            (each) => each?.routes[route]?.[figure],
          );
          const otherMs = closedReading ? closedReading.routes[route]?.[figure] : ms;
          const isShown = typeof ms === 'number' && typeof otherMs === 'number' && !differs(otherMs, ms);
          return {
            ...{ name, poolSize: Number(size), route, figure, measuredMs: of[figure] },
            predictedMs: isShown ? ms : null,
            isInBand: of[figure] >= lowMs && of[figure] <= highMs,
          };
        }),
      );
  });
}

/** @param {string} name of a recording */
function recordedSizeOf(name) {
  return String(name.match(/recorded-at-(\d+)$/)?.[1]);
}

/** @param {Measured['measured'][string]} routes */
function usesOf(routes) {
  return Object.fromEntries(Object.entries(routes).map(([route, { useMs }]) => [route, useMs]));
}

/** @param {Compared[]} compared */
export function summariseFigures(compared) {
  const shown = compared.flatMap(({ predictedMs, ...rest }) => (predictedMs === null ? [] : { ...rest, predictedMs }));
  const errors = shown.map(({ measuredMs, predictedMs }) => (100 * Math.abs(predictedMs - measuredMs)) / measuredMs);
  const share = (/** @type {number} */ count, /** @type {number} */ all) => Number(((100 * count) / all).toFixed(1));
  return {
    figures: compared.length,
    'shown, %': share(shown.length, compared.length),
    'within 15 % or 5 ms, %': share(shown.filter(isClose).length, shown.length),
    'mean error, %': Number(mean(errors).toFixed(1)),
    'median error, %': Number(median(errors).toFixed(1)),
    'in band, %': share(shown.filter(({ isInBand }) => isInBand).length, shown.length),
    'off by × 2': shown.filter(isFar).length,
  };
}

/**
 * Judges an advised size by the sizes that were measured: a larger pool is taken to answer no later.
 *
 * @param {Recording} recording of a load
 * @param {Answers} answers
 * @returns {'right' | 'false pass' | 'too large' | 'no size'} too large: a smaller size met the goal
 */
export function judgeAdvice({ measured: truth }, { advise }) {
  const { goal, measured } = /** @type {Measured} */ (truth);
  if (advise.verdict !== 'size') return 'no size';
  const limitMs = Number(goal.match(/< (\d+) ms/)?.[1]);
  const meets = Object.entries(measured).map(([size, routes]) => ({
    size: Number(size),
    isMet: routes[GOAL.route][GOAL.figure] < limitMs,
  }));
  const above = meets.find(({ size }) => size >= advise.poolSize);
  if (above && !above.isMet) return 'false pass';
  return meets.some(({ size, isMet }) => size < advise.poolSize && isMet) ? 'too large' : 'right';
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
