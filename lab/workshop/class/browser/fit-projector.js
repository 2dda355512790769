import { find } from './class-page.js';

/** Type sizes of the question in rem, the largest first: the last row must be able to read it. */
const QUESTION = range(4.5, 1.3);
/** Type sizes of the names in rem: smaller ones for a full room. */
const PEOPLE = range(1, 0.6);
/** Share of the height that the charts get. */
const CHART_SHARE = 0.45;
/** The least height of charts, in rem. If there is less, they are as high as elsewhere, and the page scrolls. */
const LEAST_CHART = 5;
/** The least sizes of a QR code in rem, readable from the last row, and for people who are late and can go nearer. */
const [LEAST_QR, LEAST_LATE_QR] = [10, 6];

/**
 * Fills the height of a wide window: with the charts, the question, and beside them the room and the QR code. A narrow
 * one scrolls.
 * @param {object} options
 * @param {boolean} options.hasQrCode
 * @param {boolean} options.isOpen whether learners may still guess: then the QR code stays, however full the room is
 * @param {(freePx?: number) => void} options.draw the charts, see `drawCharts`
 */
export function fitProjector({ hasQrCode, isOpen, draw }) {
  const { style } = document.documentElement;
  const [work, room] = /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll('main > section'));
  for (const name of ['--question', '--people', '--fill']) style.removeProperty(name);
  find('qr').style.removeProperty('width');
  if (getComputedStyle(work).display !== 'flex') {
    draw();
    return;
  }
  const rem = Number.parseFloat(getComputedStyle(document.documentElement).fontSize);
  const margin = Number.parseFloat(getComputedStyle(document.body).paddingBottom);
  const heightPx = innerHeight - margin - work.getBoundingClientRect().top - scrollY;
  draw(CHART_SHARE * heightPx);
  choose('--question', QUESTION, () => work.offsetHeight <= heightPx);
  if (work.offsetHeight > heightPx) {
    const boxes = /** @type {NodeListOf<HTMLElement>} */ (work.querySelectorAll('.picture'));
    for (const box of boxes) box.style.height = '0';
    const freePx = heightPx - work.offsetHeight;
    draw(freePx < LEAST_CHART * rem ? undefined : freePx);
  }
  const leastPx = rem * (isOpen ? LEAST_QR : LEAST_LATE_QR);
  if (hasQrCode) find('qr').style.width = isOpen ? `${leastPx}px` : '0';
  choose('--people', PEOPLE, () => room.offsetHeight <= heightPx);
  if (hasQrCode) {
    find('qr').style.width = '0';
    const sidePx = Math.min(heightPx - room.offsetHeight, room.clientWidth);
    find('qr').style.width = `${Math.max(sidePx, leastPx)}px`;
    find('qr').toggleAttribute('hidden', sidePx < leastPx && !isOpen);
  }
  style.setProperty('--fill', `${heightPx}px`);
}

/**
 * Sets a size to the first that fits, or to the last.
 * @param {string} name of a custom property
 * @param {number[]} sizes in rem
 * @param {() => boolean} fits
 */
function choose(name, sizes, fits) {
  for (const size of sizes) {
    document.documentElement.style.setProperty(name, `${size}rem`);
    if (fits()) return;
  }
}

/** @param {number} most @param {number} least @returns {number[]} */
function range(most, least) {
  return Array.from({ length: Math.round((most - least) * 10) + 1 }, (_, step) => most - step / 10);
}
