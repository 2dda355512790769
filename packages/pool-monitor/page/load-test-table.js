import { formatQuantity } from '../universal/quantity.js';
import { describeChanges } from './words.js';

/** @import { LoadTest } from './load-test-shapes.js' */

const COLUMNS = 8;

/**
 * @param {HTMLElement} section with a table
 * @returns {(loadTests: LoadTest[]) => void}
 */
export function createLoadTestTable(section) {
  const body = /** @type {HTMLTableSectionElement} */ (section.querySelector('tbody'));
  /** @type {LoadTest[]} */
  let shown = [];

  return (loadTests) => {
    if (shown === loadTests) return;
    shown = loadTests;
    section.hidden = loadTests.length === 0;
    body.replaceChildren(...loadTests.flatMap(createRows));
  };
}

/**
 * A row of figures, and a note below it if somebody changed the settings during the test.
 * @param {LoadTest} loadTest
 */
function createRows(loadTest) {
  const changes = describeChanges(loadTest);
  if (!changes) return [createRow(loadTest)];
  const note = document.createElement('tr');
  const cell = createCell(changes);
  Object.assign(cell, { colSpan: COLUMNS, className: 'text' });
  note.className = 'note';
  note.append(cell);
  return [createRow(loadTest), note];
}

/** @param {LoadTest} loadTest */
function createRow({ poolSize, slowMs, startedAt, state, measured, exact, error, progress }) {
  const row = document.createElement('tr');
  row.append(createCell(String(poolSize), 'th'));
  if (measured && state === 'done') {
    const { requests, failures, maxMs, routes } = measured;
    const values = [maxMs, exact?.maxMs, routes['/fast']?.maxMs].map((ms) => (
      ms === undefined || ms === null ? '–' : formatQuantity(ms, 'ms')
    ));
    row.append(...[...values, String(requests), String(failures)].map((text) => createCell(text)));
  } else {
    const isRunning = state === 'running';
    const cell = createCell(isRunning ? `running, ${Math.round(progress * 100)} %` : `failed: ${error}`);
    cell.colSpan = 5;
    cell.className = 'text';
    row.append(cell);
  }
  row.append(createCell(String(slowMs)), createCell(new Date(startedAt).toLocaleTimeString('en-GB')));
  return row;
}

/** @param {string} text @param {'td' | 'th'} [name] */
function createCell(text, name = 'td') {
  const cell = document.createElement(name);
  cell.textContent = text;
  if (name === 'th') cell.scope = 'row';
  return cell;
}
