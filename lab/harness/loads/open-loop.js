import { setMaxListeners } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { UNLIMITED, createScenarioLoad, simulate } from 'mongodb-pool-predictor';
import { requestOnce } from './request-once.js';

/** @import { Workload } from 'mongodb-pool-predictor' */

/**
 * @typedef {{ route: string, atMs: number }} DueRequest `atMs`: when it is sent, from the start of the load
 *
 * @typedef {object} Answer
 * @property {string} route
 * @property {number} atMs
 * @property {number} status of HTTP, 0 if no answer came in time
 * @property {number} tookMs until the answer began or the user gave up
 */

/**
 * Runs an open loop: sends each request when it is due, whether or not earlier ones were answered.
 *
 * @template {{ atMs: number }} Request
 * @template Reply
 * @param {{ requests: Request[], send: (request: Request, index: number) => Promise<Reply> }} load requests: oldest
 *   first
 * @param {{ signal: AbortSignal }} options
 * @returns {Promise<Reply[]>} in the order of the requests
 * @throws what `send` throws, at once; or the signal's reason
 */
export async function runOpenLoop({ requests, send }, { signal }) {
  const failed = new AbortController();
  const until = AbortSignal.any([signal, failed.signal]);
  const startedAtMs = performance.now();
  /** @type {Promise<Reply>[]} */
  const replies = [];
  for (const [index, request] of requests.entries()) {
    const leftMs = startedAtMs + request.atMs - performance.now();
    if (leftMs > 0) await sleep(leftMs, undefined, { signal: until }).catch(() => {});
    until.throwIfAborted();
    const reply = send(request, index);
    reply.catch((error) => failed.abort(error));
    replies.push(reply);
  }
  const all = await Promise.all(replies);
  signal.throwIfAborted();
  return all;
}

/**
 * Sends requests to an app in an open loop. A request without an answer is an answer too.
 *
 * @param {DueRequest[]} requests oldest first
 * @param {object} options
 * @param {string} options.url of the app
 * @param {number} options.patienceMs when a user gives up
 * @param {AbortSignal} options.signal ends the load
 * @returns {Promise<Answer[]>} in the order of the requests
 * @throws the signal's reason
 */
export function sendRequests(requests, { url, patienceMs, signal }) {
  // Every request in flight listens to it.
  setMaxListeners(0, signal);
  const send = async (/** @type {DueRequest} */ request) => {
    const sentAtMs = performance.now();
    try {
      return { ...request, ...(await requestOnce(new URL(request.route, url), { patienceMs, signal })) };
    } catch {
      return { ...request, status: 0, tookMs: performance.now() - sentAtMs };
    }
  };
  return runOpenLoop({ requests, send }, { signal });
}

/**
 * Draws the arrivals once, so that several apps get the same requests.
 * @param {Workload} workload whose users send one request each
 * @returns {DueRequest[]} oldest first
 */
export function drawRequests(workload) {
  const { routes, workload: weighted } = createScenarioLoad(workload);
  const services = Object.fromEntries(routes.map((route) => [route, { kind: /** @type {const} */ ('fixed'), ms: 0 }]));
  const { records = [] } = simulate({ workload: weighted, pool: UNLIMITED, services, keepRequests: true });
  return records.map(({ route, arrivedAtMs }) => ({ route, atMs: arrivedAtMs })).sort((a, b) => a.atMs - b.atMs);
}
