import { setMaxListeners } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { askOnce } from '../../src/bench/ask-once.js';
import { sendOpenLoad } from '../../src/bench/open-load.js';
import { quantile } from '../../src/predict/quantile.js';

const WINDOW = 100;
/** After this long without recovery there is none. */
const PATIENCE_MS = 30_000;

/** Requests at a steady rate each, in the order of their times. */
export function planLoad(ratesPerSec, seconds) {
  return Object.entries(ratesPerSec)
    .flatMap(([route, rate]) => Array.from({ length: rate * seconds }, (_, index) => ({ route, atMs: index / rate * 1000 })))
    .sort((a, b) => a.atMs - b.atMs);
}

/**
 * Send a load, and count what becomes of it. /livez has to answer with 200; the others may be refused with 503, and
 * all have to answer within `limitMs`.
 */
export async function sendLoad(requests, { url, limitMs }) {
  const { signal } = new AbortController();
  // Each request under way listens to it.
  setMaxListeners(0, signal);
  const answers = await sendOpenLoad(requests, { url, patienceMs: limitMs, signal });
  const isRight = ({ route, status }) => status === 200 || (status === 503 && route !== '/livez');
  const wrong = answers.filter((answer) => !isRight(answer));
  return {
    sent: answers.length,
    answered: answers.filter(({ status }) => status === 200).length,
    refused: answers.filter((answer) => answer.status === 503 && isRight(answer)).length,
    problems: wrong.map(({ route, status, tookMs, atMs }) => (
      `${route} at ${Math.round(atMs)} ms: ${status || 'no answer'} after ${Math.round(tookMs)} ms`)),
    livezMs: quantile(answers.filter(({ route }) => route === '/livez').map(({ tookMs }) => tookMs), 1),
  };
}

/** One after the other. */
async function timeFast(url) {
  const timesMs = [];
  for (let index = 0; index < WINDOW; index += 1) {
    const { status, tookMs } = await askOnce(new URL('/fast', url), { patienceMs: PATIENCE_MS });
    if (status !== 200) return Infinity;
    timesMs.push(tookMs);
  }
  return quantile(timesMs, 0.99);
}

/** The p99 of /fast without load: the median of five windows of 100 requests. */
export async function measureUnloaded(url) {
  const windows = [];
  for (let index = 0; index < 5; index += 1) windows.push(await timeFast(url));
  return quantile(windows, 0.5);
}

/**
 * How long it takes until a window of 100 requests begins whose p99 is at most twice the unloaded one, and 5 ms for the
 * noise of windows this small.
 */
export async function measureRecovery(url, unloadedMs) {
  const backAt = performance.now();
  for (;;) {
    const windowAt = performance.now() - backAt;
    if (await timeFast(url) <= 2 * unloadedMs + 5) return windowAt;
    if (windowAt > PATIENCE_MS) return Infinity;
    await sleep(20);
  }
}

/** Look at something again and again until it is right. */
export async function settle(withinMs, findProblem) {
  const deadline = performance.now() + withinMs;
  for (;;) {
    const problem = await findProblem();
    if (!problem) return [];
    if (performance.now() > deadline) return [problem];
    await sleep(50);
  }
}
