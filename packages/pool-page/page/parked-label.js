import { MIN_TEXT_LANE } from './tunnel-painter.js';
import { findFront } from './vehicle-painter.js';

/** @import { Area, Vehicle } from './vehicle-painter.js' */

/** The first that fits. */
const LABEL_PX = [17, 15, 13];
const PADDING = 10;

/**
 * Writes what parks in a large lane for good, as far as there is room behind it.
 * @param {HTMLCanvasElement} canvas
 * @param {Area} lane
 * @param {Vehicle} vehicle
 * @param {string[]} texts the longest first
 */
export function paintParked(canvas, lane, vehicle, texts) {
  if (lane.height < MIN_TEXT_LANE) return;
  const context = /** @type {CanvasRenderingContext2D} */ (canvas.getContext('2d'));
  const start = findFront(lane, vehicle) + PADDING;
  const room = lane.left + lane.width - PADDING - start;
  const { fontFamily } = getComputedStyle(canvas);
  context.textBaseline = 'middle';
  context.fillStyle = '#fdfcf9';
  for (const text of texts) {
    for (const size of LABEL_PX) {
      context.font = `600 ${size}px ${fontFamily}`;
      if (context.measureText(text).width > room) continue;
      context.fillText(text, start, lane.top + lane.height / 2 + 1);
      return;
    }
  }
}
