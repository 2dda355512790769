/** @import { Variant } from '../../report/result-types.js' */

/** With a remedy that works, customers wait at most so many times as long as without administrators. */
const CLOSE_TIMES = 2;
/** Nobody notices a wait below this, and a busy machine alone makes one of tens of ms. */
const UNNOTICED_MS = 50;
/** What a single run can be off by: a p99 is the word of a few requests. */
const NOISE_TIMES = 1.5;
/** So many customers without an answer are more than a p99 leaves out. */
const UNANSWERED_SHARE = 0.01;

/** A p99 of customers alone this many times what one of them takes says that something else uses the machine. */
const BUSY_RATIO = 10;

/**
 * @param {Record<string, any>} measured of the load without administrators
 */
export function isBusyMachine({ routes, unloaded: { serviceMs, overheadMs } }) {
  return routes['/fast'].p99Ms > BUSY_RATIO * (serviceMs + overheadMs);
}

/** @param {number} unloadedP99Ms p99 without administrators */
export function closeLimitMs(unloadedP99Ms) {
  return Math.max(CLOSE_TIMES * unloadedP99Ms, UNNOTICED_MS);
}

/**
 * Whether customers hardly notice the administrators.
 *
 * @param {number} p99Ms of /fast
 * @param {number} unloadedP99Ms p99 of /fast without administrators
 * @param {number} [noise] what the figures can be off by, as a factor; default 1, not at all
 * @returns {boolean | null} null where the limit lies within the noise, which takes a noise above 1
 */
export function isCloseToUnloaded(p99Ms, unloadedP99Ms, noise = 1) {
  const limitMs = closeLimitMs(unloadedP99Ms);
  if (p99Ms > limitMs / noise && p99Ms <= limitMs * noise && noise > 1) return null;
  return p99Ms <= limitMs;
}

/**
 * Whether a remedy works. Repeats show their noise themselves: they must agree. Of a single run it is assumed.
 *
 * @param {Variant} variant with that remedy
 * @param {Variant} alone the load without administrators
 * @returns {boolean | null} null where it takes more repeats to tell
 */
export function isCure({ measured, runs = [] }, alone) {
  const { refused, failures, count } = measured?.routes['/fast'] ?? {};
  // Where customers wait though nothing holds them up, no remedy can be blamed, or praised.
  if (!count || !alone.measured || isBusyMachine(alone.measured)) return null;
  if (refused + failures > UNANSWERED_SHARE * count) return false;
  const unloadedMs = listP99(alone);
  const noise = Math.min(runs.length, unloadedMs.length) > 1 ? 1 : NOISE_TIMES;
  const verdicts = listP99({ measured, runs }).flatMap((p99Ms) => (
    unloadedMs.map((unloadedP99Ms) => isCloseToUnloaded(p99Ms, unloadedP99Ms, noise))));
  return verdicts.every((verdict) => verdict === verdicts[0]) ? verdicts[0] : null;
}

/**
 * Of each run, or of the only one.
 * @param {Pick<Variant, 'measured' | 'runs'>} variant
 * @returns {number[]}
 */
function listP99({ measured, runs = [] }) {
  return (runs.length > 1 ? runs : [{ measured }]).map((run) => run.measured?.routes['/fast'].p99Ms);
}
