import { createEventHeap } from '../../src/simulator/event-heap.js';

/**
 * How long each of a known list of requests waits for one of `servers` connections: a warm pool, first in
 * first out, and no request depends on another's answer. Each takes the connection that is free first, and
 * starts then or when it arrives, whichever is later (J. Kiefer and J. Wolfowitz, 1955).
 *
 * @param {ArrayLike<number>} atMs when requests arrive, ascending
 * @param {ArrayLike<number>} serviceMs how long each keeps its connection
 * @param {number} servers
 * @returns {Float64Array} waits in ms
 */
export function kieferWolfowitz(atMs, serviceMs, servers) {
  const free = createEventHeap();
  for (let server = 0; server < servers; server++) free.push(-Infinity, server);
  const waitMs = new Float64Array(atMs.length);
  for (let i = 0; i < atMs.length; i++) {
    const startMs = Math.max(atMs[i], free.nextMs());
    waitMs[i] = startMs - atMs[i];
    free.push(startMs + serviceMs[i], free.pop());
  }
  return waitMs;
}
