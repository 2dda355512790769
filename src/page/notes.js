import { formatQuantity } from '../universal/quantity.js';
import { describeBehind } from './words.js';

/** @import { Finished, Holder, Pool } from './feed-types.js' */

/**
 * Requests that ended together in the same way: of several, the one that took longest.
 * @typedef {object} Note
 * @property {number} atMs the app's clock
 * @property {string} route
 * @property {number} count
 * @property {boolean} isPart whether there may have been more of them
 * @property {number} status of those that failed; of the others 200, whatever it was
 * @property {number} totalMs
 * @property {number} waitMs
 * @property {Holder[]} behind
 */

/** Nobody notices a shorter wait. */
const NOTABLE_WAIT_MS = 50;
const KEPT = 4;
/** So many the app tells of at a time. */
const MAX_TOLD = 20;
/** An outage is one note that grows: failures of one kind that follow each other this soon are added up. */
const SAME_TROUBLE_MS = 10_000;
const SERVED = 200;

/**
 * The last few things worth knowing, latest first: Ferraris that had to wait, and whatever failed.
 * @param {Note[]} notes
 * @param {Pool} pool
 * @returns {Note[]}
 */
export function noteFinished(notes, { atMs, finished }) {
  const notable = finished.filter((each) => (
    outcomeOf(each) !== SERVED || (each.route === '/fast' && each.waitMs >= NOTABLE_WAIT_MS)));
  const kindOf = (/** @type {Finished} */ each) => `${outcomeOf(each)} ${each.route}`;
  const isPart = finished.length >= MAX_TOLD;
  return [...new Set(notable.map(kindOf))]
    .map((kind) => createNote(notable.filter((each) => kindOf(each) === kind), atMs, isPart))
    // Of those that ended together, the served ones come last: they are what the page is about.
    .sort((a, b) => Number(a.status === SERVED) - Number(b.status === SERVED))
    .reduce(addNote, notes);
}

/** @param {Finished} finished */
function outcomeOf({ status }) {
  return status >= 200 && status < 400 ? SERVED : status;
}

/**
 * @param {Finished[]} group
 * @param {number} atMs
 * @param {boolean} isPart
 * @returns {Note}
 */
function createNote(group, atMs, isPart) {
  const longest = group.reduce((a, b) => (b.totalMs > a.totalMs ? b : a));
  const { route, totalMs, waitMs, behind } = longest;
  return { atMs, route, count: group.length, isPart, status: outcomeOf(longest), totalMs, waitMs, behind };
}

/**
 * @param {Note[]} notes
 * @param {Note} note
 * @returns {Note[]}
 */
function addNote(notes, note) {
  const before = notes.find(({ atMs, route, status }) => (
    status !== SERVED && status === note.status && route === note.route && note.atMs - atMs <= SAME_TROUBLE_MS));
  if (!before) return [note, ...notes].slice(0, KEPT);
  const longest = before.totalMs > note.totalMs ? before : note;
  const sum = {
    ...longest, atMs: note.atMs, count: before.count + note.count, isPart: before.isPart || note.isPart,
  };
  return [sum, ...notes.filter((each) => each !== before)];
}

/**
 * The note in three parts, so that the time can stand out.
 * @param {Note} note
 * @returns {{ before: string, time: string, after: string }}
 */
export function describeNote({ route, count, isPart, status, totalMs, waitMs, behind }) {
  const several = count > 1 || isPart;
  const who = several ? `${isPart ? 'at least ' : ''}${count} ${route}` : route;
  const holders = describeBehind(behind);
  const waited = waitMs >= NOTABLE_WAIT_MS
    ? `, ${formatQuantity(waitMs, 'ms')} of it waiting${holders ? ` behind ${holders}` : ''}` : '';
  return {
    before: `${who} ${describeOutcome(status)}${several ? ' up to' : ''} `,
    time: formatQuantity(totalMs, 'ms'),
    after: waited,
  };
}

/** @param {number} status */
function describeOutcome(status) {
  if (status === SERVED) return 'took';
  return status === 0 ? 'left unanswered after' : `failed with status ${status} after`;
}
