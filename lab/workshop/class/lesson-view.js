import { scoreGuess, timesOff } from '../judge-task.js';
import { listPresent } from './class-roll.js';

/** @import { ClassLesson, ClassState } from './class-roll.js' */
/** @import { SimulatedAnswer } from '../simulate-answer.js' */

/** Units of time. @type {Record<string, string>} */
const SHORT = { seconds: 's', ms: 'ms' };

/**
 * @typedef {object} LessonView the lesson that the room works on, without names
 * @property {string} name
 * @property {number} number
 * @property {string} title
 * @property {string} [question]
 * @property {string} [unit]
 * @property {boolean} [isCount] see Question
 * @property {boolean} isRevealed
 * @property {string} [why] the reason for the answer; only after the reveal
 * @property {SimulatedAnswer} [replay] the answer in a tunnel; only after the reveal
 * @property {number} guessed how many learners have
 * @property {number} checked how many have measured it
 * @property {number[]} guesses
 * @property {number[]} measured empty until the reveal
 * @property {Point[]} points of all learners; empty until the reveal
 * @property {LessonAnswer} [answer] only after the reveal, and where one is known
 * @property {GuessResult[]} results of each different guess, the closest first; empty without an answer
 * @property {ReturnType<typeof describeGuesses>} guessChart
 * @property {ReturnType<typeof describeCurve>} curve
 *
 * @typedef {object} LessonAnswer what guesses are compared with: calculated where the words of the question are enough,
 *   else the median of what the room measured
 * @property {number} value
 * @property {string} words with its unit
 * @property {string} mark on the axis, which has a unit of its own
 * @property {boolean} isMeasured
 *
 * @typedef {object} GuessResult
 * @property {number} guess
 * @property {number} points
 * @property {number} place 1: nobody came closer
 * @property {boolean} isTied with others
 *
 * @typedef {[poolSize: number, slowestMs: number]} Point
 */

/**
 * @param {ClassState} state
 * @param {ClassLesson[]} lessons
 * @param {string} wanted name
 * @param {boolean} [isOpen] whether to show the answer and what was measured
 * @returns {LessonView}
 */
export function describeLesson(state, lessons, wanted, isOpen = state.revealed.includes(wanted)) {
  const index = lessons.findIndex(({ name }) => name === wanted);
  const lesson = lessons[index];
  const { name, title, question, unit = '', isCount, why, replay } = lesson;
  const works = listPresent(state).flatMap(({ work }) => work[name] ?? []);
  const figures = works.flatMap((work) => work.figures ?? []);
  const guesses = works.flatMap(({ guess }) => guess ?? []);
  const measured = isOpen ? figures.flatMap((each) => each.measured ?? []) : [];
  const points = isOpen ? figures.flatMap((each) => each.points) : [];
  const answer = isOpen ? findAnswer(lesson, measured) : undefined;
  const results = answer ? rankGuesses(guesses, answer.value) : [];
  return {
    name,
    title,
    question,
    unit: lesson.unit,
    isCount,
    number: index + 1,
    isRevealed: isOpen,
    why: isOpen ? why : undefined,
    replay: isOpen ? replay : undefined,
    guesses,
    guessed: guesses.length,
    checked: works.filter((work) => work.verdict || Number.isFinite(work.figures?.measured)).length,
    measured,
    points,
    answer,
    results,
    guessChart: describeGuesses({ guesses, measured, unit, answer, results, isOpen }),
    curve: describeCurve(points),
  };
}

/** @param {ClassLesson} lesson @param {number[]} measured @returns {LessonAnswer | undefined} */
function findAnswer({ answer: calculated, unit = '' }, measured) {
  const value = calculated ?? (measured.length > 0 ? medianOf(measured) : undefined);
  return value === undefined
    ? undefined
    : {
        value,
        words: quantity(value, unit),
        mark: mark(value, unit),
        isMeasured: calculated === undefined,
      };
}

/**
 * The closest guess is the one that is the fewest times too high or too low, as with the points.
 * @param {number[]} guesses
 * @param {number} answer
 * @returns {GuessResult[]} the closest first
 */
function rankGuesses(guesses, answer) {
  const offs = guesses.map((guess) => timesOff(guess, answer));
  return [...new Set(guesses)]
    .map((guess) => {
      const off = timesOff(guess, answer);
      const place = 1 + offs.filter((other) => other < off && !isSame(other, off)).length;
      const isTied = offs.filter((other) => isSame(other, off)).length > 1;
      return { guess, points: scoreGuess(guess, answer), place, isTied };
    })
    .toSorted((a, b) => a.place - b.place || a.guess - b.guess);
}

/** Half and twice the answer are equally far off, whatever the last digit of their quotients is. */
function isSame(/** @type {number} */ one, /** @type {number} */ other) {
  return one === other || Math.abs(one / other - 1) < 1e-9;
}

/**
 * What the chart of guesses and measurements says, in words.
 * @param {Pick<LessonView, 'guesses' | 'measured' | 'answer' | 'results'> & { unit: string, isOpen: boolean }} lesson
 * @returns {{ words: string, found: string, axis: string }} words: for screen readers; found: the result as a sentence,
 *   empty before the reveal
 */
function describeGuesses({ guesses, measured, unit, answer, results, isOpen }) {
  const closest = results.filter(({ place }) => place === 1).map(({ guess }) => format(guess));
  const [is, was] = closest.length > 1 ? ['guesses are', 'guesses were'] : ['guess is', 'guess was'];
  const list = closest.join(' and ');
  const words = [
    sumUp(guesses, unit, 'guess', 'guesses'),
    sumUp(measured, unit, 'measurement', 'measurements'),
    answer && !answer.isMeasured && `The answer is ${answer.words}.`,
    closest.length > 0 && `The closest ${is} ${list}.`,
  ];
  const found = [
    answer && !answer.isMeasured && `The answer is ${answer.words}.`,
    measured.length > 0 && `The room measured ${(answer?.isMeasured ? quantity : mark)(medianOf(measured), unit)}.`,
    isOpen && !answer && 'This depends on the machine, and nobody has measured it yet.',
    closest.length > 0 && `The closest ${was} ${list}.`,
  ];
  return {
    words: words.filter(Boolean).join(' ') || 'No guesses yet.',
    found: found.filter(Boolean).join(' '),
    axis: unit,
  };
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
  if (values.length === 1) return `1 ${one}: ${quantity(values[0], unit)}.`;
  return (
    `${values.length} ${many} from ${format(Math.min(...values))} to ${format(Math.max(...values))}, half of them up ` +
    `to ${quantity(medianOf(values), unit)}.`
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

/** Without the unit of a count. @param {number} value @param {string} unit */
function mark(value, unit) {
  return SHORT[unit] ? quantity(value, unit) : format(value);
}

/** @param {number} value @param {string} unit */
function quantity(value, unit) {
  return `${format(value)} ${SHORT[unit] ?? unit}`.trim();
}
