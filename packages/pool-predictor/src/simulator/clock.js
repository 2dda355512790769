import { createEventHeap } from './event-heap.js';

/** The time of a simulation and its future events. Only the loop in simulate.js sets `nowMs`. */
export function createClock() {
  const events = createEventHeap();
  const clock = {
    nowMs: 0,
    nextMs: events.nextMs,
    pop: events.pop,
    /** @param {number} delayMs @param {number} code */
    after: (delayMs, code) => events.push(clock.nowMs + delayMs, code),
  };
  return clock;
}

/** @typedef {ReturnType<typeof createClock>} Clock */
