import { caseOf, listPresent, publicName } from './class-roll.js';
import { describeLesson } from './lesson-view.js';

/** @import { ClassLesson, ClassState, Learner } from './class-roll.js' */
/** @import { LessonView } from './lesson-view.js' */

/** A learner with this many failed checks in a row is stuck. */
const MAX_FAILURES = 3;

/**
 * @typedef {object} PersonView
 * @property {string} name
 * @property {string} shownAs the name that others see
 * @property {'stuck' | 'working' | 'guessed' | 'done'} state
 * @property {string} why
 * @property {boolean} onPhone see Learner
 * @property {number} done lessons
 * @property {string[]} solved cases
 * @property {number} hint the last one that was read in this lesson or its case; 0: none
 * @property {number} [points] for the guess of this lesson, once it is revealed
 * @property {number} [allPoints] for the guesses of all lessons that are revealed
 *
 * @typedef {object} RoomView
 * @property {string} [at] where learners reach the class
 * @property {string} code
 * @property {LessonView} lesson
 * @property {{ name: string, number: number, title: string, done: number, case?: string, solved: number }[]} lessons
 *   done: learners; solved: learners who solved its case
 * @property {PersonView[]} people those who are stuck first, then those with most points
 * @property {boolean} asksFirst see ClassState
 * @property {string[]} waiting names of those who want to be let in
 */

/**
 * Describes what the projector shows.
 * @param {ClassState} state
 * @param {ClassLesson[]} lessons
 * @param {{ now: number, stuckAfterMs: number }} options now: in ms since 1970
 * @returns {RoomView}
 */
export function describeRoom(state, lessons, { now, stuckAfterMs }) {
  const learners = listPresent(state);
  const order = ['stuck', 'working', 'guessed', 'done'];
  const revealed = lessons.filter(({ name }) => state.revealed.includes(name));
  const views = revealed.map(({ name }) => describeLesson(state, lessons, name));
  return {
    code: state.code,
    asksFirst: Boolean(state.asksFirst),
    waiting: state.learners.filter(({ waits }) => waits).map(({ name }) => name),
    lesson: describeLesson(state, lessons, state.current),
    lessons: lessons.map((lesson, index) => ({
      name: lesson.name,
      title: lesson.title,
      number: index + 1,
      case: caseOf(lesson),
      done: countDone(learners, lesson.name),
      solved: countDone(learners, caseOf(lesson)),
    })),
    people: learners
      .map((learner) => ({
        ...describePerson(learner, lessons, state, { now, stuckAfterMs }),
        ...countPoints(learner, views, state.current),
      }))
      .toSorted(
        (a, b) =>
          order.indexOf(a.state) - order.indexOf(b.state) ||
          Number(b.allPoints ?? 0) - Number(a.allPoints ?? 0) ||
          a.name.localeCompare(b.name),
      ),
  };
}

/** @param {Learner[]} learners @param {string} [task] */
function countDone(learners, task = '') {
  return learners.filter(({ work }) => work[task]?.verdict).length;
}

/** @param {Learner} learner @param {LessonView[]} views of the lessons that are revealed @param {string} current */
function countPoints(learner, views, current) {
  const scores = scoreLearner(learner, views);
  const given = scores.filter((score) => score !== undefined);
  return {
    points: scores[views.findIndex(({ name }) => name === current)],
    allPoints: given.length > 0 ? given.reduce((sum, score) => sum + score, 0) : undefined,
  };
}

/**
 * Describes a learner by the case of the current lesson, once a check of it or a hint has come, else by the lesson.
 * @param {Learner} learner
 * @param {ClassLesson[]} lessons
 * @param {ClassState} state
 * @param {{ now: number, stuckAfterMs: number }} options
 * @returns {PersonView}
 */
function describePerson(learner, lessons, { current, currentAt, revealed }, { now, stuckAfterMs }) {
  const { name, work, progressAt, onPhone = false } = learner;
  const isDone = (/** @type {string} */ task) => work[task]?.verdict;
  const cases = lessons.flatMap((lesson) => caseOf(lesson) ?? []);
  const ownCase = lessons.filter(({ name: lesson }) => lesson === current).map(caseOf)[0] ?? current;
  const { verdict, failed = 0, guess, hint = 0 } = work[ownCase] ?? work[current] ?? {};
  const idleMs = now - Math.max(progressAt, currentAt);
  const who = {
    name,
    shownAs: publicName(learner),
    onPhone,
    done: lessons.filter((lesson) => isDone(lesson.name)).length,
    solved: cases.filter(isDone),
    hint,
  };
  if (verdict) return { ...who, state: 'done', why: '' };
  if (failed >= MAX_FAILURES) return { ...who, state: 'stuck', why: `${failed} checks failed` };
  // Nothing is left to do on a phone after the guess, or the reveal.
  const isThrough = onPhone && (guess !== undefined || revealed.includes(current));
  if (idleMs >= stuckAfterMs && !isThrough) {
    return { ...who, state: 'stuck', why: `no progress for ${Math.floor(idleMs / 60_000)} min` };
  }
  return { ...who, state: guess === undefined ? 'working' : 'guessed', why: '' };
}

/**
 * The points of a learner's guesses.
 * @param {Learner} learner
 * @param {LessonView[]} views of the lessons, revealed
 * @returns {(number | undefined)[]} by lesson; undefined where the learner did not guess or no answer is known
 */
export function scoreLearner({ work }, views) {
  return views.map(({ name, results }) => results.find(({ guess }) => guess === work[name]?.guess)?.points);
}
