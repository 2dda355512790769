import { assignSlots } from './lanes.js';
import { noteFinished } from './notes.js';

/** @import { LoadTest, Pool, Second, Snapshot } from './feed-types.js' */
/** @import { Note } from './notes.js' */

/**
 * One pool, as its picture needs it.
 * @typedef {object} View
 * @property {Pool | null} pool
 * @property {number} receivedAtMs when the pool was told, by the page's clock
 * @property {Map<string, number>} slots lane of the picture by request, see `assignSlots`
 *
 * All that the page shows; the view is that of the pool for all requests, or for all but /slow.
 * @typedef {View & PageState} State
 *
 * @typedef {object} PageState
 * @property {'connecting' | 'live' | 'lost'} connection
 * @property {Snapshot | null} snapshot
 * @property {View | null} slow of the pool of /slow, where it has its own
 * @property {Second[]} seconds oldest first
 * @property {Note[]} notes latest first
 * @property {LoadTest[]} loadTests latest first
 */

const HISTORY_MS = 120_000;

/** @returns {State} */
export function createState() {
  return {
    connection: 'connecting', snapshot: null, ...createView(), slow: null, seconds: [], notes: [], loadTests: [],
  };
}

/**
 * What the page can show: all there is, the last that was known, or that there is no database behind the app.
 * @param {Pick<State, 'connection' | 'pool'>} state
 * @returns {State['connection'] | 'unreachable'}
 */
export function conditionOf({ connection, pool }) {
  return connection === 'live' && pool?.database.reachable === false ? 'unreachable' : connection;
}

/** @returns {View} */
function createView() {
  return { pool: null, receivedAtMs: 0, slots: new Map() };
}

/**
 * The state after a pool event.
 * @param {State} state
 * @param {Pool} pool
 * @param {number} receivedAtMs
 * @returns {State}
 */
export function takePool(state, pool, receivedAtMs) {
  const { slowPool, finished } = pool;
  const notes = noteFinished(state.notes, pool);
  if (!slowPool) return { ...state, ...updateView(state, pool, receivedAtMs), slow: null, notes };
  const [slow, others] = [true, false].map((isSlow) => finished.filter(({ route }) => (route === '/slow') === isSlow));
  return {
    ...state,
    ...updateView(state, { ...pool, finished: others }, receivedAtMs),
    slow: updateView(state.slow ?? createView(), { ...pool, ...slowPool, finished: slow }, receivedAtMs),
    notes,
  };
}

/**
 * @param {View} view
 * @param {Pool} pool
 * @param {number} receivedAtMs
 * @returns {View}
 */
function updateView({ slots }, pool, receivedAtMs) {
  return { pool, receivedAtMs, slots: assignSlots(slots, pool.lanes) };
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
