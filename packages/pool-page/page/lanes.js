/** @import { BusyConnection } from '../universal/feed-shapes.js' */
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

/**
 * @typedef {object} Layout how the lanes are arranged
 * @property {'large' | 'small' | 'bar'} vehicles how vehicles are drawn; as a plain bar where they would be too small
 * @property {number} columns
 * @property {number} rows
 * @property {number} laneWidth in px, including the gap to the next lane
 * @property {number} laneHeight
 *
 * @typedef {object} Box the tunnel within the canvas, in px
 * @property {number} left
 * @property {number} right
 * @property {number} top
 * @property {number} width of the canvas
 * @property {number} height of the canvas
 * @property {number} hill how far the hill reaches beyond the lanes
 */

const HILL_PX = 14;
const NARROW_PX = 560;
const MAX_LARGE_LANES = 12;
/** A bus and a Ferrari look the same in a smaller lane. */
const MIN_LANE_HEIGHT = 15;
const MIN_LANE_WIDTH = 38;

/**
 * Places the tunnel in the canvas, with road before it, and road and times after it. Before the page is laid out,
 * the canvas has no size; lanes still get a positive size then, because canvas throws on negative ones.
 * @param {number} count of lanes
 * @param {number} width
 * @param {number} height
 * @returns {{ layout: Layout, box: Box }}
 */
export function placeTunnel(count, width, height) {
  const isNarrow = width < NARROW_PX;
  const [before, after] = count > MAX_LARGE_LANES ? [HILL_PX, HILL_PX] : isNarrow ? [16, 76] : [40, 150];
  const length = Math.max(width - before - after, 1);
  const layout = layOutLanes(count, length, Math.max(height - 2 * HILL_PX, 1));
  const top = (height - layout.rows * layout.laneHeight) / 2;
  return { layout, box: { left: before, right: before + length, top, width, height, hill: HILL_PX } };
}

/**
 * Uses as few columns as the height allows, so that lanes are long.
 * @param {number} count
 * @param {number} width
 * @param {number} height
 * @returns {Layout}
 */
function layOutLanes(count, width, height) {
  if (count <= MAX_LARGE_LANES) {
    return { vehicles: 'large', columns: 1, rows: count, laneWidth: width, laneHeight: height / count };
  }
  const columns = Math.max(2, Math.ceil(count / Math.floor(height / MIN_LANE_HEIGHT)));
  if (width / columns >= MIN_LANE_WIDTH) return layOutGrid('small', count, columns, width, height);
  const square = Math.max(1, Math.round(Math.sqrt((count * width) / height)));
  return layOutGrid('bar', count, square, width, height);
}

/**
 * @param {Layout['vehicles']} vehicles
 * @param {number} count
 * @param {number} columns
 * @param {number} width
 * @param {number} height
 * @returns {Layout}
 */
function layOutGrid(vehicles, count, columns, width, height) {
  const rows = Math.ceil(count / columns);
  const needed = Math.ceil(count / rows);
  return { vehicles, columns: needed, rows, laneWidth: width / needed, laneHeight: height / rows };
}
