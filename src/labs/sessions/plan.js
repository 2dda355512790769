import { findPublished } from './sessions-published.js';

/** @import { Plan, PlannedVariant } from '../../harness/run-lab.js' */

/** What a query takes where the server is near, in ms; measured on two cores that client and servers share. */
const QUERY_MS = 0.35;
/** What a client takes to connect, ask and close: round trips, and ms of the client's processor. */
const CLIENT_ROUND_TRIPS = 4;
const CLIENT_MS = 15;
/** Unless told otherwise, a single connection takes so long for the queries of all workers. */
const ENOUGH_MS = 2000;
const LEAST_QUERIES = 10;
/** A client for one query takes so much longer that so many times fewer queries will do. */
const FEWER_BY_CLIENTS = 100;
const WARM_UP_MS = 500;
/** How long a server holds back its answer to a change stream unless told otherwise. */
const DEFAULT_AWAIT_MS = 1000;
/** A query that may have to wait longer than this for a change stream needs a limit, or a run would seem to hang. */
const LONGEST_HOLD_MS = 60_000;

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
 * @property {boolean} secondClient whether those have a client of their own
 *
 * @typedef {object} SessionSettings of a variant
 * @property {Strategy} strategy
 * @property {number} workers
 * @property {number | null} poolSize how many connections the workers share; null where each query opens one
 * @property {boolean} primed
 * @property {number} queries of all workers
 *
 * @typedef {PlannedVariant & { settings: SessionSettings }} SessionVariant
 */

/**
 * @param {SessionOptions} options
 * @returns {Promise<Plan>}
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

/**
 * @param {SessionOptions} options
 * @param {SessionSettings} settings
 * @returns {SessionVariant}
 */
function planVariant(options, settings) {
  const { rtt = 0, poolTimeout, leaks = 0 } = options;
  const { workers, poolSize, queries } = settings;
  const name = nameVariant(settings);
  const heldMs = estimateHold(options, poolSize);
  if (heldMs > LONGEST_HOLD_MS && !poolTimeout) {
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
    // The article's server was near, and no connection was taken away.
    published: rtt > 0 || leaks > 0 ? null : findPublished(settings, isShared(settings)),
    estimateMs: WARM_UP_MS + workMs + queries / workers * Math.min(heldMs, poolTimeout ?? Infinity),
  };
}

/**
 * How long change streams make each query wait, in ms, where they take turns in all connections of its pool.
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
 * The pool sizes that a strategy is measured with. Pools with a connection for every worker are all alike: the largest
 * stands for them.
 *
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

/**
 * Whether one connection serves all.
 * @param {Pick<SessionSettings, 'strategy' | 'primed'>} settings
 */
function isShared({ strategy, primed }) {
  return strategy === 'fixed' || (strategy === 'clone' && primed);
}

/**
 * @param {SessionOptions} options
 * @param {number} workers
 */
function chooseQueries({ rtt = 0, leaks = 0, secondClient }, workers) {
  if (leaks > 0 && !secondClient) return LEAST_QUERIES;
  return Math.max(LEAST_QUERIES, Math.ceil(ENOUGH_MS / (rtt + QUERY_MS) / workers));
}
