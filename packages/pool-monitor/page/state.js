import { assignLanes } from './lanes.js';
import { isServerBottleneck } from '../universal/server-bottleneck.js';
import { movePast, paceOf } from './motion.js';
import { addNotes } from './notes.js';

/** @import { ClientReading, LiveReading, LoadTest, Second, Snapshot } from '../src/live/feed-shapes.js' */
/** @import { Note } from './notes.js' */

/**
 * @typedef {ClientReading & Omit<LiveReading, 'clients'>} LivePool the app, and one of its clients
 *
 * @typedef {object} View one pool, as its picture needs it
 * @property {LivePool | null} pool
 * @property {number} receivedAtMs the page's clock
 * @property {Map<string, number>} laneIndexes lane of each request, see `assignLanes`
 * @property {Map<string, number>} drivenMs how far the vehicle of each request has driven, see `movePast`
 * @property {number} pace of the vehicles, see `paceOf`
 *
 * @typedef {object} PageState
 * @property {'connecting' | 'live' | 'lost'} connection to the app
 * @property {Snapshot | null} snapshot
 * @property {View | null} slow the pool of /slow, where it has its own
 * @property {Second[]} seconds oldest first
 * @property {{ queries: number, cores: number } | null} bottleneck set while the server is the bottleneck
 * @property {Note[]} notes latest first
 * @property {LoadTest[]} loadTests latest first
 *
 * @typedef {View & PageState} State its view shows the main pool
 */

const HISTORY_MS = 120_000;

/** @returns {State} */
export function createState() {
  return {
    connection: 'connecting', snapshot: null, ...createView(), slow: null, seconds: [], bottleneck: null, notes: [],
    loadTests: [],
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
  return { pool: null, receivedAtMs: 0, laneIndexes: new Map(), drivenMs: new Map(), pace: 1 };
}

/** @param {State} state @param {LiveReading} reading @param {number} receivedAtMs @returns {State} */
export function takePool(state, { clients: [main, slowPool], ...app }, receivedAtMs) {
  const pool = { ...app, ...main };
  const { finished } = app;
  const notes = addNotes(state.notes, pool);
  const pace = paceOf(app, main.active + (slowPool?.active ?? 0));
  if (!slowPool) return { ...state, ...updateView(state, pool, receivedAtMs, pace), slow: null, notes };
  const [slow, others] = [true, false].map((isSlow) => finished.filter(({ route }) => (route === '/slow') === isSlow));
  return {
    ...state,
    ...updateView(state, { ...pool, finished: others }, receivedAtMs, pace),
    slow: updateView(state.slow ?? createView(), { ...pool, ...slowPool, finished: slow }, receivedAtMs, pace),
    notes,
  };
}

/** @param {View} view @param {LivePool} pool @param {number} receivedAtMs @param {number} pace @returns {View} */
function updateView(view, pool, receivedAtMs, pace) {
  return {
    pool, receivedAtMs, pace, laneIndexes: assignLanes(view.laneIndexes, pool.lanes),
    drivenMs: movePast(view, pool.lanes, receivedAtMs, pace),
  };
}

/**
 * The app's history replaces the page's, which has a gap after each lost connection.
 * @param {State} state
 * @param {Second[]} seconds
 * @returns {State}
 */
export function takeHistory(state, seconds) {
  return { ...state, seconds, bottleneck: findBottleneck(seconds) };
}

/** @param {State} state @param {Second} second @returns {State} */
export function takeSecond(state, second) {
  const before = state.seconds.filter(({ atMs }) => atMs > second.atMs - HISTORY_MS && atMs < second.atMs);
  return takeHistory(state, [...before, second]);
}

/** @param {Second[]} seconds @returns {State['bottleneck']} */
function findBottleneck(seconds) {
  const busy = seconds.findLast(({ server, active }) => server && active > server.cores);
  return busy?.server && isServerBottleneck(seconds) ? { queries: busy.active, cores: busy.server.cores } : null;
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
