import { setTimeout as sleep } from 'node:timers/promises';

/**
 * Asks again and again until there is an answer.
 *
 * @template T
 * @param {() => Promise<T | undefined> | T | undefined} ask
 * @param {object} options
 * @param {number} options.everyMs pause between two questions; 0: none
 * @param {number} [options.timeoutMs] no question is asked later than this
 * @param {AbortSignal} [options.signal]
 * @returns {Promise<T | undefined>} undefined if there was no answer in time
 * @throws what `ask` throws, or the signal's reason
 */
export async function poll(ask, { everyMs, timeoutMs = Infinity, signal }) {
  const endsAtMs = performance.now() + timeoutMs;
  for (;;) {
    signal?.throwIfAborted();
    const answer = await ask();
    if (answer !== undefined || performance.now() > endsAtMs) return answer;
    if (everyMs > 0) await sleep(everyMs, undefined, { signal }).catch(() => {});
  }
}

/**
 * Does something every `everyMs` until `stop` is aborted, and then once more.
 *
 * @param {() => Promise<void>} act
 * @param {{ everyMs: number | (() => number), stop: AbortSignal }} options
 * @throws what `act` throws, which ends it
 */
export async function repeatUntil(act, { everyMs, stop }) {
  for (let isLast = false; !isLast;) {
    await sleep(typeof everyMs === 'function' ? everyMs() : everyMs, undefined, { signal: stop }).catch(() => {});
    isLast = stop.aborted;
    await act();
  }
}

/** @param {any} error @returns {boolean} whether an answer took too long: an overloaded app may still answer */
export function isTimeout(error) {
  return Boolean(error) && (error.name === 'TimeoutError' || isTimeout(error.cause));
}
