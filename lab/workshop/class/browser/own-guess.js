/** @import { LessonView } from '../lesson-view.js' */

/** @type {Record<string, string>} */
const SHORT = { seconds: 's', ms: 'ms' };
/** What people type after a time, in ms. @type {Record<string, number>} */
const TIMES = { ms: 1, s: 1000, sec: 1000, second: 1000, seconds: 1000 };
/** A guess in ms for a question in seconds, or the other way round, is about this many times off. */
const SLIP = 1000;
const SLIP_TIMES = 1.5;

const ordinals = new Intl.PluralRules('en', { type: 'ordinal' });
const ENDINGS = /** @type {Record<string, string>} */ ({ one: 'st', two: 'nd', few: 'rd', other: 'th' });

/**
 * Reads what somebody typed as a guess: 9, 0.5, 0,5, 9 s, 9000 ms. A time may have either unit.
 * @param {string} text
 * @param {Pick<LessonView, 'unit' | 'isCount'>} lesson
 * @returns {number | undefined} in the unit of the question; undefined if that is no answer to it
 */
export function readGuess(text, { unit = '', isCount }) {
  const [, digits, typed = ''] = /^(\d*[.,]?\d+)\s*([a-z]*)$/i.exec(text.trim()) ?? [];
  // 1,000 is a thousand to some and one to others.
  if (digits === undefined || /,\d{3}$/.test(digits)) return undefined;
  const value = Number(digits.replace(',', '.'));
  const [from, to] = [TIMES[typed.toLowerCase()], TIMES[unit]];
  const inUnit = from !== undefined && to !== undefined ? (value * from) / to : value;
  const isForeign = typed !== '' && typed.toLowerCase() !== unit && (from === undefined || to === undefined);
  return isForeign || (isCount && !Number.isInteger(inUnit)) ? undefined : inUnit;
}

/** @param {Pick<LessonView, 'unit' | 'isCount'>} lesson @returns {string} what `readGuess` takes */
export function describeAllowed({ unit = '', isCount }) {
  const example = TIMES[unit] ? 'such as 9 or 0.5' : isCount ? 'such as 4' : 'such as 2 or 2.5';
  return `Write a ${isCount ? 'whole number' : 'number'} of ${unit}, ${example}.`;
}

/**
 * What a phone says of its own guess after the reveal.
 * @param {number | undefined} mine
 * @param {Pick<LessonView, 'unit' | 'answer' | 'results' | 'guessed'>} lesson
 */
export function describeOwnGuess(mine, { unit = '', answer, results, guessed }) {
  const short = SHORT[unit];
  const withUnit = (/** @type {number} */ value) => `${value.toLocaleString('en')}${short ? ` ${short}` : ''}`;
  const said = mine === undefined ? '' : `You said ${withUnit(mine)}.`;
  if (!answer) return said ? `${said} Nobody has measured it yet.` : 'You made no guess.';
  const is = `${answer.isMeasured ? 'The room measured' : 'It is'} ${answer.mark}`;
  if (mine === undefined) return `${is}. You made no guess.`;
  const result = results.find(({ guess }) => guess === mine);
  // Someone who waits to be let in is not compared with the others yet.
  if (!result) return `${said} ${is}.`;
  const parts = [guessed > 1 && describePlace(result), describePoints(result.points)].filter(Boolean);
  return `${said} ${is}: ${parts.join(', ')}.${describeSlip(mine / answer.value, unit)}`;
}

/** @param {{ place: number, isTied: boolean }} result */
function describePlace({ place, isTied }) {
  const words = place === 1 ? 'closest' : `${place}${ENDINGS[ordinals.select(place)]} closest`;
  return isTied ? `${words}, with others` : words;
}

/** @param {number} points */
function describePoints(points) {
  return points === 0 ? 'no points' : `${points} ${points === 1 ? 'point' : 'points'}`;
}

/** @param {number} ratio of the guess to the answer @param {string} unit */
function describeSlip(ratio, unit) {
  const isNear = (/** @type {number} */ value) => value < SLIP_TIMES && value > 1 / SLIP_TIMES;
  if (!TIMES[unit] || !(isNear(ratio / SLIP) || isNear(ratio * SLIP))) return '';
  return ` The question is in ${unit}: did you mean ${ratio > 1 ? 'ms' : 's'}?`;
}
