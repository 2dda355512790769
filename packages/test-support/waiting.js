import { setTimeout as delay } from 'node:timers/promises';

/** @import { ChildProcess } from 'node:child_process' */

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
 * Poll what a process does, until it ends.
 * @template T
 * @param {string} what for the error
 * @param {() => T | Promise<T>} probe
 * @param {{ child: ChildProcess, said: { stdout: string, stderr: string }, withinMs: number }} process said: so far
 * @returns {Promise<NonNullable<T>>}
 * @throws {Error} with what it said, on timeout or if it ends
 */
export function untilProcess(what, probe, { child, said, withinMs }) {
  const probeAlive = () => {
    if (child.exitCode !== null) throw new Error(`it ended with ${child.exitCode}`);
    return probe();
  };
  return until(what, probeAlive, withinMs).catch((cause) => {
    throw new Error(`${cause.message}\n${said.stdout}${said.stderr}`, { cause });
  });
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
