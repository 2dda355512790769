import { explainReason } from '../universal/finding-words.js';
import { countConnections, countOf, describeBand, formatQuantity } from '../universal/quantity.js';
import { describeBestGuess } from '../universal/size-words.js';
import { nameFigure, nameKind } from '../universal/speedup-words.js';
import { joinWords } from './words.js';

/** @import { Speedups, WhatIf, WhatIfRoute } from 'mongodb-pool-predictor' */
/** @import { State } from './state.js' */

const FIGURES = { p95Ms: 'p95', maxMs: 'max' };

const FOLLOWS = 'What each request would have taken follows when it is known.';
/** Nobody wants so many connections, and far fewer may be enough. */
const MAX_ENOUGH = 100;
/**
 * The answer to "what if", in one sentence about the route whose figure changes most.
 *
 * @param {Pick<WhatIf, 'poolSizes' | 'recordedSize' | 'failures' | 'isOpen'>} whatIf
 * @param {Record<string, WhatIfRoute>} routes
 * @param {number} index of a size
 */
export function describeAnswer({ poolSizes, recordedSize, failures, isOpen }, routes, index) {
  const size = poolSizes[index];
  const changes = Object.entries(routes).map(([name, { measuredMs, predicted }]) => {
    const figure = predicted[index];
    const { ms, then } = describeChange(figure, measuredMs);
    return { name, measuredMs, isSame: figure.isSame, then, change: Math.abs(Math.log(ms / measuredMs)) };
  });
  const [{ name, measuredMs, isSame, then }] = changes.toSorted((a, b) => b.change - a.change);
  const now = `${isOpen ? 'at least ' : ''}${formatQuantity(measuredMs, 'ms')}`;
  const fail = failures[index] > 0 ? `, and ${countOf(failures[index], 'request', 'requests')} would have failed` : '';
  const having = `With ${countConnections(size)}`;
  if (size === recordedSize) return `${having}, as now, ${name} took ${now}${fail}.`;
  if (isSame) return `${having}, ${name} would have taken ${then}, as with ${recordedSize}${fail}.`;
  return `${having}, ${name} would have taken ${then} instead of ${now}${fail}.`;
}

/** Which load was replayed. @param {number} atMs its end @param {Record<string, WhatIfRoute>} routes */
export function describeSource(atMs, routes) {
  const counts = Object.entries(routes).map(([route, { count }]) => `${count}\u00a0${route.replaceAll(' ', '\u00a0')}`);
  const until = new Date(atMs).toLocaleTimeString('en-GB');
  return `The minute before ${until}, replayed in this browser: ${joinWords(counts)}.`;
}

/** Why the slider is where it is, unasked. @param {Pick<WhatIf, 'best' | 'poolSizes'>} whatIf */
export function describeGuess({ best, poolSizes }) {
  return best ? describeBestGuess(best, { load: 'this load', tried: poolSizes }) : '';
}

/**
 * What is sure of a figure: itself, or where its band hides it, the end of the band that is next to what was measured.
 *
 * @param {WhatIfRoute['predicted'][number]} figure
 * @param {number} measuredMs
 * @returns {{ ms: number, then: string }} ms: that is compared with what was measured
 */
function describeChange(figure, measuredMs) {
  const [lowMs, highMs] = [Number(figure.lowMs), Number(figure.highMs)];
  if (!Number.isNaN(figure.ms)) return { ms: figure.ms, then: formatQuantity(figure.ms, 'ms') };
  if (highMs < measuredMs) return { ms: highMs, then: `at most ${formatQuantity(highMs, 'ms')}` };
  if (lowMs > measuredMs) return { ms: lowMs, then: `at least ${formatQuantity(lowMs, 'ms')}` };
  return { ms: measuredMs, then: describeEnds(figure) };
}

/**
 * Those who wait, and how many connections would have been enough for all so far. A larger pool serves each no later,
 * so no more would have met. Where the pool is not what they wait for, that is unknown.
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

/**
 * @param {Pick<WhatIf, 'poolSizes' | 'failures' | 'unknownFailures'>} whatIf
 * @param {Record<string, WhatIfRoute>} routes
 * @param {number} index of the size
 */
export function describePrediction({ poolSizes, failures, unknownFailures }, routes, index) {
  const count = failures[index];
  const times = listTimes(routes, ({ predicted: { [index]: figure } }) => {
    if (Number.isNaN(figure.ms)) return describeEnds(figure);
    const band = Number(figure.lowMs) < Number(figure.highMs) ? ` (${describeEnds(figure)})` : '';
    return `${formatQuantity(figure.ms, 'ms')}${band}`;
  });
  const why =
    Number.isNaN(count) && unknownFailures
      ? ` How many fail is unknown: ${explainReason(unknownFailures, { isBrief: true })}.`
      : '';
  return `With ${countConnections(poolSizes[index])}: ${times}${count > 0 ? `, ${count} fail` : ''}.${why}`;
}

/**
 * The band of a figure; alone, where the figure is hidden because of it.
 * @param {WhatIfRoute['predicted'][number]} figure
 */
function describeEnds({ lowMs, highMs }) {
  return describeBand(Number(lowMs), Number(highMs));
}

/** @param {number} poolSize @param {Record<string, WhatIfRoute>} routes */
export function describeMeasured(poolSize, routes) {
  const times = listTimes(routes, ({ measuredMs }) => formatQuantity(measuredMs, 'ms'));
  return `Measured with ${countConnections(poolSize)}: ${times}.`;
}

/**
 * Why there are no figures; nothing if there are.
 * @param {WhatIf | undefined} whatIf undefined before the first one
 * @param {Queue | null} queue null if nobody waits now, which the figures may not know yet
 */
export function explainDoubt(whatIf, queue) {
  if (!whatIf) return queue ? describeQueue(queue) : '';
  const { isOpen, doubt } = whatIf;
  if (doubt === null) return '';
  const explained = `No prediction: ${explainReason(doubt, { isBrief: true })}.`;
  if (!queue) return isOpen ? `The queue is empty again. ${FOLLOWS}` : explained;
  // What nobody can know before the queue is empty needs no other reason.
  return `${describeQueue(queue)} ${doubt.code === 'unserved' || doubt.code === 'fewRequests' ? FOLLOWS : explained}`;
}

/** The heading of each share of their time that queries are tried with. @type {Record<number, string>} */
const TRIED = { 0.9: '10 % less', 0.5: 'half', 0: 'never sent' };
/** The rest changes less. */
const MAX_KINDS = 5;

/**
 * The figures behind the sentence of describeSpeedup.
 *
 * @param {Speedups} speedups
 * @returns {{ caption: string, rows: string[][] }} the first row has the headings; no rows where times are withheld, or
 *   nothing is sure
 */
export function tabulateSpeedups({ target, now, kinds, best, reason }) {
  const describe = (/** @type {number} */ ms) => (Number.isFinite(ms) ? formatQuantity(ms, 'ms') : '–');
  const nowMs = describe(Number(now?.ms));
  const what = `${nameFigure(target.figure)} of ${target.route}`;
  const caption = `${what}, now ${nowMs}, if a query took less time (one simulation each)`;
  if (!best || reason) return { caption, rows: [] };
  const rows = kinds.map((kind) => [nameKind(kind), ...kind.tries.map(({ ms }) => describe(ms))]);
  return {
    caption,
    rows: [['query', ...kinds[0].tries.map(({ factor }) => TRIED[factor])], ...rows.slice(0, MAX_KINDS)],
  };
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
