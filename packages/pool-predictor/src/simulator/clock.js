import { createEventHeap } from './event-heap.js';

/** Future events of a connection, a core, a user or an outage, which is known by its index. */
export const EVENTS = /** @type {const} */ ({
  delayEnds: 0,
  connected: 1,
  userWakes: 2,
  handedOver: 3,
  workBegins: 4,
  turnEnds: 5,
  queryStarts: 6,
  outage: 7,
});
/** An event's code is an index times this, plus one of EVENTS. */
const KINDS = 8;

/** @typedef {typeof EVENTS[keyof typeof EVENTS]} EventKind */

/** Creates the time of a simulation and its future events. Only the loop in simulate.js sets `nowMs`. */
export function createClock() {
  const events = createEventHeap();
  const clock = {
    nowMs: 0,
    nextMs: events.nextMs,
    /** The code of the next event. */
    pop: events.pop,
    /** @param {number} delayMs @param {EventKind} kind @param {number} [index] */
    after: (delayMs, kind, index = 0) => events.push(clock.nowMs + delayMs, index * KINDS + kind),
  };
  return clock;
}

/** @param {number} code of an event */
export function kindOf(code) {
  return code % KINDS;
}

/** @param {number} code of an event @returns {number} of its connection, core or user */
export function indexOf(code) {
  return (code - kindOf(code)) / KINDS;
}

/** @typedef {ReturnType<typeof createClock>} Clock */
