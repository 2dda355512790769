import { keyOf, listLanes } from './lanes.js';

/** @import { BusyConnection, EndedRequest } from '../src/live/feed-shapes.js' */
/** @import { LivePool, View } from './state.js' */

/**
 * @typedef {object} Departure a vehicle that has returned its connection and drives out of the tunnel
 * @property {number} laneIndex
 * @property {string} route
 * @property {number} from its progress at the start, 0 to 1
 * @property {number} startsAtMs
 */

/** The progress of a vehicle that has left the picture, as a fraction of the tunnel's length. */
export const OUT_OF_SIGHT = 1.35;
const MAX_PROGRESS = 0.94;
const FERRARI_HALFWAY_MS = 250;
/** From the entrance until out of sight. */
const BUS_MS = 900;
const FERRARI_MS = 800;
/** A vehicle that was at the exit needs this long, so that one sees it leave. */
const MIN_DEPARTURE_MS = 250;
/** Spreads the vehicles that nobody saw over about the time between two pool events. */
const SPREAD_MS = 250;
/** Between two vehicles in one lane. */
const FOLLOWING_MS = 180;
const AHEAD = 0.2;
const MAX_DEPARTURES = 60;

/**
 * How fast vehicles drive, 1 at most. Queries that work share the cores that the server gets: when they outnumber them,
 * each crawls. Those that sleep never do.
 * @param {Pick<LivePool, 'queries' | 'server'>} pool
 * @param {number} running queries of all clients
 */
export function paceOf({ queries, server }, running) {
  if (!Object.values(queries).some(({ isWork }) => isWork) || !server || running <= server.cores) return 1;
  // The reading is of the last second. It says little while the load begins.
  return Math.max(server.busyCores ?? server.cores, server.cores / 2) / running;
}

/**
 * How far each vehicle has driven, in ms at full pace. A change of pace changes how fast it drives on, not where it is.
 * @param {View} view the one before
 * @param {BusyConnection[]} connections
 * @param {number} receivedAtMs
 * @param {number} pace of new vehicles
 * @returns {Map<string, number>} by `keyOf`
 */
export function movePast(view, connections, receivedAtMs, pace) {
  return new Map(connections.map((connection) => {
    const key = keyOf(connection);
    const { busyMs } = connection;
    const before = view.drivenMs.get(key);
    const driven = before === undefined ? busyMs * pace : before + (receivedAtMs - view.receivedAtMs) * view.pace;
    return [key, Math.min(driven, busyMs)];
  }));
}

/**
 * A bus takes the known time of its query, and then waits at the exit. Nobody knows how long a Ferrari takes, so it
 * slows down and never quite arrives.
 * @param {string | null} route
 * @param {number} drivenMs
 * @param {number} slowMs
 * @returns {number} 0 to 1
 */
export function progressOf(route, drivenMs, slowMs) {
  if (route === '/slow') return Math.min(MAX_PROGRESS, MAX_PROGRESS * drivenMs / slowMs);
  return MAX_PROGRESS * drivenMs / (drivenMs + FERRARI_HALFWAY_MS);
}

/**
 * The vehicles that drive out after a pool event. Most Ferraris come and go between two events, so their lane is
 * unknown: they take the free lanes in turn.
 * @param {Departure[]} departures the earlier ones
 * @param {View} before
 * @param {View} view
 * @returns {Departure[]}
 */
export function addDepartures(departures, before, view) {
  const { pool, receivedAtMs } = view;
  if (!pool) return departures;
  const seen = new Map(before.pool?.lanes.map((connection) => [connection.requestId, connection]));
  const starts = listStarts(view);
  const ended = pool.finished.filter(hadConnection);
  const added = ended.map(({ requestId, route }, index) => {
    const connection = seen.get(requestId);
    if (connection) {
      const drivenMs = (before.drivenMs.get(keyOf(connection)) ?? 0) + (receivedAtMs - before.receivedAtMs) * before.pace;
      const laneIndex = before.laneIndexes.get(keyOf(connection)) ?? 0;
      return { laneIndex, route, from: progressOf(route, drivenMs, slowMsOf(pool)), startsAtMs: receivedAtMs };
    }
    const inLane = Math.floor(index / starts.length);
    const delayMs = Math.max(index / ended.length * SPREAD_MS, inLane * FOLLOWING_MS);
    return { ...starts[index % starts.length], route, startsAtMs: receivedAtMs + delayMs };
  });
  return [...departures.filter((departure) => progressOfDeparture(departure, receivedAtMs) < OUT_OF_SIGHT), ...added]
    .slice(-MAX_DEPARTURES);
}

/**
 * Where a vehicle that nobody saw may start: in an open lane, or ahead of the vehicle that came after it.
 * @param {View} view
 * @returns {{ laneIndex: number, from: number }[]} at least one
 */
function listStarts({ pool, laneIndexes, drivenMs }) {
  const all = pool ? listLanes(pool, laneIndexes) : [];
  const free = all.flatMap(({ state }, laneIndex) => (state === 'idle' ? [{ laneIndex, from: 0 }] : []));
  if (free.length > 0) return free;
  const ahead = all.flatMap(({ connection }, laneIndex) => (
    connection && pool
      ? [{ laneIndex, from: progressOf(connection.route, drivenMs.get(keyOf(connection)) ?? 0, slowMsOf(pool)) + AHEAD }] : []
  ));
  const latest = ahead.filter(({ from }) => from < 0.5);
  return [latest, ahead, [{ laneIndex: 0, from: 0 }]].find(({ length }) => length > 0) ?? [];
}

/**
 * @param {Departure} departure
 * @param {number} nowMs
 * @returns {number} below 0 before its start, above 1 outside the tunnel, at most `OUT_OF_SIGHT`
 */
export function progressOfDeparture({ route, from, startsAtMs }, nowMs) {
  const fullMs = route === '/slow' ? BUS_MS : FERRARI_MS;
  const durationMs = Math.max(fullMs * (OUT_OF_SIGHT - from) / OUT_OF_SIGHT, MIN_DEPARTURE_MS);
  const part = (nowMs - startsAtMs) / durationMs;
  if (part < 0) return -1;
  return part >= 1 ? OUT_OF_SIGHT : from + (OUT_OF_SIGHT - from) * part ** 1.2;
}

/** @param {LivePool} pool */
export function slowMsOf({ queries }) {
  return queries['/slow']?.aloneMs ?? 1000;
}

/** A request that gave up waiting never entered the tunnel. @param {EndedRequest} request */
function hadConnection({ status }) {
  return status >= 200 && status < 400;
}
