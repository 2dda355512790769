import { assignSlots } from './lanes.js';
import { noteFinished } from './notes.js';

/** @import { LoadTest, Pool, Second, Snapshot } from './types.js' */
/** @import { Note } from './notes.js' */

/**
 * All that the page shows.
 * @typedef {object} State
 * @property {'connecting' | 'live' | 'lost'} connection
 * @property {Snapshot | null} snapshot
 * @property {Pool | null} pool
 * @property {number} receivedAtMs when the pool was told, by the page's clock
 * @property {Map<string, number>} slots lane of the picture by request, see `assignSlots`
 * @property {Second[]} seconds oldest first
 * @property {Note[]} notes latest first
 * @property {LoadTest[]} loadTests latest first
 */

const HISTORY_MS = 120_000;

/** @returns {State} */
export function createState() {
  return {
    connection: 'connecting', snapshot: null, pool: null, receivedAtMs: 0, slots: new Map(),
    seconds: [], notes: [], loadTests: [],
  };
}

/**
 * The state after a pool event.
 * @param {State} state
 * @param {Pool} pool
 * @param {number} receivedAtMs
 * @returns {State}
 */
export function takePool(state, pool, receivedAtMs) {
  return {
    ...state,
    pool,
    receivedAtMs,
    slots: assignSlots(state.slots, pool.lanes),
    notes: noteFinished(state.notes, pool),
  };
}

/**
 * The past as the app knows it replaces the page's own, which has a gap after each loss of the connection.
 * @param {State} state
 * @param {Second[]} seconds
 * @returns {State}
 */
export function takeHistory(state, seconds) {
  return { ...state, seconds };
}

/**
 * @param {State} state
 * @param {Second} second
 * @returns {State}
 */
export function takeSecond(state, second) {
  const seconds = state.seconds.filter(({ atMs }) => atMs > second.atMs - HISTORY_MS && atMs < second.atMs);
  return { ...state, seconds: [...seconds, second] };
}

/**
 * A load test that is known already is brought up to date; the latest comes first.
 * @param {State} state
 * @param {LoadTest} loadTest
 * @returns {State}
 */
export function takeLoadTest(state, loadTest) {
  const others = state.loadTests.filter(({ id }) => id !== loadTest.id);
  const loadTests = [...others, loadTest].sort((a, b) => b.startedAt.localeCompare(a.startedAt));
  return { ...state, loadTests };
}
