import { post, runAction, setDisabled } from './control-requests.js';
import { LoadTestList, describeChanges, describeLoadTest } from './load-tests.js';

/** @import { Page } from 'mongodb-pool-page/page/page-extension.js' */
/** @import { Snapshot } from 'mongodb-pool-page/universal/feed-shapes.js' */
/** @import { LoadTest } from '../../load-tests/load-test-runner.js' */

/**
 * What `GET /pool` says of this app.
 * @typedef {Snapshot & { controls: boolean, needsToken: boolean, features: { loadTests: boolean } }} AppSnapshot
 */

const COLUMNS = 8;

/**
 * The form that starts a load test, and the table of all load tests.
 *
 * @param {{ form: HTMLElement, section: HTMLElement }} elements section: with a table
 * @param {Page} page
 * @returns {(snapshot: AppSnapshot | null) => void}
 */
export function createLoadTestPanel({ form, section }, page) {
  const list = new LoadTestList();
  page.onEvent('load-test', (/** @type {LoadTest} */ test) => {
    if (list.take(test)) page.announce(describeLoadTest(test, page.formatMs));
  });
  /** @param {string} selector */
  const find = (selector) => /** @type {HTMLElement} */ (form.querySelector(selector));
  const [scenario, missing, progress] = ['.scenario', '.missing', '.progress'].map(find);
  const button = /** @type {HTMLButtonElement} */ (find('button'));
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    if (button.getAttribute('aria-disabled') === 'true') return;
    runAction(form, async () => {
      await post('/control/load-test', {});
      return '';
    });
  });
  const body = /** @type {HTMLTableSectionElement} */ (section.querySelector('tbody'));
  /** @type {LoadTest[]} */
  let shown = [];

  return (snapshot) => {
    const { tests } = list;
    const running = tests.find(({ state }) => state === 'running');
    const isMissing = snapshot?.features.loadTests === false;
    scenario.hidden = isMissing;
    missing.hidden = !isMissing;
    progress.hidden = !running;
    if (!form.hasAttribute('aria-busy')) setDisabled(button, isMissing || Boolean(running));
    if (running) showProgress(progress, running);
    if (shown === tests) return;
    shown = tests;
    section.hidden = tests.length === 0;
    body.replaceChildren(...tests.flatMap((test) => createRows(test, page.formatMs)));
  };
}

/**
 * The app estimates the progress for the settings at the start, so it is unknown once somebody has changed them.
 * @param {HTMLElement} element
 * @param {LoadTest} running
 */
function showProgress(element, running) {
  const bar = /** @type {HTMLProgressElement} */ (element.querySelector('progress'));
  const text = /** @type {HTMLElement} */ (element.querySelector('p'));
  const changes = describeChanges(running);
  if (changes) bar.removeAttribute('value');
  else bar.value = running.progress;
  const leftS = Math.ceil(running.leftMs / 1000);
  text.textContent = changes
    ? `running; ${changes}`
    : `running with a pool of ${running.poolSize}, about ${leftS} s left`;
}

/**
 * A row of figures, and a note below it if somebody changed the settings during the test.
 * @param {LoadTest} loadTest
 * @param {Page['formatMs']} formatMs
 */
function createRows(loadTest, formatMs) {
  const changes = describeChanges(loadTest);
  if (!changes) return [createRow(loadTest, formatMs)];
  const note = document.createElement('tr');
  const cell = createCell(changes);
  Object.assign(cell, { colSpan: COLUMNS, className: 'text' });
  note.className = 'note';
  note.append(cell);
  return [createRow(loadTest, formatMs), note];
}

/** @param {LoadTest} loadTest @param {Page['formatMs']} formatMs */
function createRow({ poolSize, slowMs, startedAt, state, measured, exact, error, progress }, formatMs) {
  const row = document.createElement('tr');
  row.append(createCell(String(poolSize), 'th'));
  if (measured && state === 'done') {
    const { requests, failures, maxMs, routes } = measured;
    const values = [maxMs, exact?.maxMs, routes['/fast']?.maxMs].map((ms) =>
      ms === undefined || ms === null ? '–' : formatMs(ms),
    );
    row.append(...[...values, String(requests), String(failures)].map((text) => createCell(text)));
  } else {
    const isRunning = state === 'running';
    const cell = createCell(isRunning ? `running, ${Math.round(progress * 100)} %` : `failed: ${error}`);
    cell.colSpan = 5;
    cell.className = 'text';
    row.append(cell);
  }
  row.append(createCell(formatMs(slowMs)), createCell(new Date(startedAt).toLocaleTimeString('en-GB')));
  return row;
}

/** @param {string} text @param {'td' | 'th'} [name] */
function createCell(text, name = 'td') {
  const cell = document.createElement(name);
  cell.textContent = text;
  if (name === 'th') cell.scope = 'row';
  return cell;
}
