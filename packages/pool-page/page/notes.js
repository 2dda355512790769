import { describeNote, describeNoneYet } from './words.js';

/** @import { Note } from '../universal/feed-shapes.js' */
/** @import { State } from './state.js' */

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
