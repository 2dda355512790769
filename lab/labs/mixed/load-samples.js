import { ENDPOINT } from '../../../src/load-tests/artillery.js';
import { isQueryless, pathOf, workOut } from '../../../src/load-tests/exact-times.js';
import { useMsOf } from '../../harness/warm-up.js';

/** @import { CheckoutRecord } from 'mongodb-pool-monitor' */
/** @import { ArtilleryReport, LatencySummary } from '../../../src/load-tests/artillery.js' */
/** @import { ExactLoad } from '../../../src/load-tests/exact-times.js' */
/** @import { Samples } from '../../report/result-types.js' */

/** @typedef {LatencySummary & { p75: number, p90: number }} FullLatencySummary */

/** The error of Artillery's percentiles is 1 %: of longer responses, that is more than the overhead. */
const MAX_EXACT_MS = 100;

/**
 * What a load test shows about service times and overhead, in at most 200 values each.
 *
 * @param {CheckoutRecord[]} checkouts of the load alone
 * @param {ArtilleryReport} report
 * @param {number[]} unloadedMs overheads before the load: used when responses of /fast were too slow, or failed
 * @returns {Samples}
 */
export function sampleLoad(checkouts, report, unloadedMs) {
  const served = checkouts.filter(({ route, outcome }) => route !== null && outcome === 'checkedIn');
  const routes = [...new Set(served.map(({ route }) => String(route)))];
  const fast = served.filter(({ route }) => route === '/fast');
  const summary = summaryOf(report, '/fast');
  const isExact = summary !== undefined && summary.p99 < MAX_EXACT_MS && summary.count === fast.length;
  const connectionsMs = fast.map((checkout) => Number(checkout.checkedInAtMs) - checkout.checkOutStartedAtMs);
  const overheads = isExact ? findOverheads(spreadSummary(summary, fast.length), connectionsMs) : spread(unloadedMs);
  return {
    services: Object.fromEntries(
      routes.map((name) => [name, spread(served.filter(({ route }) => route === name).map(useMsOf)).map(roundMs)]),
    ),
    overheadsMs: overheads.map(roundMs),
  };
}

/** To microseconds. @param {number} ms */
function roundMs(ms) {
  return Math.round(ms * 1000) / 1000;
}

/** Size limit of a sample. */
const MAX_VALUES = 200;

/** The next step would change the values by less than a percent. */
const STEPS = 6;

/**
 * What responses took beyond the time on their connections, where only the distribution of both is known: values that,
 * drawn independently of the times on the connections and added to them, give the responses again. Differences of equal
 * percentiles would not: the two are rarely slow together.
 *
 * @param {number[]} responsesMs
 * @param {number[]} connectionsMs wait and use
 * @returns {number[]} ascending
 */
export function findOverheads(responsesMs, connectionsMs) {
  const responses = spread(responsesMs);
  const connections = spread(connectionsMs, responses.length);
  let overheads = responses.map((ms, index) => Math.max(0, ms - connections[index]));
  for (let step = 0; step < STEPS; step++) {
    const all = connections.flatMap((connection) => overheads.map((overhead) => connection + overhead));
    const sums = spread(all, responses.length);
    overheads = overheads.map((ms, index) => Math.max(0, ms + responses[index] - sums[index])).sort((a, b) => a - b);
  }
  return overheads;
}

/**
 * A sample as evenly spaced percentiles.
 *
 * @param {number[]} valuesMs
 * @param {number} [count] default: as many as there are, at most 200
 * @returns {number[]} ascending
 */
export function spread(valuesMs, count = Math.min(MAX_VALUES, valuesMs.length)) {
  const sorted = Float64Array.from(valuesMs).sort();
  return Array.from({ length: count }, (_, index) => sorted[Math.floor(((index + 0.5) / count) * sorted.length)]);
}

/**
 * The response times behind a summary, by linear interpolation between its percentiles.
 *
 * @param {Omit<FullLatencySummary, 'count'>} summary
 * @param {number} count of times to return
 * @returns {number[]} ascending
 */
export function spreadSummary({ min, p50, p75, p90, p95, p99, max }, count) {
  const points = [
    [0, min],
    [0.5, p50],
    [0.75, p75],
    [0.9, p90],
    [0.95, p95],
    [0.99, p99],
    [1, max],
  ];
  return Array.from({ length: count }, (_, index) => {
    const share = count === 1 ? 0.5 : index / (count - 1);
    const after = points.findIndex(([end], place) => place > 0 && end >= share);
    const [[from, low], [to, high]] = points.slice(after - 1);
    return low + ((high - low) * (share - from)) / (to - from);
  });
}

/** The response times of a route in a report. @param {ArtilleryReport} report @param {string} route */
function summaryOf({ summaries }, route) {
  return /** @type {FullLatencySummary | undefined} */ (summaries[`${ENDPOINT}${route}`]);
}

/**
 * When the users came, as their first queries show it. No load generator is on time to the millisecond, and a user
 * who comes late keeps everyone behind waiting.
 * @param {ExactLoad} load
 * @param {Pick<CheckoutRecord, 'route' | 'checkOutStartedAtMs'>[]} checkouts of the load alone
 * @returns {{ atMs: number }[] | undefined} undefined where the first query of a user looks like a later one
 */
export function findArrivals(load, checkouts) {
  const { records = [] } = workOut(load, { arrivals: [{ atMs: 0 }], keepRequests: true });
  const [first, ...later] = records.filter(({ route }) => !isQueryless(route)).map(({ route }) => pathOf(route));
  if (later.includes(first)) return undefined;
  const startsMs = checkouts
    .filter(({ route }) => route === first)
    .map(({ checkOutStartedAtMs }) => checkOutStartedAtMs)
    .sort((a, b) => a - b);
  return startsMs.map((ms) => ({ atMs: ms - startsMs[0] }));
}
