import { spreadSummary, summaryOf } from '../../../src/load-tests/artillery.js';
import { useMsOf } from '../../harness/warm-up.js';

/** @import { CheckoutRecord } from 'mongodb-pool-monitor' */
/** @import { ArtilleryReport } from '../../../src/load-tests/artillery.js' */
/** @import { Samples } from '../../report/result-types.js' */

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
  const overheads = isExact
    ? findOverheads(
        spreadSummary(summary, fast.length),
        fast.map((checkout) => Number(checkout.checkedInAtMs) - checkout.checkOutStartedAtMs),
      )
    : spread(unloadedMs);
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

/** Of each sample. */
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
    const sums = spread(
      connections.flatMap((connection) => overheads.map((overhead) => connection + overhead)),
      responses.length,
    );
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
