import { setTimeout as sleep } from 'node:timers/promises';
import { UNLIMITED, createScenarioLoad, simulate } from 'mongodb-pool-predictor';
import { requestOnce } from './request-once.js';

/** @import { Workload } from 'mongodb-pool-predictor' */

/**
 * @typedef {{ route: string, atMs: number }} DueRequest `atMs`: when it is sent, since the load began
 *
 * @typedef {object} Answer
 * @property {string} route
 * @property {number} atMs
 * @property {number} status HTTP status, 0 when none came in time
 * @property {number} tookMs until the answer began, or until its user gave up
 */

/**
 * Who comes when, drawn once, so that several apps can be sent the very same requests.
 *
 * @param {Workload} workload whose users ask once each
 * @returns {DueRequest[]} oldest first
 */
export function drawRequests(workload) {
  const { routes, workload: weighted } = createScenarioLoad(workload);
  const services = Object.fromEntries(routes.map((route) => [route, { kind: /** @type {const} */ ('fixed'), ms: 0 }]));
  const { records = [] } = simulate({ workload: weighted, pool: UNLIMITED, services, keepRequests: true });
  return records.map(({ route, arrivedAtMs }) => ({ route, atMs: arrivedAtMs })).sort((a, b) => a.atMs - b.atMs);
}

/**
 * Send each request when it is due, whether or not those before it have been answered.
 *
 * @param {DueRequest[]} requests oldest first
 * @param {object} options
 * @param {string} options.url of the app
 * @param {number} options.patienceMs after which a user gives up
 * @param {AbortSignal} options.signal ends the load
 * @returns {Promise<Answer[]>} in the order of the requests
 * @throws what `signal` was aborted with
 */
export async function sendOpenLoad(requests, { url, patienceMs, signal }) {
  const startedAtMs = performance.now();
  const answers = [];
  for (const { route, atMs } of requests) {
    const leftMs = startedAtMs + atMs - performance.now();
    if (leftMs > 0) await sleep(leftMs, undefined, { signal }).catch(() => signal.throwIfAborted());
    answers.push(ask({ route, atMs }, { url, patienceMs, signal }));
  }
  const all = await Promise.all(answers);
  signal.throwIfAborted();
  return all;
}

/**
 * @param {DueRequest} request
 * @param {{ url: string, patienceMs: number, signal: AbortSignal }} options
 * @returns {Promise<Answer>}
 */
async function ask(request, { url, patienceMs, signal }) {
  const sentAtMs = performance.now();
  try {
    return { ...request, ...await requestOnce(new URL(request.route, url), { patienceMs, signal }) };
  } catch {
    return { ...request, status: 0, tookMs: performance.now() - sentAtMs };
  }
}
