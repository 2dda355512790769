import { describeBand, formatNumber, formatQuantity } from 'mongodb-pool-page/universal/quantity.js';

/** @import { Prediction } from './simulation.js' */

const PERCENTILES = /** @type {const} */ (['p50Ms', 'p95Ms', 'p99Ms', 'maxMs']);

/** Asks for the service time of a route. @param {string} route @param {string} value */
export function createField(route, value) {
  const label = document.createElement('label');
  const input = document.createElement('input');
  Object.assign(input, { name: route, value, size: 12 });
  label.append(`${route} takes, in ms `, input);
  return label;
}

/** @typedef {Prediction['variants'][number]['predicted']['routes'][string]} Times */

/**
 * How long requests of a route take.
 * @param {string} route
 * @param {Times} times
 * @param {(Times | undefined)[]} band its ends
 */
export function createRow(route, times, band) {
  const row = document.createElement('tr');
  const name = document.createElement('th');
  Object.assign(name, { scope: 'row', textContent: route });
  row.append(
    name,
    ...PERCENTILES.map((key) =>
      createCell(
        times[key],
        formatTime(
          times[key],
          band.map((end) => end?.[key]),
        ),
      ),
    ),
    createCell(times.failures, Number.isNaN(times.failures) ? '?' : formatNumber(times.failures)),
  );
  return row;
}

/** A time, or where it is hidden, its band. @param {number} ms @param {(number | undefined)[]} band its ends */
export function formatTime(ms, band) {
  if (Number.isFinite(ms)) return formatQuantity(ms, 'ms');
  const [lowMs, highMs] = band.map(Number);
  return Number.isFinite(lowMs) ? describeBand(lowMs, highMs) : '–';
}

/** @param {number} value @param {string} text */
function createCell(value, text) {
  const cell = document.createElement('td');
  const data = cell.appendChild(document.createElement('data'));
  Object.assign(data, { value: String(value), textContent: text });
  return cell;
}
