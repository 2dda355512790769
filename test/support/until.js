import { setTimeout as delay } from 'node:timers/promises';

const POLL_MS = 10;

/**
 * Wait for what sends no event.
 *
 * @template T
 * @param {string} what is waited for, in words for the error
 * @param {() => T | Promise<T>} probe asked again and again
 * @param {number} [withinMs] how long is too long: without it, so long that something must have gone wrong
 * @returns {Promise<NonNullable<T>>} the first truthy answer
 * @throws {Error} when none came in time
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
