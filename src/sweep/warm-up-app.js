import { runArtillery } from '../harness/artillery.js';

/** More callers would be a load test. */
const MAX_CALLERS = 50;
const USERS_PER_SEC = 50;

/**
 * Opens connections, fills caches and lets Node.js compile: so many users as the pool has connections, without a pause.
 *
 * @param {string} url of the app
 * @param {object} options
 * @param {string} [options.scenario] that the users play
 * @param {string} [options.environment]
 * @param {string[]} [options.paths] to request instead, in turn
 * @param {number} options.poolSize
 * @param {number} options.seconds 0: no warm-up
 * @param {AbortSignal} options.signal
 */
export async function warmUpApp(url, { scenario, environment, paths, poolSize, seconds, signal }) {
  if (seconds === 0) return;
  const callers = Math.min(poolSize, MAX_CALLERS);
  if (paths) {
    await requestPaths(url, paths, { callers, seconds, signal });
  } else if (scenario !== undefined) {
    const phases = [{ duration: Math.ceil(seconds), arrivalRate: USERS_PER_SEC, maxVusers: callers }];
    await runArtillery({ scenario, target: url, environment, phases, signal });
  }
}

/** @param {string} url @param {string[]} paths @param {{ callers: number, seconds: number, signal: AbortSignal }} options */
async function requestPaths(url, paths, { callers, seconds, signal }) {
  const endsAtMs = performance.now() + seconds * 1000;
  let next = 0;
  await Promise.all(Array.from({ length: callers }, async () => {
    do await requestPath(url, paths[next++ % paths.length], signal);
    while (performance.now() < endsAtMs);
  }));
}

/** @param {string} url @param {string} path @param {AbortSignal} signal @returns {Promise<number>} the status */
export async function requestPath(url, path, signal) {
  try {
    const response = await fetch(new URL(path, url), { signal, redirect: 'manual' });
    await response.arrayBuffer();
    return response.status;
  } catch (cause) {
    signal.throwIfAborted();
    const { message, cause: reason } = /** @type {Error} */ (cause);
    throw new Error(`GET ${path} got no answer: ${reason instanceof Error ? reason.message : message}`, { cause });
  }
}
