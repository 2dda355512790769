import { kindOf } from '../universal/route-kinds.js';
import { keyOf, listLanes } from './lanes.js';

/** @import { BusyConnection } from '../universal/feed-shapes.js' */
/** @import { Kind, RouteKinds } from '../universal/route-kinds.js' */
/** @import { LivePool, View } from './state.js' */

/**
 * @typedef {object} Departure a vehicle that has returned its connection and drives out of the tunnel
 * @property {number} laneIndex
 * @property {Kind} kind
 * @property {number} from its progress at the start, 0 to 1
 * @property {number} startsAtMs
 */

/** The progress of a vehicle that has left the picture, as a fraction of the tunnel's length. */
export const OUT_OF_SIGHT = 1.35;
const MAX_PROGRESS = 0.94;
/** Near the entrance, so that there is room for a label behind it. */
const PARKED = 0.04;
const FERRARI_HALFWAY_MS = 250;
/** The way from the entrance until out of sight. */
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
/** More that start within one event would cover each other. */
const MAX_IN_LANE = 3;

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
  return new Map(
    connections.map((connection) => {
      const key = keyOf(connection);
      const { busyMs } = connection;
      const before = view.drivenMs.get(key);
      const driven = before === undefined ? busyMs * pace : before + (receivedAtMs - view.receivedAtMs) * view.pace;
      return [key, Math.min(driven, busyMs)];
    }),
  );
}

/**
 * A bus takes the usual time of its route, and then waits at the exit. Nobody knows how long others take, so they slow
 * down and never quite arrive. What stays for good parks.
 * @param {Pick<BusyConnection, 'route' | 'kind'>} vehicle
 * @param {number} drivenMs
 * @param {RouteKinds} kinds
 * @returns {number} 0 to 1
 */
export function progressOf({ route, kind }, drivenMs, kinds) {
  const end = kind ? PARKED : MAX_PROGRESS;
  if (!kind && kindOf(kinds, route) === 'bus') return Math.min(end, (end * drivenMs) / kinds.useMs[String(route)]);
  return (end * drivenMs) / (drivenMs + FERRARI_HALFWAY_MS);
}

/**
 * The vehicles that drive out after a pool event. Most Ferraris come and go between two events: they start in the lane
 * of the vehicle that has their connection now, ahead of it, or take the open lanes in turn.
 * @param {Departure[]} departures the earlier ones
 * @param {View} before
 * @param {View} view
 * @returns {Departure[]}
 */
export function addDepartures(departures, before, view) {
  const { pool, receivedAtMs, kinds } = view;
  if (!pool) return departures;
  const seen = new Map(before.pool?.lanes.map((connection) => [keyOf(connection), connection]));
  const elapsedMs = receivedAtMs - before.receivedAtMs;
  const findStart = listStarts(view);
  const added = pool.left.flatMap((left, index) => {
    const { route } = left;
    const key = keyOf(left);
    const connection = seen.get(key);
    if (connection) {
      seen.delete(key);
      const drivenMs = (before.drivenMs.get(key) ?? 0) + elapsedMs * before.pace;
      return [
        {
          laneIndex: before.laneIndexes.get(key) ?? 0,
          kind: kindOf(kinds, route, connection.busyMs + elapsedMs),
          from: progressOf(connection, drivenMs, kinds),
          startsAtMs: receivedAtMs,
        },
      ];
    }
    const { inLane, ...start } = findStart(left.id);
    if (inLane >= MAX_IN_LANE) return [];
    const delayMs = Math.max((index / pool.left.length) * SPREAD_MS, inLane * FOLLOWING_MS);
    return [{ ...start, kind: kindOf(kinds, route), startsAtMs: receivedAtMs + delayMs }];
  });
  return [
    ...departures.filter((departure) => progressOfDeparture(departure, receivedAtMs) < OUT_OF_SIGHT),
    ...added,
  ].slice(-MAX_DEPARTURES);
}

/**
 * Where vehicles that nobody saw may start.
 * @param {View} view
 * @returns {(id: number) => { laneIndex: number, from: number, inLane: number }} for the next vehicle with that
 *   connection; inLane: how many start before it in the same lane
 */
function listStarts({ pool, laneIndexes, drivenMs, kinds }) {
  const all = pool ? listLanes(pool, laneIndexes) : [];
  /** @type {number[]} */
  const counts = all.map(() => 0);
  const free = all.flatMap(({ state }, laneIndex) => (state === 'idle' ? [laneIndex] : []));
  const ahead = new Map(
    all.flatMap(({ connection }, laneIndex) => {
      if (!connection || connection.kind) return [];
      const from = progressOf(connection, drivenMs.get(keyOf(connection)) ?? 0, kinds) + AHEAD;
      return [[connection.id, { laneIndex, from }]];
    }),
  );
  let turn = 0;
  return (id) => {
    const fallback =
      free.length > 0 ? { laneIndex: free[turn % free.length], from: 0 } : [...ahead.values()][turn % ahead.size];
    const start = ahead.get(id) ?? fallback ?? { laneIndex: 0, from: 0 };
    turn += ahead.has(id) ? 0 : 1;
    const inLane = counts[start.laneIndex] ?? 0;
    counts[start.laneIndex] = inLane + 1;
    return { ...start, inLane };
  };
}

/**
 * @param {Departure} departure
 * @param {number} nowMs
 * @returns {number} below 0 before its start, above 1 outside the tunnel, at most `OUT_OF_SIGHT`
 */
export function progressOfDeparture({ kind, from, startsAtMs }, nowMs) {
  const fullMs = kind === 'bus' ? BUS_MS : FERRARI_MS;
  const durationMs = Math.max((fullMs * (OUT_OF_SIGHT - from)) / OUT_OF_SIGHT, MIN_DEPARTURE_MS);
  const part = (nowMs - startsAtMs) / durationMs;
  if (part < 0) return -1;
  return part >= 1 ? OUT_OF_SIGHT : from + (OUT_OF_SIGHT - from) * part ** 1.2;
}
