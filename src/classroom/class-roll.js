import { randomInt } from 'node:crypto';
import { createToken } from '../http/controls-token.js';
import { clientError } from '../http/problem.js';

/**
 * @typedef {object} ClassLesson
 * @property {string} name
 * @property {string} title
 * @property {string} [question] of its guess
 * @property {string} [unit] of the guess
 * @property {string[]} tasks names of what can be checked in it, itself among them
 *
 * @typedef {object} Work of one learner on one task
 * @property {number} [guess]
 * @property {boolean} [verdict] the last one
 * @property {number} failed checks since the last that was right
 * @property {Figures} [figures] of the last check
 *
 * @typedef {import('./report-body.js').Figures} Figures
 * @typedef {{ id: string, name: string, progressAt: number, work: Record<string, Work> }} Learner progressAt: in ms since 1970,
 *   the last guess or right answer
 *
 * @typedef {object} ClassState what a restart needs
 * @property {string} code that learners join with
 * @property {string} startedAt ISO 8601
 * @property {string} current name of the lesson that is shown
 * @property {number} currentAt since when, in ms since 1970
 * @property {string[]} revealed names of lessons
 * @property {Learner[]} learners
 */

export const MOST_LEARNERS = 200;
/** Without those that look alike. */
const LETTERS = 'ABCDEFGHJKLMNPQRSTUVWXYZ23456789';
const CODE_LENGTH = 6;

/** @param {ClassLesson[]} lessons @returns {ClassState} */
export function openState(lessons) {
  return {
    code: Array.from({ length: CODE_LENGTH }, () => LETTERS[randomInt(LETTERS.length)]).join(''),
    startedAt: new Date().toISOString(), current: lessons[0].name, currentAt: Date.now(), revealed: [], learners: [],
  };
}

/**
 * Who is in the class, and what they have sent. It keeps the last guess and the last check of each task, so its size has a
 * limit.
 * @param {ClassState} state changes
 * @param {ClassLesson[]} lessons
 * @param {() => void} onChange
 */
export function createRoll(state, lessons, onChange) {
  const tasks = new Set(lessons.flatMap((lesson) => lesson.tasks));
  const learners = new Map(state.learners.map((learner) => [learner.id, learner]));

  /** @param {string} name @param {Set<string>} known */
  function requireKnown(name, known) {
    if (!known.has(name)) throw clientError(400, 'lesson must be the name of a lesson');
  }

  return {
    state,
    /** @param {string} name a second Ada becomes "Ada 2" @returns {Learner} */
    join(name) {
      if (state.learners.length >= MOST_LEARNERS) throw clientError(403, `the class is full: ${MOST_LEARNERS} learners`);
      const taken = new Set(state.learners.map((one) => one.name));
      let free = name;
      for (let number = 2; taken.has(free); number++) free = `${name} ${number}`;
      const learner = { id: createToken(), name: free, progressAt: Date.now(), work: {} };
      state.learners.push(learner);
      learners.set(learner.id, learner);
      onChange();
      return learner;
    },
    /**
     * @param {import('./report-body.js').ReportBody} report
     * @returns {Work}
     * @throws {Error} with a status, if the class does not know the learner or the lesson
     */
    note({ learner: id, lesson, guess, figures, verdict }) {
      const learner = learners.get(id);
      if (!learner) throw clientError(403, 'this class does not know you: join it again');
      requireKnown(lesson, tasks);
      const work = learner.work[lesson] ??= { failed: 0 };
      // Who has seen the answer no longer guesses.
      const isNews = guess !== undefined && guess !== work.guess && !state.revealed.includes(lesson);
      if (isNews) work.guess = guess;
      if (figures !== undefined) work.figures = figures;
      if (verdict !== undefined) Object.assign(work, { verdict, failed: verdict ? 0 : work.failed + 1 });
      if (isNews || verdict) learner.progressAt = Date.now();
      onChange();
      return work;
    },
    /** @param {string} lesson name */
    show(lesson) {
      requireKnown(lesson, new Set(lessons.map(({ name }) => name)));
      Object.assign(state, { current: lesson, currentAt: Date.now() });
      onChange();
    },
    /** Show what was measured, beside the guesses. */
    reveal() {
      if (!state.revealed.includes(state.current)) state.revealed.push(state.current);
      onChange();
    },
    /** @param {string} id */
    find: (id) => learners.get(id),
  };
}

/** @typedef {ReturnType<typeof createRoll>} Roll */
