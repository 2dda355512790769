/** @import { Guess, Task, Verdict } from './lesson-types.js' */

/** A chart of the room needs no more. */
export const MAX_POINTS = 20;

/**
 * What a learner's laptop sends to the class. Nothing else leaves the laptop, and no result file does.
 *
 * @typedef {object} Report
 * @property {string} lesson name
 * @property {number} [guess] in the unit of the lesson's question
 * @property {LearnerFigures} [figures]
 * @property {boolean} [verdict] whether the check said right
 * @property {number} [hint] the number of a hint that was read
 *
 * @typedef {object} LearnerFigures
 * @property {number | null} measured what the guess was about, in the same unit
 * @property {[poolSize: number, slowestMs: number][]} points one per measured pool size, where the lesson measures
 *   several
 */

/** @param {Task} task @param {Guess | undefined} guess @param {Verdict} verdict @returns {Report} */
export function createReport({ name }, guess, { isRight, truth, runs = [] }) {
  const points = runs.flatMap(({ variants }) =>
    variants.flatMap(({ settings, measured }) =>
      Number.isFinite(settings?.poolSize) && Number.isFinite(measured?.maxMs)
        ? [/** @type {[number, number]} */ ([settings.poolSize, measured?.maxMs])]
        : [],
    ),
  );
  return {
    lesson: name,
    ...(guess && { guess: guess.value }),
    verdict: isRight,
    figures: { measured: Number.isFinite(truth) ? Number(truth) : null, points: points.slice(0, MAX_POINTS) },
  };
}
