import { formatQuantity } from '../universal/quantity.js';
import { NOTICED_WAIT_MS } from '../universal/route-kinds.js';
import { describeBehind, describeNoneYet } from './words.js';

/** @import { Note } from '../universal/feed-shapes.js' */
/** @import { State } from './state.js' */

/**
 * In three parts, so that the time can stand out.
 * @param {Note} note
 * @returns {{ before: string, time: string, after: string }}
 */
export function describeNote({ route, count, status, totalMs, waitMs, behind }) {
  const holders = describeBehind(behind);
  const waited =
    waitMs >= NOTICED_WAIT_MS
      ? `, ${formatQuantity(waitMs, 'ms')} of it waiting${holders ? ` behind ${holders}` : ''}`
      : '';
  const [who, upTo] = count > 1 ? [`${count} ${route}`, ' up to'] : [route, ''];
  return { before: `${who} ${describeOutcome(status)}${upTo} `, time: formatQuantity(totalMs, 'ms'), after: waited };
}

/** @param {number} status */
function describeOutcome(status) {
  if (status === 200) return 'took';
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
  const [item, took, when] = ['li', 'data', 'time'].map((name) => document.createElement(name));
  const { before, time, after } = describeNote(note);
  Object.assign(took, { value: String(note.totalMs), textContent: time });
  // Some are older than the page.
  when.textContent = new Date(note.atMs).toLocaleTimeString('en-GB');
  item.append(before, took, after, ' ', when);
  return item;
}
