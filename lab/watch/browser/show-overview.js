/** @import { OverviewPage, OverviewRow } from '../overview-page.js' */

const EVERY_MS = 1000;

/** @param {string} selector */
const find = (selector) => /** @type {HTMLElement} */ (document.querySelector(selector));

/** @param {OverviewPage} page */
function show({ command, sentence, trouble, rows, total }) {
  setText('#command', command);
  setText('#sentence', sentence);
  setText('#trouble', trouble);
  find('table').hidden = rows.length === 0;
  find('tbody').replaceChildren(...rows.map(createRow));
  find('tfoot').replaceChildren(...(total ? [createRow(total)] : []));
}

/** @param {OverviewRow} row */
function createRow({ name, url, about, busy, share, waiting, longestWait, rate }) {
  const row = document.createElement('tr');
  row.classList.toggle('waits', waiting !== '0');
  const heading = document.createElement('th');
  heading.scope = 'row';
  const link = document.createElement(url ? 'a' : 'span');
  if (url) link.setAttribute('href', url);
  link.textContent = name;
  const more = document.createElement('small');
  more.textContent = about;
  heading.append(link, more);
  const wait = [createCell(waiting, 'waiting'), createCell(longestWait)];
  row.append(heading, createCell(busy), createBar(share), ...wait, createCell(rate));
  return row;
}

/** @param {number} share */
function createBar(share) {
  const cell = createCell('', 'lanes');
  const bar = document.createElement('div');
  const part = document.createElement('div');
  part.style.setProperty('width', `${100 * share}%`);
  bar.append(part);
  cell.append(bar);
  return cell;
}

/** @param {string} text @param {string} [className] */
function createCell(text, className = '') {
  return Object.assign(document.createElement('td'), { className, textContent: text });
}

/** @param {string} selector @param {string} text */
function setText(selector, text) {
  const element = find(selector);
  if (element.textContent !== text) element.textContent = text;
}

async function refresh() {
  try {
    const response = await fetch('/processes');
    show(await response.json());
  } catch {
    setText('#sentence', 'The command pool-lab watch has ended');
    setText('#trouble', '');
  }
  setTimeout(refresh, EVERY_MS);
}

refresh();
