import { performance } from 'node:perf_hooks';
import { createServerGauge } from './server-gauge.js';
import { readClient, readHeldMs, sumGauges } from './read-clients.js';
import { SecondSummary } from './second-summary.js';

const POOL_EVERY_MS = 200;
const SECOND_MS = 1000;
const KEPT_SECONDS = 120;
const MAX_ENDED = 20;
const MAX_LEFT = 20;

/** @import { EndedRequest, LeftConnection, LiveReading, Second } from './feed-shapes.js' */
/** @import { LiveSource } from './live-source.js' */

/**
 * Feeds the live page: the pools five times a second and the server's load once a second while anyone watches, and a
 * summary of each second of the last two minutes. Its timers keep no process alive.
 *
 * @param {LiveSource} source
 * @param {ReturnType<typeof import('./streams.js').createStreams>} streams
 */
export function createFeed(source, streams) {
  const { listPools, checkouts, requests, readStatus, readServerLoad, listQueries = () => ({}), onError } = source;
  /** @type {Second[]} */
  const seconds = [];
  let ended = new SecondSummary();
  /** Of this second. The pool can fill up and empty again before the second ends. */
  let peak = { active: 0, waiting: 0 };
  let loop = performance.eventLoopUtilization();
  const serverGauge = readServerLoad ? createServerGauge(readServerLoad) : null;
  requests.onEnd((request) => ended.add(request));

  /** Of the last checkout in an event, and in a second. */
  let [sentId, summedId] = [checkouts.lastId, checkouts.lastId];
  /** Of the last request in an event. */
  let sentRequestId = requests.log.lastId;

  /** The connections that were checked in since the last event, by client. */
  function listLeft() {
    /** @type {Map<string | null, LeftConnection[]>} */
    const left = new Map();
    for (const { pool, connectionId: id, requestId, route } of checkouts.list({ after: sentId })) {
      const ofClient = left.get(pool) ?? [];
      left.set(pool, ofClient);
      if (id !== null && ofClient.length < MAX_LEFT) ofClient.push({ id, requestId, route });
    }
    return left;
  }

  /** Work outside of requests counts as requests of its own, if Checkouts has a name for it. */
  function addOutside() {
    for (const { route, outcome, checkOutStartedAtMs, checkedOutAtMs, checkedInAtMs } of checkouts.list({ after: summedId, isOutside: true })) {
      if (route === null || checkedOutAtMs === null || checkedInAtMs === null) continue;
      ended.add({
        route, status: outcome === 'checkedIn' ? 200 : 500, totalMs: checkedInAtMs - checkOutStartedAtMs,
        waitMs: checkedOutAtMs - checkOutStartedAtMs, useMs: checkedInAtMs - checkedOutAtMs,
      });
    }
    summedId = checkouts.lastId;
  }

  function notePeak() {
    const { active, waiting } = sumGauges(listPools());
    peak = { active: Math.max(active, peak.active), waiting: Math.max(waiting, peak.waiting) };
  }

  function sendPool() {
    notePeak();
    if (streams.count > 0) {
      serverGauge?.refresh();
      const left = listLeft();
      /** @type {LiveReading} */
      const reading = {
        atMs: Date.now(), database: readStatus(), queries: listQueries(),
        clients: listPools().map((pool) => ({ ...readClient(pool), left: left.get(pool.name) ?? [] })),
        finished: pickEnded(requests.log.list({ after: sentRequestId })), server: serverGauge?.read() ?? null,
      };
      streams.send('pool', reading);
    }
    sentId = checkouts.lastId;
    sentRequestId = requests.log.lastId;
  }

  function endSecond() {
    notePeak();
    addOutside();
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
