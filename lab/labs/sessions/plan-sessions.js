import { findPublished, PUBLISHED } from './sessions-published.js';

/** @import { Plan, PlannedVariant } from '../../harness/run-lab.js' */
/** @import { SessionFigures } from './sessions-view.js' */

/** What a query takes where the server is near, in ms; measured on two cores that client and servers share. */
const QUERY_MS = 0.35;
/** What a client needs to connect, query and close. */
const CLIENT_ROUND_TRIPS = 4;
const CLIENT_MS = 15; // of CPU time
/** Default duration of the queries of all workers on one connection, and the longer one beside published figures. */
const ENOUGH_MS = 2000;
const ENOUGH_TO_COMPARE_MS = 10_000;
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
 * @typedef {object} SessionLabOptions
 * @property {number[]} workers
 * @property {number[]} [queries] of each worker: one number, or one for each of `workers`
 * @property {number[]} poolSizes ascending
 * @property {Strategy[]} strategies
 * @property {boolean} stats
 * @property {number} [poolTimeout] ms
 * @property {number} [rtt] ms
 * @property {number} [queryMs] what one worker's query takes; the network delay is chosen for it
 * @property {number} [leaks] change streams left open
 * @property {number} [maxAwait] ms, of those streams
 * @property {boolean} secondClient whether they have a separate client
 *
 * @typedef {object} SessionSettings of a variant
 * @property {Exclude<Strategy, 'clone'>} strategy
 * @property {number} workers
 * @property {number | null} poolSize how many connections the workers share; null where each query opens one
 * @property {number} queries of all workers
 *
 * @typedef {PlannedVariant<SessionSettings, SessionFigures>} SessionVariant
 * @typedef {Plan<SessionSettings, SessionFigures> & { settings: SessionLabOptions }} SessionPlan
 */

/**
 * @param {SessionLabOptions} options
 * @returns {Promise<SessionPlan>}
 * @throws {Error} for options that don't go together
 */
export async function planSessions(options) {
  const { workers, queries, poolSizes, strategies, stats, poolTimeout, rtt, queryMs, leaks, maxAwait, secondClient } =
    options;
  if (queries && queries.length !== 1 && queries.length !== workers.length) {
    throw new Error(
      `--queries has ${queries.length} numbers and --workers ${workers.length}: give one number of ` +
        'queries, or one for each number of workers',
    );
  }
  if (rtt && queryMs) {
    throw new Error(`Give either --rtt ${rtt} or --query-ms ${queryMs} (which --preset published sets), not both`);
  }
  const variants = workers.flatMap((count, index) => {
    const each = queries?.[index] ?? queries?.[0] ?? chooseQueries(options, count);
    return listWays(options, count).map(({ names, strategy, poolSize }) =>
      planVariant(options, `${count === 1 ? '1 worker' : `${count} workers`}: ${names.join(' = ')}`, {
        strategy,
        workers: count,
        poolSize,
        queries: poolSize === null ? Math.max(count, Math.ceil((each * count) / FEWER_BY_CLIENTS)) : each * count,
      }),
    );
  });
  return {
    settings: {
      workers,
      queries,
      poolSizes,
      strategies,
      stats,
      poolTimeout,
      rtt,
      queryMs,
      leaks,
      maxAwait,
      secondClient,
    },
    variants,
  };
}

/**
 * @param {SessionLabOptions} options
 * @param {string} name
 * @param {SessionSettings} settings
 * @returns {SessionVariant}
 */
function planVariant(options, name, settings) {
  const { rtt = 0, queryMs = rtt + QUERY_MS, poolTimeout, leaks = 0 } = options;
  const { workers, poolSize, queries } = settings;
  const heldMs = estimateHold(options, poolSize);
  if (heldMs > MAX_HOLD_MS && !poolTimeout) {
    throw new Error(
      `With --leaks ${leaks}, each query of "${name}" would wait for up to ${heldMs / 1000} s: give ` +
        '--pool-timeout, --second-client, larger --pool-sizes or a smaller --max-await',
    );
  }
  const workMs =
    poolSize === null
      ? queries * Math.max(CLIENT_MS, (CLIENT_ROUND_TRIPS * rtt + CLIENT_MS) / workers)
      : queries * Math.max(QUERY_MS, queryMs / Math.min(workers, poolSize));
  return {
    name,
    settings,
    // The article leaked no change streams, and its server was as near as the preset makes this one.
    published:
      rtt > 0 || leaks > 0 || (options.queryMs ?? PUBLISHED.queryMs) !== PUBLISHED.queryMs
        ? null
        : findPublished(settings),
    estimateMs: WARM_UP_MS + workMs + (queries / workers) * Math.min(heldMs, poolTimeout ?? Infinity),
  };
}

/**
 * How long change streams make each query wait, in ms, when they hold all connections of its pool in turn.
 * @param {SessionLabOptions} options
 * @param {number | null} poolSize
 */
function estimateHold({ leaks = 0, maxAwait = DEFAULT_AWAIT_MS, secondClient }, poolSize) {
  return secondClient || poolSize === null ? 0 : Math.floor(leaks / poolSize) * maxAwait;
}

/**
 * The ways that are measured for a number of workers, each with the names it answers to: a clone shares its parent's
 * connection if that was primed, and otherwise takes one from the pool, which is the code of fixed and of copy.
 * @param {SessionLabOptions} options
 * @param {number} workers
 * @returns {(Pick<SessionSettings, 'strategy' | 'poolSize'> & { names: string[] })[]}
 */
function listWays({ strategies, poolSizes, leaks = 0, secondClient }, workers) {
  const [isFixed, isCopy, isClone, isClient] = ['fixed', 'copy', 'clone', 'client-per-query'].map((name) =>
    strategies.includes(/** @type {Strategy} */ (name)),
  );
  const room = workers + (secondClient ? 0 : leaks);
  // Of the pools with a connection for every worker only the largest is measured, because these are all alike.
  const pools = [...poolSizes.filter((size) => size < room), ...poolSizes.filter((size) => size >= room).slice(-1)];
  return [
    { strategy: /** @type {const} */ ('fixed'), poolSize: 1, names: [isFixed && 'fixed', isClone && 'primed clone'] },
    ...pools.map((poolSize) => ({
      strategy: /** @type {const} */ ('copy'),
      poolSize,
      names: [isCopy && `copy ${poolSize}`, isClone && (isCopy ? 'clone' : `clone ${poolSize}`)],
    })),
    { strategy: /** @type {const} */ ('client-per-query'), poolSize: null, names: [isClient && 'client-per-query'] },
  ]
    .map(({ names, ...way }) => ({ ...way, names: names.filter((name) => name !== false) }))
    .filter(({ names }) => names.length > 0);
}

/** @param {SessionLabOptions} options @param {number} workers */
function chooseQueries({ rtt = 0, queryMs, leaks = 0, secondClient }, workers) {
  if (leaks > 0 && !secondClient) return MIN_QUERIES;
  const enough = queryMs ? ENOUGH_TO_COMPARE_MS / queryMs : ENOUGH_MS / (rtt + QUERY_MS);
  return Math.max(MIN_QUERIES, Math.ceil(enough / workers));
}
