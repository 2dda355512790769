import { setTimeout as sleep } from 'node:timers/promises';
import { createRandom } from 'mongodb-pool-predictor';
import { runClosedLoop } from '../../harness/loads/closed-loop.js';
import { runOpenLoop } from '../../harness/loads/open-loop.js';

/** The longest warm-up, as a multiple of the measurement. */
const WARM_UP_TIMES = 2;
/** How long queries that are under way at the end may take. */
const DRAIN_MS = 10_000;

/**
 * @typedef {'heavy' | 'cheap'} QueryKind
 * @typedef {{ kind: QueryKind, atMs: number }} PlannedQuery `atMs`: from the start of the load
 *
 * @typedef {object} TimedQuery times are ms of performance.now()
 * @property {QueryKind} kind
 * @property {number} dueAtMs when it had to be sent
 * @property {number} endedAtMs when the answer came; Infinity if it did not come in time
 * @property {number} waitMs for a connection
 * @property {number} useMs of it
 *
 * @typedef {object} SentQueries
 * @property {TimedQuery[]} queries that count
 * @property {number} fromMs
 * @property {number} toMs of the measurement
 *
 * @typedef {(kind: QueryKind) => Promise<{ waitMs: number, useMs: number }>} Send
 *
 * @typedef {object} TrialLoad
 * @property {number} measureMs
 * @property {Send} send
 * @property {() => Promise<void>} onStart called when the measurement begins, after the warm-up
 * @property {() => Promise<void>} onEnd called when it ends; queries may still be under way
 * @property {AbortSignal} signal
 */

/**
 * Runs a closed loop of `callers` callers. The measurement begins when each caller had an answer, because before that,
 * fast queries would be over-represented. What is answered during the measurement counts.
 *
 * @param {TrialLoad & { callers: number, nextKind: () => QueryKind }} load
 * @returns {Promise<SentQueries>}
 * @throws the error of a query that failed, or the signal's reason; queries may still be under way then
 */
export async function runCallers({ callers, nextKind, measureMs, send, onStart, onEnd, signal }) {
  /** @type {TimedQuery[]} */
  const queries = [];
  /** Callers that had an answer. @type {Set<number>} */
  const warm = new Set();
  let onWarm = () => {};
  const allWarm = new Promise((resolve) => {
    onWarm = () => resolve(undefined);
  });
  const [over, failed] = [new AbortController(), new AbortController()];
  const until = AbortSignal.any([signal, failed.signal]);
  const loop = runClosedLoop({
    workers: callers,
    until: AbortSignal.any([until, over.signal]),
    async task(_, caller) {
      const query = { kind: nextKind(), dueAtMs: performance.now() };
      try {
        queries.push({ ...query, ...(await send(query.kind)), endedAtMs: performance.now() });
      } catch (error) {
        failed.abort(error);
      }
      if (warm.add(caller).size === callers) onWarm();
    },
  });
  try {
    await waitUpTo(WARM_UP_TIMES * measureMs, until, allWarm);
    await onStart();
    const fromMs = performance.now();
    await waitUpTo(measureMs, until);
    const toMs = performance.now();
    await onEnd();
    over.abort();
    await waitUpTo(DRAIN_MS, until, loop);
    return { queries: queries.filter(({ endedAtMs }) => endedAtMs >= fromMs && endedAtMs < toMs), fromMs, toMs };
  } finally {
    over.abort();
  }
}

/**
 * Runs an open loop. Every query counts, and the time from when it was due, also if the answer comes after the
 * measurement.
 *
 * @param {TrialLoad & { arrivals: PlannedQuery[] }} load
 * @returns {Promise<SentQueries>}
 * @throws as runCallers
 */
export async function sendArrivals({ arrivals, measureMs, send, onStart, onEnd, signal }) {
  await onStart();
  const failed = new AbortController();
  const until = AbortSignal.any([signal, failed.signal]);
  const fromMs = performance.now();
  const unanswered = { endedAtMs: Infinity, waitMs: NaN, useMs: NaN };
  /** @type {TimedQuery[]} */
  const queries = arrivals.map(({ kind, atMs }) => ({ kind, dueAtMs: fromMs + atMs, ...unanswered }));
  const loop = runOpenLoop(
    {
      requests: arrivals,
      async send({ kind }, index) {
        Object.assign(queries[index], await send(kind), { endedAtMs: performance.now() });
      },
    },
    { signal },
  );
  loop.catch((error) => failed.abort(error));
  await waitUpTo(measureMs, until);
  const toMs = performance.now();
  await onEnd();
  await waitUpTo(DRAIN_MS, until, loop);
  // An answer that comes later must not change them.
  return { queries: structuredClone(queries), fromMs, toMs };
}

/**
 * @param {number} ms
 * @param {AbortSignal} signal
 * @param {Promise<unknown>} [done] ends the wait earlier
 * @throws the signal's reason
 */
async function waitUpTo(ms, signal, done) {
  const over = new AbortController();
  const time = sleep(ms, undefined, { signal: AbortSignal.any([signal, over.signal]) }).catch(() => {});
  await Promise.race([time, ...(done ? [done] : [])]).finally(() => over.abort());
  signal.throwIfAborted();
}

/**
 * Draws when queries arrive and which are heavy: a Poisson process of which the number of arrivals is known. In a short
 * time a drawn number could be far from the wanted one. The same seed draws the same, so that all pools get the same
 * load.
 *
 * @param {{ ratePerSec: number, withinMs: number, share: number, seed?: number }} load `share` of heavy queries
 * @returns {PlannedQuery[]} oldest first
 */
export function drawArrivals({ ratePerSec, withinMs, share, seed = 1 }) {
  const { uniform } = createRandom(seed, 'arrivals');
  const timesMs = Array.from({ length: Math.round((ratePerSec * withinMs) / 1000) }, () => uniform() * withinMs);
  return timesMs.sort((a, b) => a - b).map((atMs) => ({ kind: uniform() < share ? 'heavy' : 'cheap', atMs }));
}

/**
 * Spreads the heavy queries evenly among the cheap ones, for callers that take one after the other.
 * @param {number} share of heavy queries
 * @returns {() => QueryKind}
 */
export function createKinds(share) {
  let debt = 0;
  return () => {
    debt += share;
    if (debt < 1 - Number.EPSILON) return 'cheap';
    debt -= 1;
    return 'heavy';
  };
}
