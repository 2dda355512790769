import { assignLanes } from './lanes.js';
import { addNotes } from './notes.js';

/** @import { LivePool, LoadTest, Second, Snapshot } from '../universal/feed-shapes.js' */
/** @import { Note } from './notes.js' */

/**
 * @typedef {object} View one pool, as its picture needs it
 * @property {LivePool | null} pool
 * @property {number} receivedAtMs the page's clock
 * @property {Map<string, number>} laneIndexes lane of each request, see `assignLanes`
 *
 * @typedef {object} PageState
 * @property {'connecting' | 'live' | 'lost'} connection to the app
 * @property {Snapshot | null} snapshot
 * @property {View | null} slow the pool of /slow, where it has its own
 * @property {Second[]} seconds oldest first
 * @property {Note[]} notes latest first
 * @property {LoadTest[]} loadTests latest first
 *
 * @typedef {View & PageState} State its view shows the main pool
 */

const HISTORY_MS = 120_000;

/** @returns {State} */
export function createState() {
  return {
    connection: 'connecting', snapshot: null, ...createView(), slow: null, seconds: [], notes: [], loadTests: [],
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
  return { pool: null, receivedAtMs: 0, laneIndexes: new Map() };
}

/** @param {State} state @param {LivePool} pool @param {number} receivedAtMs @returns {State} */
export function takePool(state, pool, receivedAtMs) {
  const { slowPool, finished } = pool;
  const notes = addNotes(state.notes, pool);
  if (!slowPool) return { ...state, ...updateView(state, pool, receivedAtMs), slow: null, notes };
  const [slow, others] = [true, false].map((isSlow) => finished.filter(({ route }) => (route === '/slow') === isSlow));
  return {
    ...state,
    ...updateView(state, { ...pool, finished: others }, receivedAtMs),
    slow: updateView(state.slow ?? createView(), { ...pool, ...slowPool, finished: slow }, receivedAtMs),
    notes,
  };
}

/** @param {View} view @param {LivePool} pool @param {number} receivedAtMs @returns {View} */
function updateView({ laneIndexes }, pool, receivedAtMs) {
  return { pool, receivedAtMs, laneIndexes: assignLanes(laneIndexes, pool.lanes) };
}

/**
 * The app's history replaces the page's, which has a gap after each lost connection.
 * @param {State} state
 * @param {Second[]} seconds
 * @returns {State}
 */
export function takeHistory(state, seconds) {
  return { ...state, seconds };
}

/** @param {State} state @param {Second} second @returns {State} */
export function takeSecond(state, second) {
  const seconds = state.seconds.filter(({ atMs }) => atMs > second.atMs - HISTORY_MS && atMs < second.atMs);
  return { ...state, seconds: [...seconds, second] };
}

/**
 * Adds a load test, or replaces it by its id.
 * @param {State} state
 * @param {LoadTest} loadTest
 * @returns {State}
 */
export function takeLoadTest(state, loadTest) {
  const others = state.loadTests.filter(({ id }) => id !== loadTest.id);
  const loadTests = [...others, loadTest].sort((a, b) => b.startedAt.localeCompare(a.startedAt));
  return { ...state, loadTests };
}
