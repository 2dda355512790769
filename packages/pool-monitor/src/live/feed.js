import { performance } from 'node:perf_hooks';
import { createServerGauge } from './server-gauge.js';
import { readClient, readHeldMs, sumGauges } from './read-clients.js';
import { SecondSummary } from './second-summary.js';

const POOL_EVERY_MS = 200;
const SECOND_MS = 1000;
const KEPT_SECONDS = 120;
const MAX_ENDED = 20;
/** Kept between two events, to pick from. */
const MAX_RECENT = 5000;

/** @import { EndedRequest, LiveReading, Second } from './feed-shapes.js' */
/** @import { LiveSource } from './live-source.js' */

/**
 * Feeds the live page: the pools five times a second and the server's load once a second while anyone watches, and a
 * summary of each second of the last two minutes. Its timers keep no process alive.
 *
 * @param {LiveSource} source
 * @param {ReturnType<typeof import('./streams.js').createStreams>} streams
 */
export function createFeed(source, streams) {
  const { listPools, requests, readStatus, readServerLoad, listQueries = () => ({}), onError } = source;
  /** @type {Second[]} */
  const seconds = [];
  let ended = new SecondSummary();
  /** @type {EndedRequest[]} */
  let endedSinceEvent = [];
  /** Of this second. The pool can fill up and empty again before the second ends. */
  let peak = { active: 0, waiting: 0 };
  let loop = performance.eventLoopUtilization();
  const serverGauge = readServerLoad ? createServerGauge(readServerLoad) : null;
  requests.onEnd((request) => {
    ended.add(request);
    if (streams.count > 0 && endedSinceEvent.length < MAX_RECENT) endedSinceEvent.push(request);
  });

  function notePeak() {
    const { active, waiting } = sumGauges(listPools());
    peak = { active: Math.max(active, peak.active), waiting: Math.max(waiting, peak.waiting) };
  }

  function sendPool() {
    notePeak();
    if (streams.count > 0) {
      serverGauge?.refresh();
      /** @type {LiveReading} */
      const reading = {
        atMs: Date.now(), database: readStatus(), queries: listQueries(), clients: listPools().map(readClient),
        finished: pickEnded(endedSinceEvent), server: serverGauge?.read() ?? null,
      };
      streams.send('pool', reading);
    }
    endedSinceEvent = [];
  }

  function endSecond() {
    notePeak();
    const pools = listPools();
    const { max, idle } = sumGauges(pools);
    const before = loop;
    loop = performance.eventLoopUtilization();
    /** @type {Second} */
    const second = {
      atMs: Date.now(), max, idle, ...peak, ...ended.summarise(SECOND_MS),
      server: serverGauge?.read() ?? null, loopBusy: performance.eventLoopUtilization(loop, before).utilization,
      queries: listQueries(), heldMs: readHeldMs(pools),
    };
    ended = new SecondSummary();
    peak = { active: 0, waiting: 0 };
    seconds.push(second);
    if (seconds.length > KEPT_SECONDS) seconds.shift();
    streams.send('second', second);
  }

  /** @param {() => void} work @param {number} everyMs */
  function repeat(work, everyMs) {
    return setInterval(() => {
      try {
        work();
      } catch (error) {
        if (!onError) throw error;
        onError(error);
      }
    }, everyMs).unref();
  }

  const timers = [repeat(sendPool, POOL_EVERY_MS), repeat(endSecond, SECOND_MS)];
  return {
    /** @returns {readonly Second[]} oldest first */
    history: () => seconds,
    close() {
      for (const timer of timers) clearInterval(timer);
    },
  };
}

/** @param {EndedRequest[]} requests @returns {EndedRequest[]} if there are too many, those that waited longest */
function pickEnded(requests) {
  if (requests.length <= MAX_ENDED) return requests;
  return requests.toSorted((a, b) => b.waitMs - a.waitMs).slice(0, MAX_ENDED);
}
