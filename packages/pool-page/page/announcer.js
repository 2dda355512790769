import { conditionOf } from './state.js';
import { describeBottleneck } from './words.js';

/** @import { State } from './state.js' */

/**
 * @typedef {object} Memory what the screen reader has heard
 * @property {number} saidAtMs
 * @property {boolean} queued whether it last heard that requests wait
 * @property {number} changedAtMs since when that is no longer true; NaN while it is true
 * @property {keyof typeof CONDITIONS} condition
 * @property {boolean} bottleneck whether it last heard that the server is the bottleneck
 */

/** A shorter change of the queue is not worth a sentence. */
const HOLD_MS = 1000;
const PAUSE_MS = 5000;
const CONDITIONS = {
  live: { start: '', end: '' },
  lost: { start: 'The app is not responding.', end: 'The app is responding again.' },
  unreachable: { start: 'MongoDB is unreachable: requests fail.', end: 'MongoDB is back.' },
};

/** @returns {Memory} */
export function createMemory() {
  return { saidAtMs: -Infinity, queued: false, changedAtMs: NaN, condition: 'live', bottleneck: false };
}

/**
 * What to say now: at most one sentence every few seconds, and only about changes. A sentence that has to wait is
 * said later, if it is still true.
 * @param {Memory} memory
 * @param {State} state
 * @param {number} nowMs
 * @param {string[]} [messages] what the app wants to say; the one that is said is taken out
 * @returns {{ memory: Memory, message?: string }}
 */
export function announce(memory, state, nowMs, messages = []) {
  const queued = [state, ...state.others].some(({ pool }) => pool !== null && pool.waiting > 0);
  const since = Number.isNaN(memory.changedAtMs) ? nowMs : memory.changedAtMs;
  const next = { ...memory, changedAtMs: queued === memory.queued ? NaN : since };
  if (nowMs - memory.saidAtMs < PAUSE_MS) return { memory: next };

  const condition = conditionOf(state);
  if (condition !== 'connecting' && condition !== memory.condition) {
    const message = CONDITIONS[condition].start || CONDITIONS[memory.condition].end;
    return { memory: { ...next, saidAtMs: nowMs, condition }, message };
  }
  const message = messages.shift();
  if (message !== undefined) return { memory: { ...next, saidAtMs: nowMs }, message };
  const bottleneck = state.bottleneck !== null;
  if (bottleneck !== memory.bottleneck) {
    const message = state.bottleneck ? describeBottleneck(state.bottleneck) : 'The server is no longer the bottleneck.';
    return { memory: { ...next, saidAtMs: nowMs, bottleneck }, message };
  }
  if (queued !== memory.queued && nowMs - since >= HOLD_MS) {
    const message = queued ? 'No lane is free: requests are waiting.' : 'The queue is empty again.';
    return { memory: { ...next, saidAtMs: nowMs, queued, changedAtMs: NaN }, message };
  }
  return { memory: next };
}
