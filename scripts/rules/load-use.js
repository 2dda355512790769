// What a user can measure of a load, and rules ask for.
import { mean, quantile, varianceOf } from 'mongodb-pool-predictor/statistics';

/** @import { TriedLoad } from './loads.js' */

/**
 * @typedef {object} LoadUse
 * @property {number} ratePerSec operations, while the load lasts
 * @property {number} meanUseMs how long an operation has its connection
 * @property {number} p95UseMs
 * @property {number} variationOfUse standard deviation, as a share of the mean
 * @property {number} variationOfGaps the same, of the times between two operations
 * @property {number} meanInUse connections, on average: the rate times the mean use
 * @property {number} peakAtOnce the most operations that had or wanted a connection at once
 * @property {number} recordedSize connections of the running pool
 * @property {number} cores of the server
 * @property {number} busyShare of the server's cores
 */

/** @param {TriedLoad} tried @param {number} busyShare see LoadFacts.usedShare @returns {LoadUse} */
export function describeUse({ checkouts, recordedSize, cores }, busyShare) {
  const { startedMs, useMs, endedMs } = checkouts;
  const lastsMs = Math.max(...endedMs) - startedMs[0];
  const ratePerSec = (startedMs.length / lastsMs) * 1000;
  const meanUseMs = mean(useMs);
  return {
    ...{ ratePerSec, meanUseMs, recordedSize, cores, busyShare },
    p95UseMs: quantile(useMs, 0.95),
    variationOfUse: variationOf(useMs),
    variationOfGaps: variationOf(startedMs.slice(1).map((ms, index) => ms - startedMs[index])),
    meanInUse: (ratePerSec * meanUseMs) / 1000,
    peakAtOnce: countPeak(startedMs, endedMs),
  };
}

/** @param {number[]} values */
function variationOf(values) {
  return Math.sqrt(varianceOf(values)) / mean(values);
}

/** @param {number[]} startedMs ascending @param {number[]} endedMs */
function countPeak(startedMs, endedMs) {
  const ends = endedMs.toSorted((a, b) => a - b);
  let ended = 0;
  return startedMs.reduce((peak, ms, started) => {
    while (ends[ended] <= ms) ended++;
    return Math.max(peak, started + 1 - ended);
  }, 0);
}
