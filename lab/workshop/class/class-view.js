import { scoreGuess } from '../judge-task.js';
import { caseOf, listPresent, publicName } from './class-roll.js';

/** @import { ClassLesson, ClassState, Learner } from './class-roll.js' */
/** @import { SimulatedAnswer } from './simulate-answer.js' */

/** A learner with this many failed checks in a row is stuck. */
const MAX_FAILURES = 3;

/**
 * @typedef {object} LessonView the lesson that the room works on, without names
 * @property {string} name
 * @property {number} number
 * @property {string} title
 * @property {string} [question]
 * @property {string} [unit]
 * @property {boolean} isRevealed
 * @property {string} [why] the reason for what was measured; only after the reveal
 * @property {SimulatedAnswer} [replay] the answer in a tunnel; only after the reveal
 * @property {number} guessed how many learners have
 * @property {number} checked how many have measured it
 * @property {number[]} guesses
 * @property {number[]} measured empty until the reveal
 * @property {Point[]} points of all learners; empty until the reveal
 * @property {ReturnType<typeof describeGuesses>} guessChart
 * @property {ReturnType<typeof describeCurve>} curve
 *
 * @typedef {object} PersonView
 * @property {string} name
 * @property {string} shownAs the name that others see
 * @property {'stuck' | 'working' | 'guessed' | 'done'} state
 * @property {string} why
 * @property {number} done lessons
 * @property {string[]} solved cases
 * @property {number} hint the last one that was read in this lesson or its case; 0: none
 *
 * @typedef {object} RoomView
 * @property {string} [at] where learners reach the class
 * @property {string} code
 * @property {LessonView} lesson
 * @property {{ name: string, number: number, title: string, done: number, case?: string, solved: number }[]} lessons
 *   done: learners; solved: learners who solved its case
 * @property {PersonView[]} people those who are stuck first
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
      .map((learner) => describePerson(learner, lessons, state, { now, stuckAfterMs }))
      .toSorted((a, b) => order.indexOf(a.state) - order.indexOf(b.state) || a.name.localeCompare(b.name)),
  };
}

/** @param {Learner[]} learners @param {string} [task] */
function countDone(learners, task = '') {
  return learners.filter(({ work }) => work[task]?.verdict).length;
}

/**
 * @param {ClassState} state
 * @param {ClassLesson[]} lessons
 * @param {string} wanted name
 * @param {boolean} [isOpen] whether to show what was measured
 * @returns {LessonView}
 */
export function describeLesson(state, lessons, wanted, isOpen = state.revealed.includes(wanted)) {
  const index = lessons.findIndex(({ name }) => name === wanted);
  const { name, title, question, unit, why, replay } = lessons[index];
  const works = listPresent(state).flatMap(({ work }) => work[name] ?? []);
  const figures = works.flatMap((work) => work.figures ?? []);
  const guesses = works.flatMap(({ guess }) => guess ?? []);
  const measured = isOpen ? figures.flatMap((each) => each.measured ?? []) : [];
  const points = isOpen ? figures.flatMap((each) => each.points) : [];
  return {
    name,
    title,
    question,
    unit,
    number: index + 1,
    isRevealed: isOpen,
    why: isOpen ? why : undefined,
    replay: isOpen ? replay : undefined,
    guesses,
    guessed: guesses.length,
    checked: works.filter((work) => work.verdict || Number.isFinite(work.figures?.measured)).length,
    measured,
    points,
    guessChart: describeGuesses(guesses, measured, unit ?? ''),
    curve: describeCurve(points),
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
function describePerson(learner, lessons, { current, currentAt }, { now, stuckAfterMs }) {
  const { name, work, progressAt } = learner;
  const isDone = (/** @type {string} */ task) => work[task]?.verdict;
  const cases = lessons.flatMap((lesson) => caseOf(lesson) ?? []);
  const ownCase = lessons.filter(({ name: lesson }) => lesson === current).map(caseOf)[0] ?? current;
  const { verdict, failed = 0, guess, hint = 0 } = work[ownCase] ?? work[current] ?? {};
  const idleMs = now - Math.max(progressAt, currentAt);
  const who = {
    name,
    shownAs: publicName(learner),
    done: lessons.filter((lesson) => isDone(lesson.name)).length,
    solved: cases.filter(isDone),
    hint,
  };
  if (verdict) return { ...who, state: 'done', why: '' };
  if (failed >= MAX_FAILURES) return { ...who, state: 'stuck', why: `${failed} checks failed` };
  if (idleMs >= stuckAfterMs) {
    return { ...who, state: 'stuck', why: `no progress for ${Math.floor(idleMs / 60_000)} min` };
  }
  return { ...who, state: guess === undefined ? 'working' : 'guessed', why: '' };
}

/**
 * The points of a learner's guesses, each against the median of what the room measured.
 * @param {Learner} learner
 * @param {LessonView[]} views of the lessons, revealed
 * @returns {(number | undefined)[]} by lesson; undefined where the learner did not guess or nobody measured
 */
export function scoreLearner({ work }, views) {
  return views.map(({ name, guessChart: { median } }) => {
    const guess = work[name]?.guess;
    return guess === undefined || median === undefined ? undefined : scoreGuess(guess, median);
  });
}

/** @typedef {[poolSize: number, slowestMs: number]} Point */

/**
 * What the chart of guesses and measurements says, in words.
 * @param {number[]} guesses
 * @param {number[]} measured empty before the reveal
 * @param {string} unit
 * @returns {{ words: string, found: string, axis: string, median?: number, closest?: number }} words: for screen
 *   readers; found: the result as a sentence, empty before the reveal; median: of what was measured; closest: the guess
 *   that is next to it
 */
function describeGuesses(guesses, measured, unit) {
  const median = measured.length > 0 ? medianOf(measured) : undefined;
  const closest = median === undefined ? undefined : findClosest(guesses, median);
  const words = [
    sumUp(guesses, unit, 'guess', 'guesses'),
    sumUp(measured, unit, 'measurement', 'measurements'),
    closest === undefined ? '' : `The closest guess is ${format(closest)} ${unit}.`,
  ];
  const found = [
    median === undefined ? '' : `The room measured ${format(median)} ${unit}.`,
    closest === undefined ? '' : `The closest guess was ${format(closest)}.`,
  ];
  return {
    found: found.filter(Boolean).join(' '),
    words: words.filter(Boolean).join(' ') || 'No guesses yet.',
    axis: median === undefined ? unit : `measured: ${format(median)} ${unit}`,
    median,
    closest,
  };
}

/** @param {number[]} guesses @param {number} median @returns {number | undefined} */
function findClosest(guesses, median) {
  return guesses.toSorted((a, b) => Math.abs(a - median) - Math.abs(b - median))[0];
}

/**
 * The medians of the room by pool size, and the chart in words.
 * @param {Point[]} points
 * @returns {{ words: string, medians: Point[] } | undefined} undefined where fewer than two pool sizes were measured
 */
function describeCurve(points) {
  const sizes = [...new Set(points.map(([size]) => size))].toSorted((a, b) => a - b);
  if (sizes.length < 2) return undefined;
  const medians = sizes.map(
    (size) =>
      /** @type {Point} */ ([
        size,
        medianOf(points.filter(([other]) => other === size).map(([, slowestMs]) => slowestMs)),
      ]),
  );
  return {
    words: `The slowest request by pool size, ${points.length} measurements from the room: ${medians
      .map(([size, slowestMs]) => `${size}: ${format(slowestMs / 1000)} s`)
      .join(', ')}.`,
    medians,
  };
}

/** @param {number[]} values @param {string} unit @param {string} one @param {string} many */
function sumUp(values, unit, one, many) {
  if (values.length === 0) return '';
  if (values.length === 1) return `1 ${one}: ${format(values[0])} ${unit}.`;
  return (
    `${values.length} ${many} from ${format(Math.min(...values))} to ${format(Math.max(...values))}, half of them up ` +
    `to ${format(medianOf(values))} ${unit}.`
  );
}

/** The lower one of two. @param {number[]} values */
function medianOf(values) {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.ceil(sorted.length / 2) - 1];
}

/** @param {number} value */
function format(value) {
  return new Intl.NumberFormat('en', { maximumSignificantDigits: 3 }).format(value);
}
