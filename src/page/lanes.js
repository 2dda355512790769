/** @import { Lane, Pool } from './feed-types.js' */

/**
 * Where the lanes lie in the picture.
 * @typedef {object} Layout
 * @property {'lane' | 'row' | 'cell'} kind for large vehicles, for small ones, or too small for any
 * @property {number} columns
 * @property {number} rows
 * @property {number} laneWidth with the gap to its neighbour
 * @property {number} laneHeight
 *
 * @typedef {object} Slot one lane of the picture
 * @property {'busy' | 'idle' | 'connecting' | 'closed'} state
 * @property {Lane} [lane] its connection, when busy
 */

/**
 * @typedef {object} Box the tunnel within the canvas, in px
 * @property {number} left
 * @property {number} right
 * @property {number} top
 * @property {number} width of the canvas
 * @property {number} height of the canvas
 * @property {number} hill how far it reaches beyond the lanes
 */

/** In px. */
const HILL = 14;
const NARROW = 560;
const LARGE_LANES = 12;
/** The lowest and shortest lane in which one can still tell a bus from a Ferrari. */
const LOWEST_ROW = 15;
const SHORTEST_ROW = 38;

/**
 * A request keeps its lane while it holds a connection, and a new one takes the first that is free. The ids of
 * connections would not do: while one client takes over from another, both have a connection 1.
 * @param {Map<string, number>} slots of the requests before, by `keyOf`
 * @param {Lane[]} lanes that are busy now
 * @returns {Map<string, number>}
 */
export function assignSlots(slots, lanes) {
  const keys = new Set(lanes.map(keyOf));
  const kept = new Map([...slots].filter(([key]) => keys.has(key)));
  const taken = new Set(kept.values());
  let next = 0;
  for (const key of keys) {
    if (kept.has(key)) continue;
    while (taken.has(next)) next += 1;
    kept.set(key, next);
    taken.add(next);
  }
  return kept;
}

/**
 * What tells a busy lane from the others.
 * @param {Lane} lane
 */
export function keyOf({ id, requestId }) {
  return requestId ?? `connection ${id}`;
}

/**
 * Every lane of the tunnel. Free ones are told apart by number alone: the first are open, the next in the
 * making, the rest not opened yet. While a pool shrinks, more lanes may be busy than it will have.
 * @param {Pool} pool
 * @param {Map<string, number>} slots
 * @returns {Slot[]}
 */
export function listSlots(pool, slots) {
  const count = Math.max(pool.max || pool.total, 1, ...[...slots.values()].map((slot) => slot + 1));
  const bySlot = new Map(pool.lanes.map((lane) => [slots.get(keyOf(lane)), lane]));
  // The driver may not have noticed yet that the connections of a database that is gone are gone as well.
  let { idle, connecting } = pool.database.reachable ? pool : { idle: 0, connecting: 0 };
  return Array.from({ length: count }, (_, index) => {
    const lane = bySlot.get(index);
    if (lane) return { state: 'busy', lane };
    if (idle-- > 0) return { state: 'idle' };
    if (connecting-- > 0) return { state: 'connecting' };
    return { state: 'closed' };
  });
}

/**
 * The tunnel in its room, with the road before it, and behind it the road and how long each has been inside.
 * A page that is not laid out yet has no room at all: even then no lane is smaller than nothing, which canvas refuses.
 * @param {number} count of lanes
 * @param {number} width
 * @param {number} height
 * @returns {{ layout: Layout, box: Box }}
 */
export function placeTunnel(count, width, height) {
  const isNarrow = width < NARROW;
  const [before, after] = count > LARGE_LANES ? [HILL, HILL] : isNarrow ? [16, 76] : [40, 150];
  const laneRoom = Math.max(width - before - after, 1);
  const layout = layOutLanes(count, laneRoom, Math.max(height - 2 * HILL, 1));
  const top = (height - layout.rows * layout.laneHeight) / 2;
  return { layout, box: { left: before, right: before + laneRoom, top, width, height, hill: HILL } };
}

/**
 * As few columns as the height allows, so that lanes are long. A lone lane takes half of the height.
 * @param {number} count
 * @param {number} width
 * @param {number} height
 * @returns {Layout}
 */
export function layOutLanes(count, width, height) {
  if (count <= LARGE_LANES) {
    const laneHeight = height / Math.max(count, 2);
    return { kind: 'lane', columns: 1, rows: count, laneWidth: width, laneHeight };
  }
  const columns = Math.max(2, Math.ceil(count / Math.floor(height / LOWEST_ROW)));
  if (width / columns >= SHORTEST_ROW) return layOutGrid('row', count, columns, width, height);
  const square = Math.max(1, Math.round(Math.sqrt(count * width / height)));
  return layOutGrid('cell', count, square, width, height);
}

/**
 * @param {Layout['kind']} kind
 * @param {number} count
 * @param {number} columns
 * @param {number} width
 * @param {number} height
 * @returns {Layout}
 */
function layOutGrid(kind, count, columns, width, height) {
  const rows = Math.ceil(count / columns);
  const needed = Math.ceil(count / rows);
  return { kind, columns: needed, rows, laneWidth: width / needed, laneHeight: height / rows };
}
