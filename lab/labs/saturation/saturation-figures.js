import { mean, quantile } from 'mongodb-pool-predictor/statistics';

/** @import { TimedQuery, QueryKind, SentQueries } from './run-load.js' */

/**
 * @typedef {object} KindFigures null where there was no such query
 * @property {number} count
 * @property {number | null} p50Ms
 * @property {number | null} p99Ms
 *
 * @typedef {object} QueryFigures
 * @property {number} count queries
 * @property {number} timeouts of them without an answer in time; they count with the time waited
 * @property {number} ratePerSec answers per second of the measurement
 * @property {number | null} meanMs of a query
 * @property {number | null} waitMs mean, for a connection
 * @property {number | null} useMs mean, of the connection: the time in the server
 * @property {KindFigures} heavy
 * @property {KindFigures} cheap
 *
 * @typedef {object} ServerFigures null where the server does not say
 * @property {number | null} cores that it has
 * @property {number | null} coresBusy during the measurement, on average
 *
 * @typedef {QueryFigures & { poolSize: number, sentPerSec: number | null, server: ServerFigures }} SaturationFigures
 *   `sentPerSec`: of open arrivals
 */

/**
 * @param {SentQueries} sent
 * @param {number} [nowMs] until when queries without an answer have waited
 * @returns {QueryFigures}
 */
export function summariseQueries({ queries, fromMs, toMs }, nowMs = performance.now()) {
  const answered = queries.filter(({ endedAtMs }) => endedAtMs < Infinity);
  const inTime = answered.filter(({ endedAtMs }) => endedAtMs < toMs);
  /** @param {TimedQuery} query */
  const tookMs = ({ dueAtMs, endedAtMs }) => Math.min(endedAtMs, nowMs) - dueAtMs;
  /** @param {QueryKind} wanted @returns {KindFigures} */
  const figuresOf = (wanted) => {
    const times = queries.filter(({ kind }) => kind === wanted).map(tookMs);
    return { count: times.length, p50Ms: quantile(times, 0.5) ?? null, p99Ms: quantile(times, 0.99) ?? null };
  };
  return {
    count: queries.length,
    timeouts: queries.length - answered.length,
    ratePerSec: (inTime.length / (toMs - fromMs)) * 1000,
    meanMs: meanOf(queries.map(tookMs)),
    waitMs: meanOf(answered.map(({ waitMs }) => waitMs)),
    useMs: meanOf(answered.map(({ useMs }) => useMs)),
    heavy: figuresOf('heavy'),
    cheap: figuresOf('cheap'),
  };
}

/** @param {number[]} values @returns {number | null} null if there is none */
function meanOf(values) {
  return values.length > 0 ? mean(values) : null;
}
