/** Two measurements of the same load differ as much, as the article's table shows. */
const NOISE_MS = 5;

/**
 * @param {number} measured
 * @param {number} predicted
 * @param {number} share allowed difference, e.g. 0.1
 * @returns {string} both; a difference above the share but below 5 ms is marked (ms), a larger one OFF
 */
export function compare(measured, predicted, share) {
  const offMs = Math.abs(measured - predicted);
  const verdict = offMs <= share * predicted ? '' : offMs <= NOISE_MS ? ' (ms)' : ' OFF';
  return `${measured.toFixed(1)} / ${predicted.toFixed(1)}${verdict}`;
}
