import { find } from './class-page.js';

/** Of the question, in rem. The last row must read it, and a larger one is easier. */
const [LEAST, MOST, STEP] = [1.3, 4.5, 0.1];
/** Of the height, for the charts. */
const CHART_SHARE = 0.45;
/** With less height, in rem, charts are as high as elsewhere, and the page scrolls. */
const LEAST_CHART = 5;
/** In rem. A smaller QR code can't be read from the last row. */
const LEAST_QR = 10;

/**
 * Fills the height of a wide window: with the charts, the question, and beside them the QR code. A narrow one scrolls.
 * @param {object} options
 * @param {boolean} options.hasQrCode
 * @param {boolean} options.isOpen whether learners may still guess: then the QR code stays, however full the room is
 * @param {(freePx?: number) => void} options.draw the charts, see `drawCharts`
 */
export function fitProjector({ hasQrCode, isOpen, draw }) {
  const { style } = document.documentElement;
  const [work, room] = /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll('main > section'));
  const rem = Number.parseFloat(getComputedStyle(document.documentElement).fontSize);
  style.removeProperty('--question');
  find('qr').style.removeProperty('width');
  if (getComputedStyle(work).display !== 'flex') {
    draw();
    return;
  }
  const margin = Number.parseFloat(getComputedStyle(document.body).paddingBottom);
  const heightPx = innerHeight - margin - work.getBoundingClientRect().top - scrollY;
  draw(CHART_SHARE * heightPx);
  for (let size = MOST; size > LEAST; size -= STEP) {
    style.setProperty('--question', `${size}rem`);
    if (naturalHeight(work) <= heightPx) break;
    style.removeProperty('--question');
  }
  if (naturalHeight(work) > heightPx) {
    const boxes = /** @type {NodeListOf<HTMLElement>} */ (work.querySelectorAll('.picture'));
    for (const box of boxes) box.style.height = '0';
    const freePx = heightPx - naturalHeight(work);
    draw(freePx < LEAST_CHART * rem ? undefined : freePx);
  }
  if (hasQrCode) fitQrCode(room, heightPx, { leastPx: LEAST_QR * rem, isOpen });
}

/**
 * @param {HTMLElement} room
 * @param {number} heightPx
 * @param {{ leastPx: number, isOpen: boolean }} options
 */
function fitQrCode(room, heightPx, { leastPx, isOpen }) {
  find('qr').style.width = '0';
  const sidePx = Math.min(heightPx - naturalHeight(room), room.clientWidth);
  find('qr').style.width = `${Math.max(sidePx, leastPx)}px`;
  find('qr').toggleAttribute('hidden', sidePx < leastPx && !isOpen);
}

/** Without what is spread between its parts. @param {HTMLElement} section */
function naturalHeight(section) {
  section.style.alignSelf = 'start';
  const { height } = section.getBoundingClientRect();
  section.style.removeProperty('align-self');
  return height;
}
