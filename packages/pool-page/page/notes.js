import { formatQuantity } from '../universal/quantity.js';
import { kindOf } from '../universal/route-kinds.js';
import { describeBehind, describeNoneYet } from './words.js';

/** @import { EndedRequest, Holder } from 'mongodb-pool-monitor' */
/** @import { LiveReading } from '../universal/feed-shapes.js' */
/** @import { RouteKinds } from '../universal/route-kinds.js' */
/** @import { State } from './state.js' */

/**
 * @typedef {object} Note requests that ended at the same time in the same way; the times are those of the longest
 * @property {number} atMs the app's clock
 * @property {string} route
 * @property {number} count
 * @property {boolean} isPart whether there may have been more of them
 * @property {number} status 200 for every success
 * @property {number} totalMs
 * @property {number} waitMs
 * @property {Holder[]} behind
 */

/** Nobody notices a shorter wait. */
const MIN_WAIT_MS = 50;
const MAX_NOTES = 4;
/** The app sends at most this many ended requests at a time. */
const MAX_SENT = 20;
/** Failures of one kind that follow each other this soon become one note, so that an outage does not fill the list. */
const SAME_OUTAGE_MS = 10_000;
const SUCCESS = 200;

/**
 * Notes Ferraris that had to wait, and failures; the latest comes first.
 * @param {Note[]} notes
 * @param {Pick<LiveReading, 'atMs' | 'finished'>} reading
 * @param {RouteKinds} kinds
 * @returns {Note[]}
 */
export function addNotes(notes, { atMs, finished }, kinds) {
  const notable = finished.filter(
    (each) => outcomeOf(each) !== SUCCESS || (kindOf(kinds, each.route) === 'ferrari' && each.waitMs >= MIN_WAIT_MS),
  );
  const groupOf = (/** @type {EndedRequest} */ each) => `${outcomeOf(each)} ${each.route}`;
  const isPart = finished.length >= MAX_SENT;
  const added = [...new Set(notable.map(groupOf))].map((group) => {
    const requests = notable.filter((each) => groupOf(each) === group);
    return createNote(requests, atMs, isPart);
  });
  // Successes last, so that they end up on top: waits are what the page is about.
  return added.sort((a, b) => Number(a.status === SUCCESS) - Number(b.status === SUCCESS)).reduce(addNote, notes);
}

/** @param {EndedRequest} request */
function outcomeOf({ status }) {
  return status >= 200 && status < 400 ? SUCCESS : status;
}

/** @param {EndedRequest[]} requests @param {number} atMs @param {boolean} isPart @returns {Note} */
function createNote(requests, atMs, isPart) {
  const longest = requests.reduce((a, b) => (b.totalMs > a.totalMs ? b : a));
  const { route, totalMs, waitMs, behind } = longest;
  return { atMs, route, count: requests.length, isPart, status: outcomeOf(longest), totalMs, waitMs, behind };
}

/** @param {Note[]} notes @param {Note} note @returns {Note[]} */
function addNote(notes, note) {
  const before = notes.find(
    ({ atMs, route, status }) =>
      status !== SUCCESS && status === note.status && route === note.route && note.atMs - atMs <= SAME_OUTAGE_MS,
  );
  if (!before) return [note, ...notes].slice(0, MAX_NOTES);
  const longest = before.totalMs > note.totalMs ? before : note;
  const isPart = before.isPart || note.isPart;
  const sum = { ...longest, atMs: note.atMs, count: before.count + note.count, isPart };
  return [sum, ...notes.filter((each) => each !== before)];
}

/**
 * In three parts, so that the time can stand out.
 * @param {Note} note
 * @returns {{ before: string, time: string, after: string }}
 */
export function describeNote({ route, count, isPart, status, totalMs, waitMs, behind }) {
  const isMany = count > 1 || isPart;
  const who = isMany ? `${isPart ? 'at least ' : ''}${count} ${route}` : route;
  const holders = describeBehind(behind);
  const waited =
    waitMs >= MIN_WAIT_MS
      ? `, ${formatQuantity(waitMs, 'ms')} of it waiting${holders ? ` behind ${holders}` : ''}`
      : '';
  const before = `${who} ${describeOutcome(status)}${isMany ? ' up to' : ''} `;
  return { before, time: formatQuantity(totalMs, 'ms'), after: waited };
}

/** @param {number} status */
function describeOutcome(status) {
  if (status === SUCCESS) return 'took';
  return status === 0 ? 'cancelled by the client after' : `failed with status ${status} after`;
}

/**
 * @param {object} elements
 * @param {HTMLElement} elements.list
 * @param {HTMLElement} elements.none shown while there are no notes
 * @returns {(state: State) => void}
 */
export function createNoteList({ list, none }) {
  /** @type {Note[]} */
  let shown = [];
  return (state) => {
    const { notes } = state;
    none.hidden = notes.length > 0;
    const text = describeNoneYet(state);
    if (none.textContent !== text) none.textContent = text;
    if (notes === shown) return;
    shown = notes;
    list.replaceChildren(...notes.map(createItem));
  };
}

/** @param {Note} note */
function createItem(note) {
  const item = document.createElement('li');
  const time = document.createElement('data');
  const { before, time: text, after } = describeNote(note);
  Object.assign(time, { value: String(note.totalMs), textContent: text });
  item.append(before, time, after);
  return item;
}
