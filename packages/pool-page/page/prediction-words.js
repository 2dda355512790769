import { formatQuantity } from '../universal/quantity.js';

/** More than the p95 of a minute differs by chance from that of the next. */
const FAR_RATIO = 3;
const FAR_MS = 50;
const FAR_APART =
  'The simulation says something else for this size, so do not rely on it. It does not know users who wait for their ' +
  'answer before they ask again, nor an app that is busy itself.';

/** @param {number} poolSize @param {Record<string, number>} p95Ms predicted, by route */
export function describePrediction(poolSize, p95Ms) {
  return `With ${countConnections(poolSize)}: ${listTimes(p95Ms, 'p95 ')}.`;
}

/**
 * @param {number} max 0 for no limit
 * @param {Record<string, number>} p95Ms measured, by route
 * @param {Record<string, number>} predictedMs p95 with that many connections, by route
 */
export function describeMeasured(max, p95Ms, predictedMs) {
  const pool = max === 0 ? 'without a limit' : `with ${countConnections(max)}`;
  if (Object.keys(p95Ms).length === 0) return `Nothing measured yet ${pool}.`;
  const areFarApart = Object.entries(p95Ms).some(([route, ms]) => isFar(ms, predictedMs[route] ?? ms));
  return `Measured ${pool}: ${listTimes(p95Ms)}.${areFarApart ? ` ${FAR_APART}` : ''}`;
}

/** @param {number} count */
function countConnections(count) {
  return `${count} ${count === 1 ? 'connection' : 'connections'}`;
}

/** @param {number} measuredMs @param {number} predictedMs */
function isFar(measuredMs, predictedMs) {
  const [lessMs, moreMs] = [measuredMs, predictedMs].sort((a, b) => a - b);
  return moreMs > FAR_RATIO * lessMs && moreMs - lessMs > FAR_MS;
}

/**
 * Non-breaking spaces hold each time, its route and its unit together.
 * @param {Record<string, number>} timesMs by route
 * @param {string} [figure]
 */
function listTimes(timesMs, figure = '') {
  const times = Object.entries(timesMs).map(([route, ms]) => `${route} ${figure}${formatQuantity(ms, 'ms')}`);
  return times.map((time) => time.replaceAll(' ', '\u00a0')).join(', ');
}
