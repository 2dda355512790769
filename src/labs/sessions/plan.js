import { findPublished } from './sessions-published.js';

/** @import { Plan, PlannedVariant } from '../../harness/run-lab.js' */
/** @import { SessionFigures } from './sessions-view.js' */

/** What a query takes where the server is near, in ms; measured on two cores that client and servers share. */
const QUERY_MS = 0.35;
/** What a client needs to connect, query and close. */
const CLIENT_ROUND_TRIPS = 4;
const CLIENT_MS = 15; // of the processor
/** By default, one connection needs this long for the queries of all workers. */
const ENOUGH_MS = 2000;
const MIN_QUERIES = 10;
/** How many times fewer queries are made when each opens a client, which is slow. */
const FEWER_BY_CLIENTS = 100;
const WARM_UP_MS = 500;
/** The server's default of maxAwaitTimeMS. */
const DEFAULT_AWAIT_MS = 1000;
/** A query that may wait longer than this for a change stream needs a timeout, or the run would seem to hang. */
const MAX_HOLD_MS = 60_000;

/**
 * @typedef {'fixed' | 'copy' | 'clone' | 'client-per-query'} Strategy
 *
 * @typedef {object} SessionOptions
 * @property {number[]} workers
 * @property {number[]} [queries] of each worker: one number, or one for each of `workers`
 * @property {number[]} poolSizes ascending
 * @property {Strategy[]} strategies
 * @property {boolean} prime whether clone's parent session holds a connection
 * @property {boolean} stats
 * @property {number} [poolTimeout] ms
 * @property {number} [rtt] ms
 * @property {number} [leaks] change streams left open
 * @property {number} [maxAwait] ms, of those streams
 * @property {boolean} secondClient whether they have a separate client
 *
 * @typedef {object} SessionSettings of a variant
 * @property {Strategy} strategy
 * @property {number} workers
 * @property {number | null} poolSize how many connections the workers share; null where each query opens one
 * @property {boolean} primed
 * @property {number} queries of all workers
 *
 * @typedef {PlannedVariant<SessionSettings, SessionFigures>} SessionVariant
 * @typedef {Plan<SessionSettings, SessionFigures> & { settings: SessionOptions }} SessionPlan
 */

/**
 * @param {SessionOptions} options
 * @returns {Promise<SessionPlan>}
 * @throws {Error} for options that don't go together
 */
export async function planSessions(options) {
  const {
    workers, queries, poolSizes, strategies, prime, stats, poolTimeout, rtt, leaks, maxAwait, secondClient,
  } = options;
  if (queries && queries.length !== 1 && queries.length !== workers.length) {
    throw new Error(`--queries has ${queries.length} numbers and --workers ${workers.length}: give one number of `
      + 'queries, or one for each number of workers');
  }
  const variants = workers.flatMap((count, index) => {
    const each = queries?.[index] ?? queries?.[0] ?? chooseQueries(options, count);
    return strategies.flatMap((strategy) => listPools(options, strategy, count).map((poolSize) => planVariant(options, {
      strategy, workers: count, poolSize, primed: prime,
      queries: poolSize === null ? Math.max(count, Math.ceil(each * count / FEWER_BY_CLIENTS)) : each * count,
    })));
  });
  return {
    settings: {
      workers, queries, poolSizes, strategies, prime, stats, poolTimeout, rtt, leaks, maxAwait, secondClient,
    },
    variants,
  };
}

/** @param {SessionOptions} options @param {SessionSettings} settings @returns {SessionVariant} */
function planVariant(options, settings) {
  const { rtt = 0, poolTimeout, leaks = 0 } = options;
  const { workers, poolSize, queries } = settings;
  const name = nameVariant(settings);
  const heldMs = estimateHold(options, poolSize);
  if (heldMs > MAX_HOLD_MS && !poolTimeout) {
    throw new Error(`With --leaks ${leaks}, each query of "${name}" would wait for up to ${heldMs / 1000} s: give `
      + '--pool-timeout, --second-client, larger --pool-sizes or a smaller --max-await');
  }
  const roundTripMs = rtt + QUERY_MS;
  const workMs = poolSize === null
    ? queries * Math.max(CLIENT_MS, (CLIENT_ROUND_TRIPS * rtt + CLIENT_MS) / workers)
    : queries * Math.max(QUERY_MS, roundTripMs / Math.min(workers, poolSize));
  return {
    name,
    settings,
    // The article's server was near, and it leaked no change streams.
    published: rtt > 0 || leaks > 0 ? null : findPublished(settings, isShared(settings)),
    estimateMs: WARM_UP_MS + workMs + queries / workers * Math.min(heldMs, poolTimeout ?? Infinity),
  };
}

/**
 * How long change streams make each query wait, in ms, when they hold all connections of its pool in turn.
 * @param {SessionOptions} options
 * @param {number | null} poolSize
 */
function estimateHold({ leaks = 0, maxAwait = DEFAULT_AWAIT_MS, secondClient }, poolSize) {
  return secondClient || poolSize === null ? 0 : Math.floor(leaks / poolSize) * maxAwait;
}

/** @param {SessionSettings} settings */
function nameVariant({ strategy, workers, poolSize, primed }) {
  const who = workers === 1 ? '1 worker' : `${workers} workers`;
  if (!isShared({ strategy, primed })) return `${who}: ${strategy}${poolSize === null ? '' : ` ${poolSize}`}`;
  return `${who}: ${strategy === 'fixed' ? 'fixed' : 'primed clone'}`;
}

/**
 * The pool sizes that a strategy is measured with. Of the pools with a connection for every worker only the largest is
 * measured, because these are all alike.
 * @param {SessionOptions} options
 * @param {Strategy} strategy
 * @param {number} workers
 * @returns {(number | null)[]}
 */
function listPools({ poolSizes, prime, leaks = 0, secondClient }, strategy, workers) {
  if (strategy === 'client-per-query') return [null];
  if (isShared({ strategy, primed: prime })) return [1];
  const room = workers + (secondClient ? 0 : leaks);
  return [...poolSizes.filter((size) => size < room), ...poolSizes.filter((size) => size >= room).slice(-1)];
}

/** Whether all queries share one connection. @param {Pick<SessionSettings, 'strategy' | 'primed'>} settings */
function isShared({ strategy, primed }) {
  return strategy === 'fixed' || (strategy === 'clone' && primed);
}

/** @param {SessionOptions} options @param {number} workers */
function chooseQueries({ rtt = 0, leaks = 0, secondClient }, workers) {
  if (leaks > 0 && !secondClient) return MIN_QUERIES;
  return Math.max(MIN_QUERIES, Math.ceil(ENOUGH_MS / (rtt + QUERY_MS) / workers));
}
