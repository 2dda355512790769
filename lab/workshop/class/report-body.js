import { clientError } from '../../../src/http/problem.js';
import { isRecord } from '../../base/shape.js';
import { MAX_POINTS } from '../class-report.js';

/** @import { LearnerFigures, Report } from '../class-report.js' */

const MAX_NAME_LENGTH = 40;
const HINTS = [1, 2, 3];
/** No figure of the lessons is larger. */
const MAX_FIGURE = 1e9;

/** @param {unknown} body of a request to join @returns {string} the name, trimmed @throws {Error} with status 400 */
export function readName(body) {
  const { name } = requireOnly(body, ['name']);
  const trimmed = typeof name === 'string' ? name.trim().normalize('NFC') : '';
  if (trimmed === '' || trimmed.length > MAX_NAME_LENGTH || /\p{C}/u.test(trimmed)) {
    throw clientError(400, `name must be a text of 1 to ${MAX_NAME_LENGTH} letters`);
  }
  return trimmed;
}

/**
 * @param {unknown} body
 * @returns {Report & { learner: string }}
 * @throws {Error} with status 400, naming what is wrong
 */
export function readReport(body) {
  const { learner, lesson, guess, figures, verdict, hint } = requireOnly(body, [
    'learner',
    'lesson',
    'guess',
    'figures',
    'verdict',
    'hint',
  ]);
  for (const [name, value] of Object.entries({ learner, lesson })) {
    if (typeof value !== 'string') throw clientError(400, `${name} must be a text`);
  }
  if (guess !== undefined && !isFigure(guess)) throw clientError(400, 'guess must be a number');
  if (verdict !== undefined && typeof verdict !== 'boolean') throw clientError(400, 'verdict must be true or false');
  if (hint !== undefined && !HINTS.includes(hint)) throw clientError(400, 'hint must be 1, 2 or 3');
  return {
    learner,
    lesson,
    ...(guess !== undefined && { guess }),
    ...(verdict !== undefined && { verdict }),
    ...(hint !== undefined && { hint }),
    ...(figures !== undefined && { figures: readFigures(figures) }),
  };
}

/** @param {unknown} body @returns {string} name of a lesson @throws {Error} with status 400 */
export function readLessonName(body) {
  const { lesson } = requireOnly(body, ['lesson']);
  if (typeof lesson !== 'string') throw clientError(400, 'lesson must be a text');
  return lesson;
}

/** @param {unknown} body @returns {boolean} see ClassState.asksFirst @throws {Error} with status 400 */
export function readDoor(body) {
  const { asksFirst } = requireOnly(body, ['asksFirst']);
  if (typeof asksFirst !== 'boolean') throw clientError(400, 'asksFirst must be true or false');
  return asksFirst;
}

const LEARNER_ACTIONS = /** @type {const} */ (['admit', 'hide', 'unhide', 'remove']);

/**
 * @param {unknown} body
 * @returns {{ name: string, action: (typeof LEARNER_ACTIONS)[number] }}
 * @throws {Error} with status 400
 */
export function readLearnerAction(body) {
  const { name, action } = requireOnly(body, ['name', 'action']);
  if (typeof name !== 'string') throw clientError(400, 'name must be a text');
  if (!LEARNER_ACTIONS.includes(action)) throw clientError(400, `action must be one of ${LEARNER_ACTIONS.join(', ')}`);
  return { name, action };
}

/** @param {unknown} value @returns {LearnerFigures} */
function readFigures(value) {
  const { measured, points } = requireOnly(value, ['measured', 'points']);
  if (measured !== null && !isFigure(measured)) throw clientError(400, 'figures.measured must be a number or null');
  const isList =
    Array.isArray(points) &&
    points.length <= MAX_POINTS &&
    points.every((point) => Array.isArray(point) && point.length === 2 && point.every(isFigure));
  if (!isList) throw clientError(400, `figures.points must be a list of up to ${MAX_POINTS} pairs of numbers`);
  return { measured, points };
}

/** @param {unknown} value */
function isFigure(value) {
  return typeof value === 'number' && Math.abs(value) <= MAX_FIGURE;
}

/** @param {unknown} value @param {string[]} names @returns {any} an object without other properties */
function requireOnly(value, names) {
  if (!isRecord(value)) throw clientError(400, 'it must be an object');
  const other = Object.keys(value).find((name) => !names.includes(name));
  if (other !== undefined) throw clientError(400, `only these are allowed: ${names.join(', ')}`);
  return value;
}
