/** @import { ClassLesson, ClassState, Learner } from './class-roll.js' */

/** So many checks in a row that said "not yet" mean that a learner is stuck. */
const MANY_FAILURES = 3;

/**
 * @typedef {object} LessonView the lesson that the room works on, without names
 * @property {string} name
 * @property {number} number
 * @property {string} title
 * @property {string} [question]
 * @property {string} [unit]
 * @property {boolean} isRevealed
 * @property {number} guessed how many learners have
 * @property {number} checked how many have measured it
 * @property {number[]} guesses
 * @property {number[]} measured empty until the reveal
 * @property {[poolSize: number, slowestMs: number][]} points of all learners; empty until the reveal
 *
 * @typedef {{ name: string, state: 'stuck' | 'working' | 'guessed' | 'done', why: string, done: number }} PersonView done: lessons
 *
 * @typedef {object} RoomView
 * @property {string} [at] where learners reach the class
 * @property {string} code
 * @property {LessonView} lesson
 * @property {{ name: string, number: number, title: string, done: number }[]} lessons done: learners
 * @property {PersonView[]} people those who are stuck first
 */

/**
 * What the projector shows.
 * @param {ClassState} state
 * @param {ClassLesson[]} lessons
 * @param {{ now: number, stuckAfterMs: number }} options now: in ms since 1970
 * @returns {RoomView}
 */
export function describeRoom(state, lessons, { now, stuckAfterMs }) {
  const { learners, code } = state;
  const order = ['stuck', 'working', 'guessed', 'done'];
  return {
    code,
    lesson: describeLesson(state, lessons, state.current),
    lessons: lessons.map(({ name, title }, index) => (
      { name, title, number: index + 1, done: learners.filter((learner) => learner.work[name]?.verdict).length })),
    people: learners.map((learner) => describePerson(learner, lessons, state, { now, stuckAfterMs }))
      .toSorted((a, b) => order.indexOf(a.state) - order.indexOf(b.state) || a.name.localeCompare(b.name)),
  };
}

/**
 * @param {ClassState} state
 * @param {ClassLesson[]} lessons
 * @param {string} wanted name
 * @param {boolean} [isOpen] whether to show what was measured
 * @returns {LessonView}
 */
export function describeLesson({ learners, revealed }, lessons, wanted, isOpen = revealed.includes(wanted)) {
  const index = lessons.findIndex(({ name }) => name === wanted);
  const { name, title, question, unit } = lessons[index];
  const works = learners.flatMap(({ work }) => work[name] ?? []);
  const figures = works.flatMap((work) => work.figures ?? []);
  const guesses = works.flatMap(({ guess }) => guess ?? []);
  const measured = figures.flatMap((each) => each.measured ?? []);
  return {
    name, title, question, unit, number: index + 1, isRevealed: isOpen, guesses,
    guessed: guesses.length, checked: works.filter((work) => work.verdict || Number.isFinite(work.figures?.measured)).length,
    measured: isOpen ? measured : [],
    points: isOpen ? figures.flatMap((each) => each.points) : [],
  };
}

/**
 * @param {Learner} learner
 * @param {ClassLesson[]} lessons
 * @param {ClassState} state
 * @param {{ now: number, stuckAfterMs: number }} options
 * @returns {PersonView}
 */
function describePerson({ name, work, progressAt }, lessons, { current, currentAt }, { now, stuckAfterMs }) {
  const { verdict, failed = 0, guess } = work[current] ?? {};
  const done = lessons.filter((lesson) => work[lesson.name]?.verdict).length;
  const idleMs = now - Math.max(progressAt, currentAt);
  if (verdict) return { name, done, state: 'done', why: '' };
  if (failed >= MANY_FAILURES) return { name, done, state: 'stuck', why: `${failed} checks failed` };
  if (idleMs >= stuckAfterMs) {
    return { name, done, state: 'stuck', why: `no progress for ${Math.floor(idleMs / 60_000)} min` };
  }
  return { name, done, state: guess === undefined ? 'working' : 'guessed', why: '' };
}
