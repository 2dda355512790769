import { fileURLToPath } from 'node:url';
import { forkScript } from '../forked-process.js';

/** @import { Measurement } from '../run-lab.js' */
/** @import { LatencyFigures } from '../summarise-latencies.js' */
/** @import { RunLoad } from './load-types.js' */

const PROCESS = fileURLToPath(new URL('./http-process.js', import.meta.url));

/**
 * @typedef {object} HttpLoad
 * @property {string} url
 * @property {number} connections each sends its next request when the last one is answered
 * @property {number} warmUpMs minimum; answers in this time do not count
 * @property {number} durationMs
 */

/**
 * @typedef {object} HttpFailures
 * @property {number} failures all of the following
 * @property {number} errors no answer
 * @property {number} timeouts no answer within 10 s
 * @property {number} non2xx
 * @property {number} reopened connections
 *
 * @typedef {{ requests: number } & HttpFailures & Partial<Omit<LatencyFigures, 'count'>>} HttpLoadFigures `requests`
 *   with 2xx, and their latencies if there are any
 */

/**
 * Runs a closed loop of HTTP requests with autocannon, in a separate process.
 *
 * @type {RunLoad<HttpLoad, Measurement<HttpLoadFigures>>}
 */
export async function runHttpLoad(load, { signal } = {}) {
  const args = [JSON.stringify(load)];
  const { message, stop } = await forkScript(PROCESS, { name: 'the load tool', args, signal });
  await stop();
  return message;
}
