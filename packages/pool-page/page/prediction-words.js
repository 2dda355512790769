import { countConnections, countOf, describeBand, formatQuantity } from '../universal/quantity.js';

/** @import { WhatIf, WhatIfRoute } from 'mongodb-pool-predictor' */
/** @import { State } from './state.js' */

const FIGURES = { p95Ms: 'p95', maxMs: 'max' };

/** @type {Record<string, string>} */
const NOT_CHECKED = {
  nobodyWaited: 'nobody waited for a connection, so every pool of this size or larger looks the same',
  fewWaits: 'only a few queries waited for a connection',
  unknownSize: 'the pool has no limit',
};
const SEND_MORE = 'Send more at once, or make the pool smaller.';
const FOLLOWS = 'What each request would have taken follows when it is known.';
/** Nobody wants so many connections, and far fewer may be enough. */
const MAX_ENOUGH = 100;
/** A band this wide says no more than its upper end. */
const MAX_BAND_FACTOR = 1e4;
/** Two figures are the same if they differ by less than this share, or time. */
const SAME = { share: 0.1, ms: 5 };

/**
 * The answer to "what if", in one sentence: of the route whose figure changes most.
 *
 * @param {Pick<WhatIf, 'poolSizes' | 'recordedSize' | 'failures' | 'isOpen'>} whatIf
 * @param {Record<string, WhatIfRoute>} routes
 * @param {number} index of a size
 */
export function describeAnswer({ poolSizes, recordedSize, failures, isOpen }, routes, index) {
  const size = poolSizes[index];
  const changes = Object.entries(routes).map(([name, { measuredMs, predictedMs, bandsMs }]) => {
    const [ms, [lowMs, highMs]] = [predictedMs[index], bandsMs[index]];
    const vague = isVague(lowMs, highMs);
    const then = `${vague ? 'at most ' : ''}${formatQuantity(vague ? highMs : ms, 'ms')}`;
    return { name, measuredMs, ms, then, change: Math.abs(Math.log(ms / measuredMs)) };
  });
  const [{ name, measuredMs, ms, then }] = changes.toSorted((a, b) => b.change - a.change);
  const now = `${isOpen ? 'at least ' : ''}${formatQuantity(measuredMs, 'ms')}`;
  const fail = failures[index] > 0 ? `, and ${countOf(failures[index], 'request', 'requests')} would have failed` : '';
  const isSame = Math.abs(ms - measuredMs) <= Math.max(SAME.ms, SAME.share * measuredMs);
  const having = `With ${countConnections(size)}`;
  if (size === recordedSize) return `${having}, as now, ${name} took ${now}${fail}.`;
  if (isSame) return `${having}, ${name} would have taken ${then}, as with ${recordedSize}${fail}.`;
  return `${having}, ${name} would have taken ${then} instead of ${now}${fail}.`;
}

/**
 * Those who wait, and how many connections would have been enough for all so far. A larger pool serves each no later, so
 * no more would have met. Where the pool is not what they wait for, that is unknown.
 * @param {Pick<State, 'pool' | 'seconds' | 'bottleneck'>} state
 * @returns {Queue | null} null if nobody waits
 */
export function findQueue({ pool, seconds, bottleneck }) {
  if (!pool || pool.waiting === 0) return null;
  const now = pool.active + pool.waiting;
  const same = seconds.slice(seconds.findLastIndex(({ max }) => max !== pool.max) + 1);
  const most = Math.max(now, ...same.map(({ active, waiting }) => active + waiting));
  const isFull = pool.max > 0 && pool.active >= pool.max && !bottleneck;
  return { count: pool.waiting, isGrowing: isFull && now >= most, enough: isFull ? most : NaN };
}

/**
 * @typedef {object} Queue requests that wait now
 * @property {number} count
 * @property {boolean} isGrowing never before were more connections in use or waited for
 * @property {number} enough connections with which nobody would have waited so far; NaN: unknown
 *
 * @param {Queue} queue
 */
function describeQueue({ count, isGrowing, enough }) {
  const who = `${isGrowing ? 'Still growing: ' : ''}${count} ${count === 1 ? 'waits' : 'wait'}.`;
  return enough <= MAX_ENOUGH ? `${who} With ${countConnections(enough)}, nobody would have waited so far.` : who;
}

/** @param {number} poolSize @param {Record<string, WhatIfRoute>} routes @param {number} index of the size @param {number} failures */
export function describePrediction(poolSize, routes, index, failures) {
  const times = listTimes(
    routes,
    ({
      predictedMs: { [index]: ms },
      bandsMs: {
        [index]: [lowMs, highMs],
      },
    }) => {
      if (isVague(lowMs, highMs)) return `at most ${formatQuantity(highMs, 'ms')}`;
      const band = lowMs < highMs ? ` (${describeBand(lowMs, highMs)})` : '';
      return `${formatQuantity(ms, 'ms')}${band}`;
    },
  );
  return `With ${countConnections(poolSize)}: ${times}${failures > 0 ? `, ${failures} fail` : ''}.`;
}

/** @param {number} poolSize @param {Record<string, WhatIfRoute>} routes */
export function describeMeasured(poolSize, routes) {
  return `Measured with ${countConnections(poolSize)}: ${listTimes(routes, ({ measuredMs }) => formatQuantity(measuredMs, 'ms'))}.`;
}

/**
 * Why there are no figures, or how far the figures go; nothing where they can be relied on.
 * @param {WhatIf | undefined} whatIf undefined before the first one
 * @param {Queue | null} queue null if nobody waits now, which the figures may not know yet
 */
export function explainDoubt(whatIf, queue) {
  if (!whatIf) return queue ? describeQueue(queue) : '';
  const { isOpen, doubt, poolSizes, check } = whatIf;
  if (doubt === null || poolSizes.length > 0) return explainWithheld(whatIf);
  if (!queue) return isOpen ? `The queue is empty again. ${FOLLOWS}` : explainWithheld(whatIf);
  // What nobody can know before the queue is empty needs no other reason.
  const isUnknown = doubt === 'notChecked' || check.reason === 'unserved';
  return `${describeQueue(queue)} ${isUnknown ? FOLLOWS : explainWithheld(whatIf)}`;
}

/** @param {WhatIf} whatIf */
function explainWithheld({ doubt, poolSizes, check: { reason, waits } }) {
  if (doubt === 'notChecked') return `No prediction: in the last minute, ${NOT_CHECKED[String(reason)]}. ${SEND_MORE}`;
  if (doubt === 'unclear')
    return `No figures for ${poolSizes.length > 0 ? 'the other sizes' : 'other sizes'}: the last minute does not show which requests wait for the answers to others.`;
  if (doubt === 'unknownServer')
    return 'No figures for the other sizes: the last minute does not show how busy the server and the app would be there.';
  if (doubt === 'manyClients') return 'No prediction: the app has many clients, each with a pool of its own.';
  if (doubt === 'growingQueue') return 'No prediction: in the last minute, requests piled up on a full server.';
  if (doubt === 'checkFails' && reason === 'unserved')
    return 'No prediction: in the last minute, many requests got no connection, and nothing shows what they would have done with one.';
  if (doubt === 'checkFails')
    return reason === 'otherWaits'
      ? `No prediction: ${Math.round(waits.otherShare * 100)} % of the waiting was neither for a connection of a full pool nor in an opening that was recorded.`
      : 'No prediction: a replay of the last minute does not explain its waits.';
  return '';
}

/** @param {number} lowMs @param {number} highMs of a band */
function isVague(lowMs, highMs) {
  return highMs > MAX_BAND_FACTOR * lowMs;
}

/**
 * Non-breaking spaces hold each time, its route and its unit together, and each band.
 * @param {Record<string, WhatIfRoute>} routes
 * @param {(route: WhatIfRoute) => string} read
 */
function listTimes(routes, read) {
  return Object.entries(routes)
    .map(([name, route]) => `${name} ${FIGURES[route.figure]} ${read(route)}`)
    .map((time) => time.replaceAll(/ (?!\()/g, '\u00a0'))
    .join(', ');
}
