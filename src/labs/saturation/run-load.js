import { setTimeout as sleep } from 'node:timers/promises';

/** @import { Arrival, Kind } from './draw-arrivals.js' */

/** The longest warm-up, as a multiple of the measurement. */
const WARM_UP_TIMES = 2;
/** How long queries that are under way at the end may take. */
const DRAIN_MS = 10_000;

/**
 * @typedef {object} Query times are ms of performance.now()
 * @property {Kind} kind
 * @property {number} dueAtMs when it had to be sent
 * @property {number} endedAtMs when the answer came; Infinity if it did not come in time
 * @property {number} waitMs for a connection
 * @property {number} useMs of it
 *
 * @typedef {object} Outcome
 * @property {Query[]} queries that count
 * @property {number} fromMs
 * @property {number} toMs of the measurement
 *
 * @typedef {(kind: Kind) => Promise<{ waitMs: number, useMs: number }>} Send
 *
 * @typedef {object} Load
 * @property {number} measureMs
 * @property {Send} send
 * @property {() => Promise<void>} onStart called when the measurement begins, after the warm-up
 * @property {() => Promise<void>} onEnd called when it ends; queries may still be under way
 * @property {AbortSignal} signal
 */

/**
 * Runs a closed loop: so many callers, each with its next query as soon as its last one was answered. The measurement begins
 * when each caller had an answer; until then the queries that are quickly answered would be in the majority. What is answered
 * during the measurement counts.
 *
 * @param {Load & { callers: number, nextKind: () => Kind }} load
 * @returns {Promise<Outcome>}
 * @throws the error of a query that failed, or the signal's reason
 */
export async function runCallers({ callers, nextKind, measureMs, send, onStart, onEnd, signal }) {
  /** @type {Query[]} */
  const queries = [];
  let isOver = false;
  const firstAnswers = Array.from({ length: callers }, () => ask());
  const all = Promise.all(firstAnswers.map(async (first) => {
    for (await first; !isOver;) await ask();
  }));
  try {
    await within(WARM_UP_TIMES * measureMs, Promise.all(firstAnswers), all, signal);
    await onStart();
    const fromMs = performance.now();
    await within(measureMs, NEVER, all, signal);
    const toMs = performance.now();
    await onEnd();
    isOver = true;
    await within(DRAIN_MS, all, NEVER, signal);
    return { queries: queries.filter(({ endedAtMs }) => endedAtMs >= fromMs && endedAtMs < toMs), fromMs, toMs };
  } finally {
    isOver = true;
    all.catch(() => {});
  }

  async function ask() {
    queries.push(await time(nextKind(), performance.now(), send));
  }
}

/**
 * Runs an open loop: each query is sent when it is due, whether or not earlier ones were answered. Every query counts, and the
 * time from when it was due, also if the answer comes after the measurement.
 *
 * @param {Load & { arrivals: Arrival[] }} load
 * @returns {Promise<Outcome>}
 * @throws as runCallers
 */
export async function sendArrivals({ arrivals, measureMs, send, onStart, onEnd, signal }) {
  await onStart();
  const fromMs = performance.now();
  /** @type {Promise<Query>[]} */
  const sent = [];
  const stopping = new AbortController();
  /** @type {Promise<never>} */
  const failed = new Promise((_, reject) => { stopping.signal.addEventListener('abort', () => reject(stopping.signal.reason)); });
  failed.catch(() => {});
  for (const { kind, atMs } of arrivals) {
    await within(fromMs + atMs - performance.now(), NEVER, failed, signal);
    const query = time(kind, fromMs + atMs, send);
    query.catch((error) => stopping.abort(error));
    sent.push(query);
  }
  await within(fromMs + measureMs - performance.now(), NEVER, failed, signal);
  const toMs = performance.now();
  await onEnd();
  const all = Promise.all(sent);
  await within(DRAIN_MS, all, failed, signal);
  const late = arrivals.map(({ kind, atMs }) => ({ kind, dueAtMs: fromMs + atMs, endedAtMs: Infinity, waitMs: NaN, useMs: NaN }));
  return { queries: await Promise.all(sent.map((query, index) => Promise.race([query, late[index]]))), fromMs, toMs };
}

/** @param {Kind} kind @param {number} dueAtMs @param {Send} send @returns {Promise<Query>} */
async function time(kind, dueAtMs, send) {
  return { kind, dueAtMs, ...await send(kind), endedAtMs: performance.now() };
}

/** @type {Promise<never>} */
const NEVER = new Promise(() => {});

/**
 * Waits for `done`, but no longer than this.
 *
 * @param {number} ms
 * @param {Promise<unknown>} done
 * @param {Promise<unknown>} failing ends the wait if it rejects
 * @param {AbortSignal} signal
 */
async function within(ms, done, failing, signal) {
  if (ms <= 0) return signal.throwIfAborted();
  const over = new AbortController();
  const timer = sleep(ms, undefined, { signal: AbortSignal.any([signal, over.signal]) });
  timer.catch(() => {});
  try {
    await Promise.race([timer, done, failing.then(() => NEVER)]);
  } catch (error) {
    signal.throwIfAborted();
    throw error;
  } finally {
    over.abort();
  }
  signal.throwIfAborted();
}
