import { formatQuantity } from '../universal/quantity.js';

/** @import { Holder, LoadTest, Pool } from './feed-types.js' */
/** @import { State } from './state.js' */

/**
 * A time that grows while one looks at it: always in seconds with one decimal.
 * @param {number} ms
 */
export function formatSeconds(ms) {
  return `${(ms / 1000).toFixed(1)} s`;
}

/**
 * Whether what one sees is what is.
 * @param {Pick<State, 'connection' | 'pool'>} state
 */
export function describeConnection({ connection, pool }) {
  if (connection === 'connecting') return 'Connecting to the app';
  if (connection === 'lost') return 'The app does not answer. The page shows its last state and keeps trying.';
  if (!pool || pool.database.reachable) return 'Live';
  const { reason } = pool.database;
  return `The app answers, but MongoDB does not${reason ? `: ${reason}` : '.'}`;
}

/**
 * The pool in a sentence of two halves, of which the second is the one that hurts.
 * @param {Pool} pool
 * @param {number} elapsedMs since the app told it
 * @returns {{ mood: 'calm' | 'queue', lanes: string, queue: string }}
 */
export function describePool(pool, elapsedMs) {
  const { database, active, waiting } = pool;
  if (!database.reachable) {
    return {
      mood: 'queue', lanes: 'MongoDB is unreachable', queue: waiting > 0 ? describeQueue(pool, elapsedMs) : 'requests fail',
    };
  }
  const lanes = describeLanes(pool);
  if (waiting === 0) return { mood: 'calm', lanes, queue: active === 0 ? '' : 'nobody is waiting' };
  return { mood: 'queue', lanes, queue: describeOpening(pool) ?? describeQueue(pool, elapsedMs) };
}

/** @param {Pool} pool */
function describeLanes({ max, active, idle, waiting }) {
  if (active === 0 && waiting > 0) return idle === 0 ? 'No lane is open yet' : 'No lane is busy';
  if (active === 0 && max === 1) return 'The only lane is free';
  if (active === 0) return max === 0 ? 'All lanes are free' : `All ${max} lanes are free`;
  if (max === 0) return `${active} ${active === 1 ? 'lane' : 'lanes'} busy, and no limit`;
  return max === 1 ? 'The only lane is busy' : `${active} of ${max} lanes busy`;
}

/**
 * Why requests wait although there are lanes for them: these have to be opened, and the driver opens only so many at
 * once. It takes the place of the longest wait, for the sentence has but one line.
 * @param {Pool} pool
 */
function describeOpening({ max, maxConnecting, total, connecting, waiting }) {
  if (connecting === 0) return undefined;
  const isHeldUp = waiting > connecting && (max === 0 || total < max);
  if (isHeldUp) return `${waiting} waiting: lanes open ${maxConnecting} at a time`;
  return `${waiting} waiting, ${connecting} ${connecting === 1 ? 'lane' : 'lanes'} opening`;
}

/**
 * @param {Pool} pool
 * @param {number} elapsedMs
 */
function describeQueue({ waiting, queue }, elapsedMs) {
  if (queue.length === 0) return `${waiting} waiting`;
  const longest = formatSeconds(queue[0].waitMs + elapsedMs);
  return waiting === 1 ? `1 waiting, for ${longest}` : `${waiting} waiting, the longest for ${longest}`;
}

/**
 * What stands where requests that came through late will be listed.
 * @param {Pool | null} pool
 */
export function describeNoneYet(pool) {
  const count = pool?.queue.filter(({ route }) => route === '/fast').length ?? 0;
  if (!pool || count === 0) return 'None so far.';
  // The app tells of the first in the queue alone.
  if (pool.waiting > pool.queue.length) return `More than ${count} are waiting now. They are listed here once they are through.`;
  if (count === 1) return 'One is waiting now. It is listed here once it is through.';
  return `${count} are waiting now. They are listed here once they are through.`;
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
 * What somebody changed while a load test ran, so that nobody takes its figures for those of one pool size: empty
 * where nothing changed.
 * @param {Pick<LoadTest, 'poolSize' | 'slowMs' | 'changes'>} loadTest
 */
export function describeChanges({ changes, ...start }) {
  const texts = changes.map(({ poolSize, slowMs, afterMs }, index) => {
    const before = changes[index - 1] ?? start;
    const became = [
      ...(poolSize === before.poolSize ? [] : [`the pool size to ${poolSize}`]),
      ...(slowMs === before.slowMs ? [] : [`SLOW_MS to ${slowMs}`]),
    ];
    return `${became.join(' and ')} after ${formatSeconds(afterMs)}`;
  });
  return texts.length === 0 ? '' : `changed during the test: ${texts.join(', ')}`;
}

/** @param {LoadTest} loadTest */
export function describeLoadTest({ measured, state, error, ...load }) {
  const { poolSize } = load;
  const changes = describeChanges(load);
  if (state === 'failed') return `The load test failed: ${error ?? 'no reason given'}`;
  if (!measured) return 'The load test is running.';
  const fastMs = measured.routes['/fast']?.maxMs;
  const failures = measured.failures === 0 ? 'no request failed' : `${measured.failures} requests failed`;
  return [
    `With a pool of ${poolSize}${changes ? ` (${changes})` : ''}, the slowest request took ${formatQuantity(measured.maxMs, 'ms')}`,
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
