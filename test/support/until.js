import { setTimeout as delay } from 'node:timers/promises';

const POLL_MS = 10;

/**
 * Poll, where there is no event to wait for.
 * @template T
 * @param {string} what for the error
 * @param {() => T | Promise<T>} probe
 * @param {number} [withinMs] the default is much longer than anything should take
 * @returns {Promise<NonNullable<T>>} the first truthy value
 * @throws {Error} on timeout
 */
export async function until(what, probe, withinMs = 20_000) {
  const deadline = performance.now() + withinMs;
  for (;;) {
    const answer = await probe();
    if (answer) return answer;
    if (performance.now() > deadline) throw new Error(`not within ${withinMs} ms: ${what}`);
    await delay(POLL_MS);
  }
}
