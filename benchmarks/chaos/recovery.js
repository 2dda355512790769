import { setTimeout as sleep } from 'node:timers/promises';
import { quantile } from 'mongodb-pool-predictor';
import { requestOnce } from '../../lab/harness/loads/request-once.js';
import { sendRequests } from '../../lab/harness/loads/open-loop.js';

/** @import { Answer, DueRequest } from '../../lab/harness/loads/open-loop.js' */

const WINDOW = 100;
/** Without recovery after this long, there is none. */
const TIMEOUT_MS = 30_000;
/** Noise of the p99 of a window this small. */
const NOISE_MS = 5;

/** The app must be back to normal this soon after a fault. */
export const MAX_RECOVERY_MS = 5000;

/**
 * Sends a window of requests, one after the other.
 * @param {string} url
 * @returns {Promise<number>} their p99 in ms; NaN if one of them failed
 */
async function timeFast(url) {
  const timesMs = [];
  for (let index = 0; index < WINDOW; index += 1) {
    const { status, tookMs } = await requestOnce(new URL('/fast', url), { patienceMs: TIMEOUT_MS });
    if (status !== 200) return NaN;
    timesMs.push(tookMs);
  }
  return quantile(timesMs, 0.99);
}

/**
 * Measures the p99 of /fast without load: the median of five windows of 100 requests.
 * @param {string} url
 * @param {boolean} isShort a short run, on a machine that may be busy, judges no latency
 * @returns {Promise<number>} ms, Infinity in a short run
 */
export async function measureUnloaded(url, isShort) {
  if (isShort) return Infinity;
  const windows = [];
  for (let index = 0; index < 5; index += 1) windows.push(await timeFast(url));
  return quantile(windows, 0.5);
}

/**
 * Waits for a window of 100 requests with a p99 of at most twice the unloaded one.
 * @param {string} url
 * @param {number} unloadedMs
 * @returns {Promise<number>} ms until that window began, Infinity where there is none
 */
export async function measureRecovery(url, unloadedMs) {
  const startedAtMs = performance.now();
  for (;;) {
    const elapsedMs = performance.now() - startedAtMs;
    if ((await timeFast(url)) <= 2 * unloadedMs + NOISE_MS) return elapsedMs;
    if (elapsedMs > TIMEOUT_MS) return Infinity;
    await sleep(20);
  }
}

/**
 * Polls until there is no problem, or the deadline has passed.
 * @param {number} withinMs
 * @param {() => Promise<string>} findProblem resolves with '' where there is none
 * @returns {Promise<string[]>} the last problem, or nothing
 */
export async function findLastingProblem(withinMs, findProblem) {
  const deadline = performance.now() + withinMs;
  for (;;) {
    const problem = await findProblem();
    if (!problem) return [];
    if (performance.now() > deadline) return [problem];
    await sleep(50);
  }
}

/**
 * Plans requests that arrive at a constant rate on each route.
 * @param {Record<string, number>} ratesPerSec by route
 * @param {number} seconds
 * @returns {DueRequest[]} oldest first
 */
export function planLoad(ratesPerSec, seconds) {
  return Object.entries(ratesPerSec)
    .flatMap(([route, rate]) =>
      Array.from({ length: rate * seconds }, (_, index) => ({ route, atMs: (index / rate) * 1000 })),
    )
    .sort((a, b) => a.atMs - b.atMs);
}

/**
 * Sends a load and counts the outcomes. /livez must answer 200, other routes 200 or 503, all within `timeoutMs`.
 * @param {DueRequest[]} requests oldest first
 * @param {{ url: string, timeoutMs: number }} options
 */
export async function sendLoad(requests, { url, timeoutMs }) {
  const { signal } = new AbortController();
  const answers = await sendRequests(requests, { url, patienceMs: timeoutMs, signal });
  /** @param {Answer} answer */
  const isRefused = ({ route, status }) => status === 503 && route !== '/livez';
  const wrong = answers.filter((answer) => answer.status !== 200 && !isRefused(answer));
  return {
    sent: answers.length,
    answered: answers.filter(({ status }) => status === 200).length,
    refused: answers.filter(isRefused).length,
    problems: wrong.map(
      ({ route, status, tookMs, atMs }) =>
        `${route} at ${Math.round(atMs)} ms: ${status || 'no answer'} after ${Math.round(tookMs)} ms`,
    ),
    maxLivezMs: Math.max(...answers.filter(({ route }) => route === '/livez').map(({ tookMs }) => tookMs)),
  };
}
