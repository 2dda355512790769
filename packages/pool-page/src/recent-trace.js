import { TraceLines } from 'mongodb-pool-monitor';

/** @import { CheckoutRecord, ClientFacts, OpenCheckout, RequestRecord } from 'mongodb-pool-monitor' */
/** @import { Second } from '../universal/feed-shapes.js' */
/** @import { LiveSource } from './live-source.js' */

/** @typedef {ClientFacts & { name: string | null, servers: string[] }} DescribedClient */

const RECENT_MS = 60_000;
/** Writing as many takes the app about 10 ms. */
const MAX_CHECKOUTS = 2000;

/**
 * The last minute as a trace: what started in it, with the sizes that the pools have now. If somebody waited when it
 * began, it begins before them: without the whole queue, a wait has no explanation. What the app did before its first
 * request, such as a warm-up, is left out.
 *
 * @param {Pick<LiveSource, 'checkouts' | 'requests' | 'listClientSites'>} source
 * @param {{ clients: DescribedClient[], seconds: readonly Second[], max: number }} pools max: connections of all
 *   clients now
 * @param {number} [nowMs] since the epoch
 * @returns {string | null} its lines; null without a checkout
 */
export function renderRecentTrace(source, { clients, seconds, max }, nowMs = Date.now()) {
  const {
    checkouts,
    requests: { log },
    listClientSites,
  } = source;
  const last = checkouts.list({ after: checkouts.lastId - MAX_CHECKOUTS });
  const all = log.list({ after: log.lastId - MAX_CHECKOUTS });
  const unended = checkouts.listOpen();
  const isOwn = findWarmUp(all, [...last, ...unended]);
  // Where clients are counted, the sum of their sizes changes with each client that comes or goes.
  const changeMs = listClientSites ? -Infinity : findChange(seconds, max, nowMs);
  const fromMs = Math.max(findCut(last), changeMs, findQuiet([...last, ...unended], nowMs - RECENT_MS));
  const ended = last.filter((checkout) => checkout.checkOutStartedAtMs >= fromMs && !isOwn(checkout));
  const open = unended.filter((checkout) => checkout.checkOutStartedAtMs >= changeMs && !isOwn(checkout));
  if (ended.length + open.length === 0) return null;
  const isRecent = (/** @type {{ atMs: number }} */ { atMs }) => atMs >= fromMs;
  const trace = new TraceLines();
  return [
    trace.ofTrace(),
    ...definePools(trace, clients),
    ...[...ended, ...open].map((checkout) => trace.ofCheckout(checkout)),
    ...all.filter(({ endedAtMs, totalMs }) => endedAtMs - totalMs >= fromMs).map((request) => trace.ofRequest(request)),
    ...checkouts.events
      .list()
      .filter(isRecent)
      .map((event) => trace.ofEvent(event)),
    ...seconds.filter(isRecent).flatMap((second) => describeSecond(trace, second)),
    ...(listClientSites?.() ?? []).flatMap(({ minuteAgo, connections, ...site }) => [
      trace.ofSecond('clients', { ...site, ...minuteAgo, atMs: fromMs }),
      trace.ofSecond('clients', { ...site, connections, atMs: nowMs }),
    ]),
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

/**
 * Says how late the event loop was in a second, for a trace.
 * @param {Pick<Second, 'atMs' | 'loopDelayMs' | 'loopBusy' | 'loopCpu'>} second
 */
export function describeLoop({ atMs, loopDelayMs: { mean, max }, loopBusy, loopCpu }) {
  // An older monitor does not measure the CPU time.
  const cpu = loopCpu >= 0 ? round(loopCpu) : undefined;
  return { atMs, meanMs: round(mean), maxMs: round(max), busy: round(loopBusy), cpu };
}

/** Rounds to three decimals. @param {number} value */
function round(value) {
  return Math.round(value * 1000) / 1000;
}

/** @param {TraceLines} trace @param {Second} second */
function describeSecond(trace, { server, ...second }) {
  const loop = trace.ofSecond('loop', describeLoop(second));
  if (!server || server.busyCores === null) return [loop];
  return [loop, trace.ofSecond('server', { atMs: second.atMs, ...server, busyCores: Math.max(0, server.busyCores) })];
}

/**
 * Finds since when the list is complete: some checkouts that started before are no longer listed.
 * @param {CheckoutRecord[]} last
 */
function findCut(last) {
  return last.length < MAX_CHECKOUTS ? -Infinity : last[0].endedAtMs;
}

/**
 * The last moment before a time at which nobody waited, as far as is known.
 * @param {(CheckoutRecord | OpenCheckout)[]} checkouts
 * @param {number} beforeMs
 */
function findQuiet(checkouts, beforeMs) {
  let quietMs = beforeMs;
  const latestFirst = checkouts.toSorted((a, b) => b.checkOutStartedAtMs - a.checkOutStartedAtMs);
  for (const { checkOutStartedAtMs, checkedOutAtMs, endedAtMs } of latestFirst)
    if (checkOutStartedAtMs < quietMs && (checkedOutAtMs ?? endedAtMs) > quietMs) quietMs = checkOutStartedAtMs;
  return quietMs;
}

/**
 * Tells what the app did by itself before its first request. Where none has come yet, checkouts with a name are the
 * work of an app without requests.
 * @param {RequestRecord[]} ended the last requests
 * @param {(CheckoutRecord | OpenCheckout)[]} checkouts
 * @returns {(checkout: CheckoutRecord | OpenCheckout) => boolean}
 */
function findWarmUp([first], checkouts) {
  const isFirst = first === undefined || first.id === 1;
  const startsMs = checkouts.flatMap((checkout) => (checkout.request === null ? [] : [checkout.checkOutStartedAtMs]));
  const firstMs = isFirst ? Math.min(...startsMs, ...(first ? [first.endedAtMs - first.totalMs] : [])) : -Infinity;
  return ({ request, route, endedAtMs }) =>
    request === null && (firstMs === Infinity ? route === null : endedAtMs <= firstMs);
}

/** When the pools got their size. @param {readonly Second[]} seconds @param {number} max @param {number} nowMs */
function findChange(seconds, max, nowMs) {
  const before = seconds.findLastIndex((second) => second.max !== max);
  return before === -1 ? -Infinity : (seconds[before + 1]?.atMs ?? nowMs);
}
