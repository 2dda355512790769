/** @import { BusyConnection } from '../src/live/feed-shapes.js' */
/** @import { LivePool } from './state.js' */

/**
 * @typedef {object} Lane one lane of the tunnel
 * @property {'busy' | 'idle' | 'connecting' | 'closed'} state
 * @property {BusyConnection} [connection] when busy
 */

/**
 * Gives each vehicle a lane. It keeps its lane while it holds its connection; a new one takes the first free lane.
 * @param {Map<string, number>} indexes lane of each vehicle before, by `keyOf`
 * @param {BusyConnection[]} connections
 * @returns {Map<string, number>}
 */
export function assignLanes(indexes, connections) {
  const keys = new Set(connections.map(keyOf));
  const assigned = new Map([...indexes].filter(([key]) => keys.has(key)));
  const taken = new Set(assigned.values());
  let next = 0;
  for (const key of keys) {
    if (assigned.has(key)) continue;
    while (taken.has(next)) next += 1;
    assigned.set(key, next);
    taken.add(next);
  }
  return assigned;
}

/**
 * One request can hold several connections. While one client replaces another, both have a connection 1.
 * @param {Pick<BusyConnection, 'id' | 'requestId'>} connection
 */
export function keyOf({ id, requestId }) {
  return `${requestId ?? ''}/${id}`;
}

/**
 * Every lane of the tunnel. The app only sends how many connections are idle or connecting, so these states fill
 * the free lanes from the top. While a pool shrinks, it may have more busy lanes than its maximum.
 * @param {LivePool} pool
 * @param {Map<string, number>} indexes lane of each vehicle, by `keyOf`
 * @returns {Lane[]}
 */
export function listLanes(pool, indexes) {
  const count = Math.max(pool.max || pool.total, 1, ...[...indexes.values()].map((index) => index + 1));
  const byIndex = new Map(pool.lanes.map((connection) => [indexes.get(keyOf(connection)), connection]));
  // When the database is down, the driver may not have noticed yet that its connections are dead.
  let { idle, connecting } = pool.database.reachable ? pool : { idle: 0, connecting: 0 };
  return Array.from({ length: count }, (_, index) => {
    const connection = byIndex.get(index);
    if (connection) return { state: 'busy', connection };
    if (idle-- > 0) return { state: 'idle' };
    if (connecting-- > 0) return { state: 'connecting' };
    return { state: 'closed' };
  });
}
