import { describeSpeedup } from '../universal/speedup-words.js';
import { tabulateSpeedups } from './prediction-words.js';

/** @import { Speedups } from 'mongodb-pool-predictor' */

/**
 * Shows below its heading which query would help most if it took less time. Where nothing is known, the heading goes.
 *
 * @param {HTMLElement} details its first child is the heading
 * @param {Speedups | null} speedups null where faster queries would not help
 */
export function showSpeedups(details, speedups) {
  const sentence = speedups ? describeSpeedup(speedups) : '';
  details.hidden = sentence === '';
  details.replaceChildren(
    /** @type {Element} */ (details.firstElementChild),
    Object.assign(document.createElement('p'), { textContent: sentence }),
    ...(speedups ? createTable(tabulateSpeedups(speedups)) : []),
  );
}

/** @param {ReturnType<typeof tabulateSpeedups>} figures @returns {HTMLTableElement[]} none without a row */
function createTable({ caption, rows: [headings, ...rows] }) {
  if (!headings) return [];
  const table = document.createElement('table');
  Object.assign(table.createCaption(), { className: 'about', textContent: caption });
  fillRow(table.createTHead().insertRow(), headings, 'col');
  const body = table.createTBody();
  for (const row of rows) fillRow(body.insertRow(), row, 'row');
  return [table];
}

/** @param {HTMLTableRowElement} row the first cell is a heading @param {string[]} texts @param {'col' | 'row'} scope */
function fillRow(row, texts, scope) {
  for (const [index, textContent] of texts.entries()) {
    const cell = document.createElement(scope === 'col' || index === 0 ? 'th' : 'td');
    if (cell.tagName === 'TH') cell.scope = scope;
    cell.textContent = textContent;
    row.append(cell);
  }
}
