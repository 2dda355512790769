// Charts as SVG text, for the pages and for the room's result. Only numbers and texts of the lab get into them.

const MOST_BINS = 40;
/** With a wider range than this, a linear axis would squeeze most dots into its left end. */
const WIDE_RANGE = 30;
const DOT_PX = 9;
/** A logarithmic axis begins here at the earliest. */
const LEAST_LOG = 1e-6;

/** @typedef {{ width: number, low: number, high: number, isLog: boolean }} Scale */

/**
 * Guesses above a line, measurements below it, each a dot.
 * @param {object} data
 * @param {number[]} data.guesses
 * @param {number[]} data.measured empty before the reveal
 * @param {string} data.unit
 * @param {number} width in px
 * @returns {string} SVG
 */
export function drawGuesses({ guesses, measured, unit }, width) {
  const scale = createScale([...guesses, ...measured], width);
  const above = stack(guesses, scale);
  const below = stack(measured, scale);
  const size = Math.max(2.5, Math.min(DOT_PX, 150 / Math.max(1, highest(above), highest(below))));
  const top = Math.max(5, highest(above)) * 2 * size + 34;
  const height = top + (measured.length > 0 ? Math.max(3, highest(below)) * 2 * size + 66 : 40);
  const typical = measured.length > 0 ? median(measured) : undefined;
  return svg(width, height, describeGuesses(guesses, measured, unit), [
    // It leaves out the names on the axis.
    typical === undefined ? '' : [[10, top], [top + 26, height - 30]].map(([from, to]) => (
      `<line class="typical" x1="${px(x(typical, scale))}" x2="${px(x(typical, scale))}" y1="${px(from)}" y2="${px(to)}"/>`)).join(''),
    `<line class="axis" x1="0" x2="${width}" y1="${px(top)}" y2="${px(top)}"/>`,
    dots(above, size, (level) => top - (2 * level + 1) * size - 3, 'guess'),
    dots(below, size, (level) => top + (2 * level + 1) * size + 30, 'found'),
    ticks(scale).map((value) => text(x(value, scale), top + 20, format(value), anchorOf(x(value, scale), width))).join(''),
    typical === undefined ? ''
      : text(x(typical, scale), height - 8, `measured: ${format(typical)} ${unit}`, anchorOf(x(typical, scale), width), 'strong'),
  ]);
}

/**
 * Everybody's measured pool sizes in one chart: the slowest request by pool size.
 * @param {[poolSize: number, slowestMs: number][]} points
 * @param {number} width in px
 * @returns {string} SVG
 */
export function drawPoints(points, width) {
  const [left, bottom, height] = [54, 46, 320];
  const largest = Math.max(...points.map(([size]) => size));
  const slowestS = Math.max(...points.map(([, ms]) => ms)) / 1000 || 1;
  const step = niceStep(slowestS / 5);
  const topS = Math.ceil(slowestS / step) * step;
  const across = (/** @type {number} */ size) => left + (size / (largest + 0.5)) * (width - left - 10);
  const down = (/** @type {number} */ ms) => 14 + (1 - ms / 1000 / topS) * (height - bottom - 14);
  const sizes = [...new Set(points.map(([size]) => size))].toSorted((a, b) => a - b);
  const typical = sizes.map((size) => `${px(across(size))},${px(down(median(points.filter(([one]) => one === size).map(([, ms]) => ms))))}`);
  const levels = Array.from({ length: Math.round(topS / step) + 1 }, (_, index) => index * step);
  return svg(width, height, `The slowest request by pool size, ${points.length} measurements from the room: ${sizes.map((size) => (
    `${size}: ${format(median(points.filter(([one]) => one === size).map(([, ms]) => ms)) / 1000)} s`)).join(', ')}.`, [
    ...levels.flatMap((seconds) => [
      `<line class="grid" x1="${left}" x2="${width}" y1="${px(down(seconds * 1000))}" y2="${px(down(seconds * 1000))}"/>`,
      text(left - 8, down(seconds * 1000) + 5, `${format(seconds)} s`, 'end'),
    ]),
    `<polyline class="typical" points="${typical.join(' ')}"/>`,
    ...points.map(([size, ms]) => `<circle class="found" cx="${px(across(size))}" cy="${px(down(ms))}" r="6"/>`),
    ...thin(sizes, across).map((size) => text(across(size), height - 24, String(size), 'middle')),
    text((left + width) / 2, height - 4, 'connections', 'middle'),
  ]);
}

/** Whether there is a curve to draw: at least two pool sizes. @param {[poolSize: number, slowestMs: number][]} points */
export function hasCurve(points) {
  return new Set(points.map(([size]) => size)).size > 1;
}

/** @param {number[]} guesses @param {number[]} measured @param {string} unit */
function describeGuesses(guesses, measured, unit) {
  if (guesses.length === 0 && measured.length === 0) return 'No guesses yet.';
  const sum = (/** @type {number[]} */ values, /** @type {string} */ one, /** @type {string} */ many) => {
    if (values.length === 0) return '';
    if (values.length === 1) return `1 ${one}: ${format(values[0])} ${unit}.`;
    return `${values.length} ${many} from ${format(Math.min(...values))} to ${format(Math.max(...values))}, half of them up to `
      + `${format(median(values))} ${unit}.`;
  };
  return `${sum(guesses, 'guess', 'guesses')} ${sum(measured, 'measurement', 'measurements')}`.trim();
}

/** @param {number[]} values @param {number} width @returns {Scale} */
function createScale(values, width) {
  const [least, most] = values.length > 0 ? [Math.min(...values), Math.max(...values)] : [0, 10];
  const isLog = least >= LEAST_LOG && most / least > WIDE_RANGE;
  if (isLog) return { width, low: least / 1.3, high: most * 1.3, isLog };
  const room = (most - Math.min(0, least)) * 0.06 || 1;
  return { width, low: Math.min(0, least), high: most + room, isLog };
}

/** @param {number} value @param {Scale} scale */
function x(value, { width, low, high, isLog }) {
  const share = isLog ? Math.log(value / low) / Math.log(high / low) : (value - low) / (high - low);
  return 14 + share * (width - 28);
}

/** Dots beside each other must not overlap. @param {Scale} scale */
function countBins({ width }) {
  return Math.max(1, Math.min(MOST_BINS, Math.floor((width - 28) / (2 * DOT_PX))));
}

/** @typedef {{ at: number, count: number }} Pile at: px, the mean of its values */

/** Values that are close to each other share a pile. @param {number[]} values @param {Scale} scale @returns {Pile[]} */
function stack(values, scale) {
  const bins = countBins(scale);
  /** @type {Map<number, number[]>} */
  const piles = new Map();
  for (const at of values.map((value) => x(value, scale))) {
    const bin = Math.round(((at - 14) / (scale.width - 28)) * bins);
    piles.set(bin, [...piles.get(bin) ?? [], at]);
  }
  return [...piles.values()].map((all) => ({ at: all.reduce((sum, at) => sum + at, 0) / all.length, count: all.length }));
}

/** @param {Pile[]} piles @param {number} size @param {(level: number) => number} y @param {string} look */
function dots(piles, size, y, look) {
  return piles.flatMap(({ at, count }) => Array.from({ length: count }, (_, level) => (
    `<circle class="${look}" cx="${px(at)}" cy="${px(y(level))}" r="${px(size * 0.86)}"/>`))).join('');
}

/** @param {Pile[]} piles */
function highest(piles) {
  return Math.max(0, ...piles.map(({ count }) => count));
}

/** @param {Scale} scale @returns {number[]} */
function ticks({ width, low, high, isLog }) {
  const room = Math.max(3, Math.floor(width / 65));
  if (!isLog) {
    const step = niceStep((high - low) / room);
    const first = Math.ceil(low / step);
    return Array.from({ length: Math.floor(high / step) - first + 1 }, (_, index) => (first + index) * step);
  }
  const powers = Array.from({ length: 19 }, (_, index) => 10 ** (index - 6));
  const all = high / low > 300 ? powers : powers.flatMap((power) => [power, 2 * power, 5 * power]);
  const shown = all.filter((value) => value >= low && value <= high);
  return shown.filter((_, index) => index % Math.ceil(shown.length / room) === 0);
}

/** 1, 2 or 5 times a power of ten. @param {number} least */
function niceStep(least) {
  const power = 10 ** Math.floor(Math.log10(least || 1));
  return power * ([1, 2, 5].find((times) => times * power >= least) ?? 10);
}

/** Leaves out names that would touch. @param {number[]} sizes @param {(size: number) => number} across */
function thin(sizes, across) {
  let last = -Infinity;
  return sizes.filter((size) => {
    if (across(size) - last < 26) return false;
    last = across(size);
    return true;
  });
}

/** @param {number[]} values */
export function median(values) {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.ceil(sorted.length / 2) - 1];
}

/** @param {number} value */
export function format(value) {
  return new Intl.NumberFormat('en', { maximumSignificantDigits: 3 }).format(value);
}

/** @param {number} value */
function px(value) {
  return value.toFixed(1);
}

/** @param {number} at @param {number} width */
function anchorOf(at, width) {
  if (at < 90) return 'start';
  return at > width - 90 ? 'end' : 'middle';
}

/** @param {number} at @param {number} y @param {string} words @param {string} anchor @param {string} [look] */
function text(at, y, words, anchor, look = 'label') {
  return `<text class="${look}" x="${px(at)}" y="${px(y)}" text-anchor="${anchor}">${escape(words)}</text>`;
}

/** @param {number} width @param {number} height @param {string} label @param {string[]} parts */
function svg(width, height, label, parts) {
  return `<svg viewBox="0 0 ${px(width)} ${px(height)}" role="img" aria-label="${escape(label)}">${parts.join('')}</svg>`;
}

/** @param {string} words */
function escape(words) {
  return words.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');
}
