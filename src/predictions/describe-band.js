import { formatQuantity } from 'mongodb-pool-monitor/universal/quantity.js';

/** 8 to 15 ms, 800 ms to 1.2 s. @param {number} lowMs @param {number} highMs */
export function describeBand(lowMs, highMs) {
  const [low, high] = [lowMs, highMs].map((ms) => formatQuantity(ms, 'ms'));
  if (low === high) return low;
  const unit = high.slice(high.indexOf(' '));
  return `${low.endsWith(unit) ? low.slice(0, -unit.length) : low} to ${high}`;
}
