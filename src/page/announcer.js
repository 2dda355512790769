import { conditionOf } from './state.js';
import { describeLoadTest } from './words.js';

/** @import { State } from './state.js' */

/**
 * What a screen reader has been told, and when.
 * @typedef {object} Memory
 * @property {number} saidAtMs
 * @property {boolean} queued whether it was told that requests wait
 * @property {number} changedAtMs when the truth began to differ from that, NaN while it does not
 * @property {keyof typeof CONDITIONS} condition the last that it was told
 * @property {Set<number>} running load tests whose end it is waiting for
 */

/** A queue that comes and goes within this time is not worth a word. */
const HOLD_MS = 1000;
const PAUSE_MS = 5000;
/** What is said when each begins, and when all is well after it. */
const CONDITIONS = {
  live: { now: '', over: '' },
  lost: { now: 'The app does not answer.', over: 'The app answers again.' },
  unreachable: { now: 'MongoDB is unreachable: requests fail.', over: 'MongoDB is back.' },
};

/** @returns {Memory} */
export function createMemory() {
  return { saidAtMs: -Infinity, queued: false, changedAtMs: NaN, condition: 'live', running: new Set() };
}

/**
 * The one thing worth saying now, if any: at most a sentence every few seconds, and only of what has changed.
 * What is not said for lack of time is said later, if it is still true.
 * @param {Memory} memory
 * @param {State} state
 * @param {number} nowMs
 * @returns {{ memory: Memory, message?: string }}
 */
export function announce(memory, state, nowMs) {
  const { pool, loadTests } = state;
  const queued = Boolean(pool && pool.waiting > 0);
  const since = Number.isNaN(memory.changedAtMs) ? nowMs : memory.changedAtMs;
  const running = loadTests.filter(({ state }) => state === 'running').map(({ id }) => id);
  const next = {
    ...memory,
    changedAtMs: queued === memory.queued ? NaN : since,
    running: new Set([...memory.running, ...running]),
  };
  if (nowMs - memory.saidAtMs < PAUSE_MS) return { memory: next };

  const condition = conditionOf(state);
  if (condition !== 'connecting' && condition !== memory.condition) {
    const message = CONDITIONS[condition].now || CONDITIONS[memory.condition].over;
    return { memory: { ...next, saidAtMs: nowMs, condition }, message };
  }
  const ended = loadTests.find(({ id, state }) => state !== 'running' && memory.running.has(id));
  if (ended) {
    next.running.delete(ended.id);
    return { memory: { ...next, saidAtMs: nowMs }, message: describeLoadTest(ended) };
  }
  if (queued !== memory.queued && nowMs - since >= HOLD_MS) {
    const message = queued ? 'No lane is free: requests wait.' : 'The queue is empty again.';
    return { memory: { ...next, saidAtMs: nowMs, queued, changedAtMs: NaN }, message };
  }
  return { memory: next };
}
