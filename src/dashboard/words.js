import { formatQuantity } from './shared/quantity.js';

/** @import { Holder, LoadTest, Pool } from './types.js' */

/**
 * A time that grows while one looks at it: always in seconds with one decimal.
 * @param {number} ms
 */
export function formatSeconds(ms) {
  return `${(ms / 1000).toFixed(1)} s`;
}

/**
 * The pool in a sentence of two halves, of which the second is the one that hurts.
 * @param {Pool} pool
 * @param {number} elapsedMs since the app told it
 * @returns {{ mood: 'calm' | 'queue', lanes: string, queue: string }}
 */
export function describePool({ max, active, waiting, queue }, elapsedMs) {
  const lanes = describeLanes(max, active);
  if (waiting === 0) return { mood: 'calm', lanes, queue: active === 0 ? '' : 'nobody waits' };
  const longest = queue.length > 0 ? formatSeconds(queue[0].waitMs + elapsedMs) : undefined;
  if (waiting === 1) return { mood: 'queue', lanes, queue: `1 waits${longest ? `, for ${longest}` : ''}` };
  return { mood: 'queue', lanes, queue: `${waiting} wait${longest ? `; the longest for ${longest}` : ''}` };
}

/**
 * @param {number} max
 * @param {number} active
 */
function describeLanes(max, active) {
  if (active === 0 && max === 1) return 'The only lane is free';
  if (active === 0) return max === 0 ? 'All lanes are free' : `All ${max} lanes are free`;
  if (max === 0) return `${active} ${active === 1 ? 'lane' : 'lanes'} busy, and no limit`;
  return `${active} of ${max} lanes busy`;
}

/**
 * Who holds the connections that a request waits for: `/slow`, `2 /slow and 1 /fast`.
 * @param {Holder[]} behind
 */
export function describeBehind(behind) {
  if (behind.length === 0) return '';
  const routes = behind.map(({ route }) => nameRoute(route));
  if (routes.length === 1) return routes[0];
  /** @type {Map<string, number>} */
  const counts = new Map();
  for (const route of routes) counts.set(route, (counts.get(route) ?? 0) + 1);
  return [...counts].map(([route, count]) => `${count} ${route}`).join(' and ');
}

/**
 * @param {string | null} route null for a query of the app's own
 */
export function nameRoute(route) {
  return route ?? 'own query';
}

/**
 * @param {string | null} route
 * @param {number} waitMs
 * @param {Holder[]} behind
 */
export function describeWaiter(route, waitMs, behind) {
  const holders = describeBehind(behind);
  return `${nameRoute(route)} has waited ${formatSeconds(waitMs)}${holders ? ` behind ${holders}` : ''}`;
}

/**
 * @param {Pick<LoadTest, 'measured' | 'poolSize' | 'state' | 'error'>} loadTest
 */
export function describeLoadTest({ measured, poolSize, state, error }) {
  if (state === 'failed') return `The load test failed: ${error ?? 'no reason given'}`;
  if (!measured) return 'The load test is running.';
  const fastMs = measured.routes['/fast']?.maxMs;
  const failures = measured.failures === 0 ? 'no request failed' : `${measured.failures} requests failed`;
  return [
    `With a pool of ${poolSize}, the slowest request took ${formatQuantity(measured.maxMs, 'ms')}`,
    fastMs === undefined ? '' : `, the slowest /fast ${formatQuantity(fastMs, 'ms')}`,
    `; ${failures}.`,
  ].join('');
}

/**
 * @param {number} poolSize
 * @param {Record<string, number>} p95Ms predicted, by route
 */
export function describePrediction(poolSize, p95Ms) {
  return `With ${poolSize} ${poolSize === 1 ? 'connection' : 'connections'}: ${listTimes(p95Ms, 'p95 ')}.`;
}

/**
 * What a prediction is to be held against.
 * @param {number} max 0 for no limit
 * @param {Record<string, number>} p95Ms measured, by route
 */
export function describeToday(max, p95Ms) {
  const pool = max === 0 ? 'without a limit' : `with ${max}`;
  if (Object.keys(p95Ms).length === 0) return `Today, ${pool}: nothing measured yet.`;
  return `Measured today, ${pool}: ${listTimes(p95Ms)}.`;
}

/**
 * A route, its figure and its unit stay on one line.
 * @param {Record<string, number>} timesMs by route
 * @param {string} [figure]
 */
function listTimes(timesMs, figure = '') {
  const times = Object.entries(timesMs).map(([route, ms]) => `${route} ${figure}${formatQuantity(ms, 'ms')}`);
  return times.map((time) => time.replaceAll(' ', '\u00a0')).join(', ');
}
