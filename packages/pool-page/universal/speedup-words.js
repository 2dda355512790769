import { explainMore, explainReason } from './finding-words.js';
import { countConnections, describeBand, formatQuantity, formatShare } from './quantity.js';

/** @import { ShownFigure, Speedups, WhatIfQueries } from 'mongodb-pool-predictor' */

/** Names the queries of a route that are one operation. @param {{ route: string, operation?: string }} kind */
export function nameKind({ route, operation }) {
  return `${operation ?? 'the queries'} of ${route}`;
}

const FREED = "faster queries also free the server's cores";

const LESS_TIME = /** @type {Record<number, string>} */ ({
  0.9: 'took 10 % less time',
  0.5: 'took half the time',
  0: 'were never sent',
});

/**
 * Says which query would help most if it took less time, and how many connections do the same.
 *
 * @param {Speedups} speedups
 * @returns {string} empty where nothing is known
 */
export function describeSpeedup(speedups) {
  const { target, isShared, now, kinds, best } = speedups;
  if (!now) return '';
  const figure = `the ${nameFigure(target.figure)} of ${target.route}`;
  if (!best) return `Of no query alone is it sure that ${figure} falls, even if it were never sent.`;
  return [
    `If ${nameKind(best)} ${LESS_TIME[best.factor]}, ${figure} ${describeFall(speedups)}; ` +
      `${describeRank(best.rivals, kinds.length)}.`,
    best.connections === null
      ? 'No number of connections does the same.'
      : `In this recording, ${countConnections(best.connections)} more would have done the same.`,
    isShared ? `This counts that ${FREED}.` : '',
  ]
    .filter(Boolean)
    .join(' ');
}

/** @param {string} figure such as p95Ms */
export function nameFigure(figure) {
  return figure === 'meanMs' ? 'mean time' : figure.replace('p999', 'p99.9').replace('Ms', '');
}

/** By how much, where the times are hidden. @param {Speedups} speedups */
function describeFall({ now, best, reason }) {
  const { ms, lowMs, highMs, change } = /** @type {NonNullable<Speedups['best']>} */ (best);
  const nowMs = Number(now?.ms);
  if (reason) {
    const [least, most] = [1 - change.high, 1 - change.low];
    if (!(most >= 0)) return 'would fall';
    return least < SMALLEST
      ? `would fall by up to ${formatShare(most)}`
      : `would fall by ${describeShares(least, most)}`;
  }
  const to = `${formatQuantity(ms, 'ms')} (${describeBand(lowMs, highMs)})`;
  return Number.isFinite(nowMs)
    ? `would fall from ${formatQuantity(nowMs, 'ms')} to ${to}`
    : `would be ${to}, where too many requests fail now`;
}

/** Shares below this are nothing. */
const SMALLEST = 0.05;

/** @param {number} least @param {number} most */
function describeShares(least, most) {
  return `${formatShare(least).replace(' %', '')} to ${formatShare(most)}`;
}

/** @param {NonNullable<Speedups['best']>['rivals']} rivals @param {number} count of all kinds */
function describeRank(rivals, count) {
  if (rivals.length === 0) return count === 1 ? 'there is no other query' : 'no other query matters more';
  return `${rivals.map(nameKind).join(' and ')} would do about as much`;
}

/**
 * What a change of the queries would do, route by route.
 *
 * @param {WhatIfQueries} tried
 * @returns {{ headline: string, rows: { route: string, now: string, then: string }[] }}
 */
export function describeWhatIf({ text, poolSize, isShared, reason, routes }) {
  const which = `With ${text}, at ${countConnections(poolSize)}`;
  if (reason)
    return {
      headline: `${which}: no figures, because ${explainReason(reason)}. ${explainMore(reason)}`.trim(),
      rows: [],
    };
  return {
    headline: `${which}${isShared ? ` (${FREED})` : ''}:`,
    rows: routes.map(({ route, figure, now, then }) => ({
      route: `${route}, ${nameFigure(figure)}`,
      now: describeTime(now),
      then: then ? describeTime(then) : 'gone',
    })),
  };
}

/** A time with its band, or where it is hidden, the band alone. @param {ShownFigure} figure */
function describeTime({ ms, lowMs, highMs }) {
  const band = lowMs === undefined ? '' : describeBand(lowMs, Number(highMs));
  return Number.isNaN(ms) ? band : `${formatQuantity(ms, 'ms')} (${band})`;
}
