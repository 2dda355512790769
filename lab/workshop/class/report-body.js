import { clientError } from '../../../src/http/problem.js';
import { isRecord } from '../../base/shape.js';
import { MAX_POINTS } from '../class-report.js';

/** @import { Report } from '../class-report.js' */

const MAX_NAME_LENGTH = 40;
const HINTS = [1, 2, 3];
const LEARNER_ACTIONS = /** @type {const} */ (['admit', 'hide', 'unhide', 'remove']);
/** No figure of the lessons is larger. */
const MAX_FIGURE = 1e9;
const isFigure = (/** @type {unknown} */ value) => typeof value === 'number' && Math.abs(value) <= MAX_FIGURE;

/** What a field must be. @typedef {[words: string, isOne: (value: any) => boolean]} FieldRule */
/** @type {FieldRule} */
const ANY = ['there', () => true];
/** @type {FieldRule} */
const TEXT = ['a text', (value) => typeof value === 'string'];
/** @type {FieldRule} */
const FLAG = ['true or false', (value) => typeof value === 'boolean'];

/** @type {Record<string, FieldRule>} */
const REPORT = {
  learner: TEXT,
  lesson: TEXT,
  guess: ['a number', isFigure],
  figures: ANY,
  verdict: FLAG,
  hint: ['1, 2 or 3', (value) => HINTS.includes(value)],
};

/** @type {Record<string, FieldRule>} */
const FIGURES = {
  measured: ['a number or null', (value) => value === null || isFigure(value)],
  points: [
    `a list of up to ${MAX_POINTS} pairs of numbers`,
    (value) => Array.isArray(value) && value.length <= MAX_POINTS && value.every(isPair),
  ],
};

/**
 * @param {unknown} body of a request to join
 * @returns {{ name: string, onPhone?: boolean }} the name, trimmed
 * @throws {Error} with status 400
 */
export function readLearner(body) {
  const { name, onPhone } = readFields(body, { name: ANY, onPhone: FLAG }, { required: ['name'] });
  const trimmed = typeof name === 'string' ? name.trim().normalize('NFC') : '';
  if (trimmed === '' || trimmed.length > MAX_NAME_LENGTH || /\p{C}/u.test(trimmed)) {
    throw clientError(400, `name must be a text of 1 to ${MAX_NAME_LENGTH} letters`);
  }
  return { name: trimmed, onPhone };
}

/**
 * @param {unknown} body
 * @returns {Report & { learner: string }}
 * @throws {Error} with status 400, naming what is wrong
 */
export function readReport(body) {
  const report = readFields(body, REPORT, { required: ['learner', 'lesson'] });
  if (report.figures !== undefined) readFields(report.figures, FIGURES, { path: 'figures.' });
  return report;
}

/** @param {unknown} body @returns {string} name of a lesson @throws {Error} with status 400 */
export function readLessonName(body) {
  return readFields(body, { lesson: TEXT }).lesson;
}

/** @param {unknown} body @returns {boolean} see ClassState.asksFirst @throws {Error} with status 400 */
export function readDoor(body) {
  return readFields(body, { asksFirst: FLAG }).asksFirst;
}

/**
 * @param {unknown} body
 * @returns {{ name: string, action: (typeof LEARNER_ACTIONS)[number] }}
 * @throws {Error} with status 400
 */
export function readLearnerAction(body) {
  const words = `one of ${LEARNER_ACTIONS.join(', ')}`;
  return readFields(body, { name: TEXT, action: [words, (value) => LEARNER_ACTIONS.includes(value)] });
}

/** @param {unknown} value */
function isPair(value) {
  return Array.isArray(value) && value.length === 2 && value.every(isFigure);
}

/**
 * @param {unknown} value
 * @param {Record<string, FieldRule>} kinds of its fields
 * @param {{ required?: string[], path?: string }} [options] required: default all; path: before the name of a field
 * @returns {any} an object without other fields
 */
function readFields(value, kinds, { required = Object.keys(kinds), path = '' } = {}) {
  if (!isRecord(value)) throw clientError(400, 'it must be an object');
  const names = Object.keys(kinds);
  if (Object.keys(value).some((name) => !names.includes(name)))
    throw clientError(400, `only these are allowed: ${names.join(', ')}`);
  for (const [name, [words, isOne]] of Object.entries(kinds)) {
    const isMissing = value[name] === undefined && !required.includes(name);
    if (!isMissing && !isOne(value[name])) throw clientError(400, `${path}${name} must be ${words}`);
  }
  return value;
}
