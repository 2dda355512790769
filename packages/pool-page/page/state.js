import { findKinds } from '../universal/route-kinds.js';
import { isServerBottleneck } from '../universal/server-bottleneck.js';
import { chooseRoutes } from './chart-routes.js';
import { assignLanes } from './lanes.js';
import { movePast, paceOf } from './motion.js';
import { addDots } from './request-dots.js';

/** @import { LiveClient, LiveReading, Note, Second, Snapshot } from '../universal/feed-shapes.js' */
/** @import { RouteKinds } from '../universal/route-kinds.js' */
/** @import { ChartRoute } from './chart-routes.js' */
/** @import { RequestDot } from './request-dots.js' */

/**
 * @typedef {Omit<LiveClient, 'server'> & Omit<LiveReading, 'clients'>} LivePool the app, and one of its clients
 *
 * @typedef {object} View one pool, as its picture needs it
 * @property {LivePool | null} pool
 * @property {number} receivedAtMs the page's clock
 * @property {Map<string, number>} laneIndexes lane of each vehicle, see `assignLanes`
 * @property {Map<string, number>} drivenMs how far each vehicle has driven, see `movePast`
 * @property {number} pace of the vehicles, see `paceOf`
 * @property {RouteKinds} kinds which routes are buses
 *
 * @typedef {object} PageState
 * @property {'connecting' | 'live' | 'lost'} connection to the app
 * @property {Snapshot | null} snapshot
 * @property {View[]} others the app's other clients
 * @property {number | null} queuedSinceMs since when somebody has waited in each reading, by the page's clock; null:
 *   nobody waits
 * @property {Second[]} seconds oldest first
 * @property {ChartRoute[]} routes in the charts
 * @property {RequestDot[]} dots requests of the last two minutes, since the page was opened
 * @property {{ queries: number, cores: number } | null} bottleneck set while the server is the bottleneck
 * @property {Note[]} notes of the app, latest first
 *
 * @typedef {View & PageState} State its view shows the main pool
 */

const HISTORY_MS = 120_000;

/** @param {ChartRoute[]} [routes] as the page had them before it was loaded again @returns {State} */
export function createState(routes = []) {
  return {
    connection: 'connecting',
    snapshot: null,
    ...createView(),
    others: [],
    queuedSinceMs: null,
    seconds: [],
    routes,
    dots: [],
    bottleneck: null,
    notes: [],
  };
}

/**
 * @param {Pick<State, 'connection' | 'pool'>} state
 * @returns {State['connection'] | 'unreachable'} unreachable: the app responds, but MongoDB does not
 */
export function conditionOf({ connection, pool }) {
  return connection === 'live' && pool?.database.reachable === false ? 'unreachable' : connection;
}

/** @returns {View} */
function createView() {
  return {
    pool: null,
    receivedAtMs: 0,
    laneIndexes: new Map(),
    drivenMs: new Map(),
    pace: 1,
    kinds: findKinds([], {}),
  };
}

/** @param {State} state @param {LiveReading} reading @param {number} receivedAtMs @returns {State} */
export function takePool(state, { clients, ...app }, receivedAtMs) {
  const isKnown = JSON.stringify(app.queries) === JSON.stringify(state.pool?.queries);
  const kinds = isKnown ? state.kinds : findKinds(state.seconds, app.queries);
  const active = clients.reduce((sum, client) => sum + client.active, 0);
  const now = { receivedAtMs, pace: paceOf(app, active), kinds };
  const [main, ...others] = clients.map((client, index) => {
    const before = index === 0 ? state : (state.others[index - 1] ?? createView());
    return updateView(before, { ...app, ...client }, now);
  });
  return {
    ...state,
    ...main,
    others,
    queuedSinceMs: clients.some(({ waiting }) => waiting > 0) ? (state.queuedSinceMs ?? receivedAtMs) : null,
    dots: addDots(state.dots, app),
    ...(!isKnown && { routes: chooseRoutes(state.seconds, kinds, state.routes) }),
  };
}

/**
 * @param {View} view
 * @param {LivePool} pool
 * @param {Pick<View, 'receivedAtMs' | 'pace' | 'kinds'>} now
 * @returns {View}
 */
function updateView(view, pool, now) {
  return {
    pool,
    ...now,
    laneIndexes: assignLanes(view.laneIndexes, pool.lanes),
    drivenMs: movePast(view, pool.lanes, now.receivedAtMs, now.pace),
  };
}

/**
 * The app's history replaces the page's, which has a gap after each lost connection.
 * @param {State} state
 * @param {Second[]} seconds
 * @returns {State}
 */
export function takeHistory(state, seconds) {
  // The history comes before the first reading.
  const kinds = findKinds(seconds, state.pool?.queries ?? seconds.at(-1)?.queries ?? {});
  const routes = chooseRoutes(seconds, kinds, state.routes);
  return { ...state, seconds, kinds, routes, bottleneck: findBottleneck(seconds) };
}

/** @param {State} state @param {Second} second @returns {State} */
export function takeSecond(state, second) {
  const before = state.seconds.filter(({ atMs }) => atMs > second.atMs - HISTORY_MS && atMs < second.atMs);
  return takeHistory(state, [...before, second]);
}

/** @param {Second[]} seconds @returns {State['bottleneck']} */
function findBottleneck(seconds) {
  const busy = seconds.findLast(({ server, active }) => server && active > server.cores);
  return busy?.server && isServerBottleneck(seconds) ? { queries: busy.active, cores: busy.server.cores } : null;
}
