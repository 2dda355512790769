import { TraceLines } from 'mongodb-pool-monitor';

/** @import { CheckoutRecord, ClientFacts } from 'mongodb-pool-monitor' */
/** @import { Second } from '../universal/feed-shapes.js' */
/** @import { LiveSource } from './live-source.js' */
/** @import { OpenWaits } from './read-clients.js' */

/** @typedef {ClientFacts & { name: string | null, servers: string[] }} DescribedClient */

const RECENT_MS = 60_000;
/** Writing as many takes the app about 10 ms. */
const MAX_CHECKOUTS = 2000;

/**
 * The last minute as a trace: what started in it and has ended, while the pools had the sizes that they have now.
 *
 * @param {Pick<LiveSource, 'checkouts' | 'requests'>} source
 * @param {{ clients: DescribedClient[], seconds: readonly Second[], max: number, stillWaiting: OpenWaits }} pools max:
 *   connections of all clients now
 * @param {number} [nowMs] since the epoch
 * @returns {string | null} its lines; null without a checkout
 */
export function renderRecentTrace(
  { checkouts, requests: { log } },
  { clients, seconds, max, stillWaiting },
  nowMs = Date.now(),
) {
  const last = checkouts.list({ after: checkouts.lastId - MAX_CHECKOUTS });
  const fromMs = Math.max(nowMs - RECENT_MS, findCut(last), findChange(seconds, max, nowMs));
  const served = last.filter(({ checkOutStartedAtMs }) => checkOutStartedAtMs >= fromMs);
  if (served.length === 0) return null;
  const requests = log
    .list({ after: log.lastId - MAX_CHECKOUTS })
    .map((request) => ({ ...request, startedAtMs: request.endedAtMs - request.totalMs }));
  const isRecent = (/** @type {{ atMs: number }} */ { atMs }) => atMs >= fromMs;
  const trace = new TraceLines();
  return [
    trace.ofTrace(),
    ...definePools(trace, clients),
    ...served.map((checkout) => trace.ofCheckout(checkout)),
    ...requests.filter(({ startedAtMs }) => startedAtMs >= fromMs).map((request) => trace.ofRequest(request)),
    ...checkouts.events
      .list()
      .filter(isRecent)
      .map((event) => trace.ofEvent(event)),
    ...seconds.filter(isRecent).flatMap((second) => describeSecond(trace, second)),
    ...(stillWaiting.count > 0 ? [[{ end: 'closed', waiting: stillWaiting }]] : []),
  ]
    .flatMap((lines) => lines.map((line) => `${JSON.stringify(line)}\n`))
    .join('');
}

/**
 * Defines the pools of clients.
 * @param {TraceLines} trace
 * @param {DescribedClient[]} clients
 * @param {number} [process] its number in the trace
 * @returns {Record<string, unknown>[][]}
 */
export function definePools(trace, clients, process) {
  return clients.flatMap(({ name: pool, servers, appName, driver, options }) =>
    servers.map((server) => trace.ofPool({ process, pool, server, appName, driver, options })),
  );
}

/** @param {TraceLines} trace @param {Second} second */
function describeSecond(trace, { atMs, loopDelayMs: { mean, max }, loopBusy, server }) {
  const loop = trace.ofSecond('loop', { atMs, meanMs: mean, maxMs: max, busy: loopBusy });
  if (!server || server.busyCores === null) return [loop];
  return [loop, trace.ofSecond('server', { atMs, ...server, busyCores: Math.max(0, server.busyCores) })];
}

/** Of what started before, some is no longer listed. @param {CheckoutRecord[]} last */
function findCut(last) {
  return last.length < MAX_CHECKOUTS ? -Infinity : last[0].endedAtMs;
}

/** When the pools got their size. @param {readonly Second[]} seconds @param {number} max @param {number} nowMs */
function findChange(seconds, max, nowMs) {
  const before = seconds.findLastIndex((second) => second.max !== max);
  return before === -1 ? -Infinity : (seconds[before + 1]?.atMs ?? nowMs);
}
