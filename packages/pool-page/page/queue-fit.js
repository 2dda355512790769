/**
 * @typedef {object} QueueFit a grid of cells: a small vehicle takes one, a large one with its time takes two by two
 * @property {number} cell width in px; the height is `CELL_HEIGHT` of it
 * @property {number} rows
 * @property {number} large how many vehicles are large, from the head of the queue
 * @property {number} shown large and small ones
 * @property {number} more those without a place; the last cell shows their number
 */

/** As in style.css. */
const CELL_HEIGHT = 0.78;
/** Times must be readable from the last row of a lecture hall, so they scale with the road, not with the queue. */
const CELLS_ACROSS = 5;
const MIN_CELL = 70;
const MAX_CELL = 130;

/**
 * All vehicles are large if they fit. Of a longer queue, only the head is: a few readable times beat many tiny ones.
 * @param {number} waiting
 * @param {number} listed how many of them the app sent one by one
 * @param {number} width in px
 * @param {number} height in px
 * @returns {QueueFit}
 */
export function fitQueue(waiting, listed, width, height) {
  const cell = Math.min(Math.max(width / CELLS_ACROSS, MIN_CELL), MAX_CELL);
  const columns = Math.max(2, Math.floor(width / cell + 1e-9));
  const maxLines = Math.max(1, Math.floor(height / (2 * cell * CELL_HEIGHT)));
  const perLine = Math.floor(columns / 2);
  if (waiting <= perLine * maxLines && listed >= waiting) {
    return { cell, rows: 2 * Math.max(1, Math.ceil(waiting / perLine)), large: waiting, shown: waiting, more: 0 };
  }
  // Each line of two rows has one large vehicle, next to the entrance, and small ones behind it.
  const placesPerLine = 1 + 2 * (columns - 2);
  const lines = Math.min(maxLines, Math.ceil(waiting / placesPerLine));
  const places = lines * placesPerLine;
  const shown = Math.min(listed, waiting <= places ? waiting : Math.max(places - 1, 0));
  return { cell, rows: 2 * lines, large: Math.min(lines, shown), shown, more: waiting - shown };
}
