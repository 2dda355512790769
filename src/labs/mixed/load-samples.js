import { spreadSummary, summaryOf } from '../../harness/artillery.js';
import { findOverheads, spread } from '../../harness/overheads.js';
import { useMsOf } from '../../harness/warm-up.js';

/** @import { CheckoutRecord } from 'mongodb-pool-monitor' */
/** @import { ArtilleryReport } from '../../harness/artillery.js' */
/** @import { Samples } from '../../report/result-types.js' */

/** The error of Artillery's percentiles is 1 %: of longer responses, that is more than the overhead. */
const LONGEST_MS = 100;

/**
 * What a load test tells about service times and overhead, in at most 200 values each.
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
  const isExact = summary !== undefined && summary.p99 < LONGEST_MS && summary.count === fast.length;
  const overheads = isExact
    ? findOverheads(spreadSummary(summary, fast.length), fast.map((checkout) => (
      Number(checkout.checkedInAtMs) - checkout.checkOutStartedAtMs)))
    : spread(unloadedMs);
  return {
    services: Object.fromEntries(routes.map((name) => (
      [name, spread(served.filter(({ route }) => route === name).map(useMsOf)).map(roundMs)]))),
    overheadsMs: overheads.map(roundMs),
  };
}

/** To microseconds. @param {number} ms */
function roundMs(ms) {
  return Math.round(ms * 1000) / 1000;
}
