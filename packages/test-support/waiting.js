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
export async function until(what, probe, withinMs = 60_000) {
  const deadline = performance.now() + withinMs;
  for (;;) {
    const answer = await probe();
    if (answer) return answer;
    if (performance.now() > deadline) throw new Error(`not within ${withinMs} ms: ${what}`);
    await delay(POLL_MS);
  }
}

/**
 * Measure again until the result is good. For times that a busy machine can only make longer: one good run shows what
 * the code can do. Assert in `measure` what must hold in every run.
 * @template T
 * @param {() => Promise<T>} measure
 * @param {(result: T) => boolean} isGood
 * @param {number} [tries]
 * @returns {Promise<T>} the first good result, or else the last one
 */
export async function measureUntil(measure, isGood, tries = 5) {
  const result = await measure();
  return isGood(result) || tries === 1 ? result : measureUntil(measure, isGood, tries - 1);
}

/**
 * The values of promises, in the order in which they resolve.
 * @template T
 * @param {Promise<T>[]} promises
 * @returns {Promise<T[]>}
 */
export async function inOrder(promises) {
  /** @type {T[]} */
  const values = [];
  await Promise.all(promises.map(async (promise) => values.push(await promise)));
  return values;
}
