import { fileURLToPath } from 'node:url';
import { forkScript } from '../../src/harness/forked-process.js';
import { runHttpLoad } from '../../src/harness/http-load.js';

/** The lab's app. */
export const LAB_APP = fileURLToPath(new URL('../../src/server.js', import.meta.url));
const USAGE = new URL('./report-usage.mjs', import.meta.url).href;

/**
 * An app in a process of its own that takes part in a comparison.
 * @typedef {object} Contender
 * @property {string} url
 * @property {() => Promise<Usage>} readUsage
 * @property {() => Promise<void>} stop
 *
 * @typedef {{ cpuUs: number, heapBytes: number, longestDelayMs: number }} Usage processor time since the start; heap after a
 *   garbage collection; the longest that its event loop was busy since the last reading
 * @typedef {{ ratePerSec: number, cpuUs: number }} Turn cpuUs: of the app, for each request
 */

/**
 * @param {string} script that sends `{ url }` when it listens
 * @param {{ env: Record<string, string>, args?: string[], signal: AbortSignal }} options
 * @returns {Promise<Contender>}
 */
export async function startContender(script, { env, args, signal }) {
  const { message, ask, stop } = await forkScript(script, {
    name: script, args, signal,
    env: {
      HOST: '127.0.0.1', PORT: '0', LOG_LEVEL: 'error', NODE_ENV: 'production', ...env,
      NODE_OPTIONS: `--expose-gc --import ${USAGE}`,
    },
  });
  return { url: message.url, readUsage: () => ask('usage'), stop };
}

/** The path of a script beside this one. @param {string} name */
export function besides(name) {
  return fileURLToPath(new URL(name, import.meta.url));
}

/**
 * Loads an app for a while in a closed loop.
 * @param {Contender} contender
 * @param {{ path: string, connections: number, durationMs: number, signal: AbortSignal }} load
 * @returns {Promise<Turn>}
 * @throws {Error} if a request fails
 */
export async function playTurn({ url, readUsage }, { path, connections, durationMs, signal }) {
  const before = await readUsage();
  const { measured, failed } = await runHttpLoad({ url: `${url}${path}`, connections, warmUpMs: 0, durationMs }, { signal });
  const after = await readUsage();
  if (failed || !measured?.ratePerSec) throw new Error(`${url}${path}: ${failed ?? 'no answer'}`);
  return { ratePerSec: measured.ratePerSec, cpuUs: (after.cpuUs - before.cpuUs) / measured.requests };
}
