import { randomInt } from 'node:crypto';
import { createToken } from '../../../src/base/random-token.js';
import { clientError } from '../../../src/http/problem.js';
import { keysOfName } from './name-keys.js';

/** @import { LearnerFigures, Report } from '../class-report.js' */
/** @import { SimulatedAnswer } from '../simulate-answer.js' */

/**
 * @typedef {object} ClassLesson
 * @property {string} name
 * @property {string} title
 * @property {string} [question] of its guess
 * @property {string} [unit] of the guess
 * @property {boolean} [isCount] of the guess, see Question
 * @property {string} [why] the reason for the answer
 * @property {SimulatedAnswer} [replay] the answer in a tunnel
 * @property {number} [answer] calculated, where the words of the question are enough
 * @property {{ question: string, unit: string }} [asks] what its check asks
 * @property {string[]} tasks names of what can be checked in it, itself among them
 *
 * @typedef {object} TaskRecord what a learner has sent about a task
 * @property {number} [guess]
 * @property {boolean} [verdict] the last one
 * @property {number} failed checks since the last that was right
 * @property {LearnerFigures} [figures] of the last check
 * @property {number} [hint] the last one that was read
 *
 * @typedef {object} Learner
 * @property {string} id
 * @property {string} name
 * @property {boolean} [waits] to be let in: until then nobody sees the name or what came with it
 * @property {boolean} [onPhone] joined from the learners' page, where one can guess but not measure
 * @property {boolean} [isHidden] whether others see "A learner" instead of the name
 * @property {number} progressAt the last guess or right answer, in ms since 1970
 * @property {Record<string, TaskRecord>} work by task
 *
 * @typedef {object} ClassState what a restart needs
 * @property {string} code that learners join with
 * @property {string} startedAt ISO 8601
 * @property {string} current name of the lesson that is shown
 * @property {number} currentAt since when, in ms since 1970
 * @property {string[]} revealed names of lessons
 * @property {boolean} [asksFirst] whether new learners wait until the teacher lets them in
 * @property {Learner[]} learners
 */

export const MAX_LEARNERS = 200;
/** Without letters and digits that look alike. */
const LETTERS = 'ABCDEFGHJKLMNPQRSTUVWXYZ23456789';
const CODE_LENGTH = 6;
/** The teacher is no learner, whatever number follows. */
const OF_TEACHER = /^(?:the )?teacher[ lo\d]*$/;

/** The learners in the room. @param {ClassState} state */
export function listPresent({ learners }) {
  return learners.filter(({ waits }) => !waits);
}

/** @param {Learner} learner @returns {string} the name that others see */
export function publicName({ name, isHidden }) {
  return isHidden ? 'A learner' : name;
}

/** The name of the case that follows a lesson. @param {ClassLesson} lesson */
export function caseOf({ tasks }) {
  return tasks.find((name) => name.startsWith('case-'));
}

/** @param {ClassLesson[]} lessons @returns {ClassState} */
export function openState(lessons) {
  return {
    code: Array.from({ length: CODE_LENGTH }, () => LETTERS[randomInt(LETTERS.length)]).join(''),
    startedAt: new Date().toISOString(),
    current: lessons[0].name,
    currentAt: Date.now(),
    revealed: [],
    learners: [],
  };
}

/**
 * Keeps who is in the class and what they have sent. Only the last guess and the last check of each task are kept,
 * which limits its size.
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

  /** @param {string} name @throws {Error} with status 404 */
  function findByName(name) {
    const learner = state.learners.find((one) => one.name === name);
    if (!learner) throw clientError(404, 'nobody in the class has this name');
    return learner;
  }

  /** @param {string} name @param {Partial<Learner>} changes */
  function changeLearner(name, changes) {
    Object.assign(findByName(name), changes);
    onChange();
  }

  return {
    state,
    /**
     * @param {string} name of the learner; a second Ada becomes "Ada 2", and so does one whose name looks like it
     * @param {boolean} [onPhone] see Learner
     * @returns {Learner}
     * @throws {Error} with a status, if the class is full, or the name is the teacher's
     */
    join(name, onPhone) {
      if (state.learners.length >= MAX_LEARNERS) throw clientError(403, `the class is full: ${MAX_LEARNERS} learners`);
      if (keysOfName(name).some((key) => OF_TEACHER.test(key)))
        throw clientError(400, `the name ${name} is taken: choose another one`);
      const taken = new Set(state.learners.flatMap((one) => keysOfName(one.name)));
      const isTaken = (/** @type {string} */ one) => keysOfName(one).some((key) => taken.has(key));
      let free = name;
      for (let number = 2; isTaken(free); number++) free = `${name} ${number}`;
      /** @type {Learner} */
      const learner = {
        id: createToken(),
        name: free,
        waits: state.asksFirst,
        onPhone,
        progressAt: Date.now(),
        work: {},
      };
      state.learners.push(learner);
      learners.set(learner.id, learner);
      onChange();
      return learner;
    },
    /**
     * @param {Report & { learner: string }} report
     * @returns {TaskRecord}
     * @throws {Error} with a status, if the class does not know the learner or the lesson
     */
    note({ learner: id, lesson, guess, figures, verdict, hint }) {
      const learner = learners.get(id);
      if (!learner) throw clientError(403, 'this class does not know you: join it again');
      requireKnown(lesson, tasks);
      const work = (learner.work[lesson] ??= { failed: 0 });
      // A guess made after the reveal, or after the learner's own measurement, does not count.
      const isKnown = state.revealed.includes(lesson) || Number.isFinite(work.figures?.measured);
      const isNews = guess !== undefined && guess !== work.guess && !isKnown;
      if (isNews) work.guess = guess;
      if (figures !== undefined) work.figures = figures;
      if (hint !== undefined) work.hint = Math.max(hint, work.hint ?? 0);
      if (verdict !== undefined) Object.assign(work, { verdict, failed: verdict ? 0 : work.failed + 1 });
      if (isNews || verdict) learner.progressAt = Date.now();
      onChange();
      return work;
    },
    /** @param {boolean} asksFirst see ClassState */
    setDoor(asksFirst) {
      state.asksFirst = asksFirst;
      onChange();
    },
    /** Lets somebody in. @param {string} name */
    admit: (name) => changeLearner(name, { waits: false }),
    /** @param {string} name */
    hide: (name) => changeLearner(name, { isHidden: true }),
    /** @param {string} name */
    unhide: (name) => changeLearner(name, { isHidden: false }),
    /** Forgets a learner, and all that came from there. @param {string} name */
    remove(name) {
      const learner = findByName(name);
      state.learners.splice(state.learners.indexOf(learner), 1);
      learners.delete(learner.id);
      onChange();
    },
    /** @param {string} lesson name */
    show(lesson) {
      requireKnown(lesson, new Set(lessons.map(({ name }) => name)));
      Object.assign(state, { current: lesson, currentAt: Date.now() });
      onChange();
    },
    /** Shows the answer, and the measurements beside the guesses. */
    reveal() {
      if (!state.revealed.includes(state.current)) state.revealed.push(state.current);
      onChange();
    },
    /** @param {string} id */
    find: (id) => learners.get(id),
  };
}

/** @typedef {ReturnType<typeof createRoll>} Roll */
