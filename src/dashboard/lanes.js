/** @import { Lane, Pool } from './types.js' */

/**
 * Where the lanes lie in the picture.
 * @typedef {object} Layout
 * @property {'lane' | 'row' | 'cell'} kind as large as vehicles can be, as small as they can be, or too small for them
 * @property {number} columns
 * @property {number} rows
 * @property {number} laneWidth with the gap to its neighbour
 * @property {number} laneHeight
 *
 * @typedef {object} Slot one lane of the picture
 * @property {'busy' | 'idle' | 'connecting' | 'closed'} state
 * @property {Lane} [lane] its connection, when busy
 */

const LARGE_LANES = 12;
/** The lowest and shortest lane in which one can still tell a bus from a Ferrari. */
const LOWEST_ROW = 15;
const SHORTEST_ROW = 44;

/**
 * A connection keeps its lane while it is busy, and a new one takes the first that is free.
 * @param {Map<string | number, number>} slots of the connections that were busy before
 * @param {Lane[]} lanes of those that are busy now
 * @returns {Map<string | number, number>}
 */
export function assignSlots(slots, lanes) {
  const kept = new Map(lanes.flatMap(({ id }) => {
    const slot = slots.get(id);
    return slot === undefined ? [] : [[id, slot]];
  }));
  const taken = new Set(kept.values());
  let next = 0;
  for (const { id } of lanes) {
    if (kept.has(id)) continue;
    while (taken.has(next)) next += 1;
    kept.set(id, next);
    taken.add(next);
  }
  return kept;
}

/**
 * Every lane of the tunnel. Free ones are told apart by number alone: the first are open, the next in the making,
 * the rest not opened yet. While a pool shrinks, more lanes may be busy than it will have.
 * @param {Pool} pool
 * @param {Map<string | number, number>} slots
 * @returns {Slot[]}
 */
export function listSlots(pool, slots) {
  const count = Math.max(pool.max || pool.total, 1, ...[...slots.values()].map((slot) => slot + 1));
  const bySlot = new Map(pool.lanes.map((lane) => [slots.get(lane.id), lane]));
  let { idle, connecting } = pool;
  return Array.from({ length: count }, (_, index) => {
    const lane = bySlot.get(index);
    if (lane) return { state: 'busy', lane };
    if (idle-- > 0) return { state: 'idle' };
    if (connecting-- > 0) return { state: 'connecting' };
    return { state: 'closed' };
  });
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
