import { describeNote } from './notes.js';

/** @import { Note } from './notes.js' */

/**
 * @param {object} elements
 * @param {HTMLElement} elements.list
 * @param {HTMLElement} elements.none said while there are no notes
 * @returns {(notes: Note[]) => void}
 */
export function createNoteList({ list, none }) {
  /** @type {Note[]} */
  let shown = [];
  return (notes) => {
    if (notes === shown) return;
    shown = notes;
    none.hidden = notes.length > 0;
    list.replaceChildren(...notes.map(createItem));
  };
}

/** @param {Note} note */
function createItem(note) {
  const item = document.createElement('li');
  const time = document.createElement('data');
  const { before, time: text, after } = describeNote(note);
  Object.assign(time, { value: String(note.totalMs), textContent: text });
  item.className = note.failed ? 'failed' : '';
  item.append(before, time, after);
  return item;
}
