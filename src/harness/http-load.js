import { fileURLToPath } from 'node:url';
import { forkScript } from './forked-process.js';

const PROCESS = fileURLToPath(new URL('./http-load-process.js', import.meta.url));

/**
 * @typedef {object} HttpLoad
 * @property {string} url
 * @property {number} connections each of which asks again once it is answered
 * @property {number} warmUpMs at least; what comes in that time does not count
 * @property {number} durationMs
 */

/**
 * Ask an app over and over from a process of its own, with autocannon.
 *
 * @param {HttpLoad} load
 * @param {{ signal?: AbortSignal }} [options] ends the load
 * @returns {Promise<import('./run-lab.js').Measurement>} `requests` that were answered with 2xx, and the figures of
 *   summariseLatencies over these; `failures` are `errors` (no answer), `timeouts` (none within 10 s), `non2xx`, and
 *   `reopened` connections. `failed` says in words what went wrong
 */
export async function runHttpLoad(load, { signal } = {}) {
  const { message, stop } = await forkScript(PROCESS, {
    name: 'the load tool', args: [JSON.stringify(load)], signal,
  });
  await stop();
  return message;
}
