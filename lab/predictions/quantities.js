import { formatQuantity } from 'mongodb-pool-page/universal/quantity.js';

/** Formats a band: 8 to 15 ms, 800 ms to 1.2 s. @param {number} lowMs @param {number} highMs */
export function describeBand(lowMs, highMs) {
  const [low, high] = [lowMs, highMs].map((ms) => formatQuantity(ms, 'ms'));
  if (low === high) return low;
  const unit = high.slice(high.indexOf(' '));
  return `${low.endsWith(unit) ? low.slice(0, -unit.length) : low} to ${high}`;
}

/** @param {number} count @param {string} one @param {string} many */
export function countOf(count, one, many) {
  return `${count} ${count === 1 ? one : many}`;
}

/** @param {number} count */
export function countConnections(count) {
  return countOf(count, 'connection', 'connections');
}
