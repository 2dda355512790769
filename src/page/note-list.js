import { describeNote } from './notes.js';
import { describeNoneYet } from './words.js';

/** @import { Note } from './notes.js' */
/** @import { State } from './state.js' */

/**
 * @param {object} elements
 * @param {HTMLElement} elements.list
 * @param {HTMLElement} elements.none said while there are no notes
 * @returns {(state: Pick<State, 'notes' | 'pool'>) => void}
 */
export function createNoteList({ list, none }) {
  /** @type {Note[]} */
  let shown = [];
  return ({ notes, pool }) => {
    none.hidden = notes.length > 0;
    const text = describeNoneYet(pool);
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
