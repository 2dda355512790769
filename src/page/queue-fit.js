/**
 * How the queue stands in its room: on a grid of cells, in which a small vehicle takes one and a large one, with its
 * time below it, two by two.
 * @typedef {object} QueueFit
 * @property {number} cell its width in px; its height is `CELL_HEIGHT` of that
 * @property {number} rows
 * @property {number} large so many of the first are drawn large
 * @property {number} shown large ones and small ones
 * @property {number} more those for whom there is no room; their number takes the last cell
 */

/** Of its width; the style sheet has the same. */
const CELL_HEIGHT = 0.78;
/** A time is readable from far away if it takes this part of the room, however many pixels that has. */
const CELLS_ACROSS = 5;
const SMALLEST_CELL = 70;
const LARGEST_CELL = 130;

/**
 * All of them large if they fit, with their times. Of a longer queue only those at its head are: a few times that one
 * can read from the last row tell more than many that one can't.
 * @param {number} waiting
 * @param {number} listed those that the app tells one by one
 * @param {number} width in px
 * @param {number} height in px
 * @returns {QueueFit}
 */
export function fitQueue(waiting, listed, width, height) {
  const cell = Math.min(Math.max(width / CELLS_ACROSS, SMALLEST_CELL), LARGEST_CELL);
  const columns = Math.max(2, Math.floor(width / cell + 1e-9));
  const mostLines = Math.max(1, Math.floor(height / (2 * cell * CELL_HEIGHT)));
  const perLine = Math.floor(columns / 2);
  if (waiting <= perLine * mostLines && listed >= waiting) {
    return { cell, rows: 2 * Math.max(1, Math.ceil(waiting / perLine)), large: waiting, shown: waiting, more: 0 };
  }
  // Each line of two rows has one large vehicle, next to the entrance, and small ones behind it.
  const placesPerLine = 1 + 2 * (columns - 2);
  const lines = Math.min(mostLines, Math.ceil(waiting / placesPerLine));
  const places = lines * placesPerLine;
  const shown = Math.min(listed, waiting <= places ? waiting : Math.max(places - 1, 0));
  return { cell, rows: 2 * lines, large: Math.min(lines, shown), shown, more: waiting - shown };
}
