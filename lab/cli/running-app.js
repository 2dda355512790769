import { unescape } from 'node:querystring';
import { PoolClient } from 'mongodb-pool-page/client';
import { requestOnce } from '../harness/loads/request-once.js';

/** How long to wait for the app's answer. */
const TIMEOUT_MS = 5000;

/** What to type if no app runs there yet. */
export const HOW_TO_WATCH = `Start the app with its pools in view, and use the address that this prints:
  npx pool-lab watch --port 9000 -- node app.js
For a process that is already running:
  npx pool-lab attach PID`;

/** The number of timed round trips. The first ones are slower and left out. */
const ROUND_TRIPS = 50;
const WARM_UP_TRIPS = 10;

/**
 * @typedef {object} AppUrl
 * @property {string} option that it came from, for messages
 * @property {string} url without user and password: for messages, files and requests
 * @property {Record<string, string>} headers with user and password
 * @property {RequestRedirect} [redirect] default: follow, as to the only process of `pool-lab watch`
 * @property {string} [hint] to print after an error
 */

/**
 * @param {string} option
 * @param {string} text may contain a user and a password
 * @returns {AppUrl}
 * @throws {Error} naming the option; shows nothing of the text
 */
export function parseAppUrl(option, text) {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const { protocol, username = '', password = '' } = url ?? {};
  // Another @ means that some character in front of it ended the password early.
  const rest = url && Object.assign(url, { username: '', password: '' }).href;
  if (!rest || !/^https?:$/.test(String(protocol)) || rest.includes('@')) {
    throw new Error(
      `${option} is not the URL of an app. Write it like http://127.0.0.1:3000, and percent-encode special ` +
        'characters.',
    );
  }
  if (!text.includes('@')) return { option, url: text, headers: {} };
  const credentials = Buffer.from(`${unescape(username)}:${unescape(password)}`).toString('base64');
  return { option, url: rest, headers: { Authorization: `Basic ${credentials}` } };
}

/**
 * @template T
 * @param {AppUrl} app
 * @param {(client: PoolClient) => Promise<T>} ask
 * @returns {Promise<T>}
 * @throws {Error} naming the option
 */
export async function askApp({ option, url, headers, redirect = 'follow', hint = '' }, ask) {
  try {
    return await ask(new PoolClient(url, { headers, redirect, timeoutMs: TIMEOUT_MS }));
  } catch (cause) {
    throw new Error(`${option} ${/** @type {Error} */ (cause).message}${hint}`, { cause });
  }
}

/**
 * How long a request from here takes that makes no query, each on a new connection, as a load test's are.
 *
 * @param {AppUrl} app
 * @returns {Promise<number[]>} ms; empty if one gets no answer
 */
export async function timeRoundTrips({ url }) {
  const tripsMs = [];
  try {
    for (let trip = 0; trip < ROUND_TRIPS; trip++) {
      const { tookMs } = await requestOnce(new URL('/livez', url), { patienceMs: TIMEOUT_MS });
      if (trip >= WARM_UP_TRIPS) tripsMs.push(tookMs);
    }
  } catch {
    return [];
  }
  return tripsMs;
}
