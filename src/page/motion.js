import { keyOf, listSlots } from './lanes.js';

/** @import { Finished } from './feed-types.js' */
/** @import { View } from './state.js' */

/**
 * A vehicle that has let go of its connection and drives out of the tunnel.
 * @typedef {object} Departure
 * @property {number} slot its lane
 * @property {string} route
 * @property {number} from how far through the tunnel it was, 0 to 1
 * @property {number} startsAtMs
 */

/** Out of sight, as a fraction of the tunnel's length. */
export const GONE = 1.35;
const SLOWEST_END = 0.94;
const FERRARI_HALFWAY_MS = 250;
/** From the entrance until out of sight. */
const BUS_MS = 900;
const FERRARI_MS = 800;
/** Even one that was at the exit is seen to leave. */
const SHORTEST_MS = 250;
/** From one pool event to the next. */
const EVENT_MS = 250;
/** Between two in the same lane. */
const FOLLOWING_MS = 180;
const AHEAD = 0.2;
const MAX_DEPARTURES = 60;

/**
 * How far a vehicle has come, 0 to 1. A bus takes the time that its query is known to take, and if that is not
 * enough it stands at the exit. When a Ferrari will be through nobody knows, so it never quite gets there.
 * @param {string | null} route
 * @param {number} busyMs
 * @param {number} slowMs
 */
export function progressOf(route, busyMs, slowMs) {
  if (route === '/slow') return Math.min(SLOWEST_END, SLOWEST_END * busyMs / slowMs);
  return SLOWEST_END * busyMs / (busyMs + FERRARI_HALFWAY_MS);
}

/**
 * The vehicles that drive out after a pool event. Most Ferraris come and go between two events, so nobody has
 * seen their lane: they take the free ones in turn.
 * @param {Departure[]} departures of before
 * @param {View} before
 * @param {View} state
 * @returns {Departure[]}
 */
export function addDepartures(departures, before, state) {
  const { pool, receivedAtMs } = state;
  if (!pool) return departures;
  const seen = new Map(before.pool?.lanes.map((lane) => [lane.requestId, lane]));
  const places = listPlaces(state);
  const ended = pool.finished.filter(hadConnection);
  const left = ended.map(({ requestId, route }, index) => {
    const lane = seen.get(requestId);
    if (lane) {
      const busyMs = lane.busyMs + receivedAtMs - before.receivedAtMs;
      const slot = before.slots.get(keyOf(lane)) ?? 0;
      return { slot, route, from: progressOf(route, busyMs, pool.slowMs), startsAtMs: receivedAtMs };
    }
    // When exactly is not known either: spread over the time until the next event, they look like traffic.
    const inLane = Math.floor(index / places.length);
    const delayMs = Math.max(index / ended.length * EVENT_MS, inLane * FOLLOWING_MS);
    return { ...places[index % places.length], route, startsAtMs: receivedAtMs + delayMs };
  });
  return [...departures.filter((departure) => progressOfDeparture(departure, receivedAtMs) < GONE), ...left]
    .slice(-MAX_DEPARTURES);
}

/**
 * Where a vehicle may have been that nobody has seen: in an open lane, or ahead of one that came in after it.
 * @param {View} state
 * @returns {{ slot: number, from: number }[]} at least one
 */
function listPlaces({ pool, slots }) {
  const all = pool ? listSlots(pool, slots) : [];
  const free = all.flatMap(({ state }, slot) => (state === 'idle' ? [{ slot, from: 0 }] : []));
  if (free.length > 0) return free;
  const ahead = all.flatMap(({ lane }, slot) => (
    lane && pool ? [{ slot, from: progressOf(lane.route, lane.busyMs, pool.slowMs) + AHEAD }] : []
  ));
  const latest = ahead.filter(({ from }) => from < 0.5);
  return [latest, ahead, [{ slot: 0, from: 0 }]].find(({ length }) => length > 0) ?? [];
}

/**
 * @param {Departure} departure
 * @param {number} nowMs
 * @returns {number} below 0 before its start, beyond 1 outside, `GONE` when it is out of sight
 */
export function progressOfDeparture({ route, from, startsAtMs }, nowMs) {
  const wholeMs = route === '/slow' ? BUS_MS : FERRARI_MS;
  const part = (nowMs - startsAtMs) / Math.max(wholeMs * (GONE - from) / GONE, SHORTEST_MS);
  if (part < 0) return -1;
  return part >= 1 ? GONE : from + (GONE - from) * part ** 1.2;
}

/**
 * Those that gave up waiting never drove.
 * @param {Finished} finished
 */
function hadConnection({ status }) {
  return status >= 200 && status < 400;
}
