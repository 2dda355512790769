/** @import { Variant } from '../../report/result-types.js' */
/** @import { RemedyFigures } from './remedies-figures.js' */
/** @import { RemedySettings } from './remedies-lab.js' */

/** @typedef {Variant<RemedySettings, RemedyFigures>} MeasuredRemedy */

/** A remedy works if customers wait at most this many times as long as without administrators. */
const CLOSE_TIMES = 2;
/** Nobody notices a shorter wait, and a busy machine alone can cause one of tens of ms. */
const UNNOTICED_MS = 50;
/** How far off a single repeat can be: few requests decide a p99. */
const NOISE_TIMES = 1.5;
/** A p99 ignores this share of customers. */
const UNANSWERED_SHARE = 0.01;

/** Something else uses the machine if the p99 without administrators is this many times an unloaded request. */
const BUSY_RATIO = 10;

/**
 * @param {Pick<RemedyFigures, 'routes'> & { unloaded: { serviceMs: number, overheadMs: number } }} measured without
 *   administrators
 */
export function isBusyMachine({ routes, unloaded: { serviceMs, overheadMs } }) {
  return Number(routes['/fast'].p99Ms) > BUSY_RATIO * (serviceMs + overheadMs);
}

/** @param {number} unloadedP99Ms p99 without administrators */
export function closeLimitMs(unloadedP99Ms) {
  return Math.max(CLOSE_TIMES * unloadedP99Ms, UNNOTICED_MS);
}

/**
 * Whether customers hardly notice the administrators.
 * @param {number} p99Ms of /fast
 * @param {number} unloadedP99Ms p99 of /fast without administrators
 * @param {number} noise how far off the figures can be, as a factor
 * @returns {boolean | null} null if the limit is within the noise
 */
function isCloseToUnloaded(p99Ms, unloadedP99Ms, noise) {
  const limitMs = closeLimitMs(unloadedP99Ms);
  if (p99Ms > limitMs / noise && p99Ms <= limitMs * noise && noise > 1) return null;
  return p99Ms <= limitMs;
}

/**
 * Whether a remedy works. Repeats show their noise themselves, so they must agree. For a single one, noise is assumed.
 * @param {MeasuredRemedy} variant with that remedy
 * @param {MeasuredRemedy} alone the load without administrators
 * @returns {boolean | null} null if more repeats are needed
 */
export function isCure(variant, alone) {
  const fast = variant.measured?.routes['/fast'];
  // Where customers wait although no administrator is there, the run says nothing about a remedy.
  if (!fast?.count || !alone.measured || isBusyMachine(alone.measured)) return null;
  if (fast.refused + fast.failures > UNANSWERED_SHARE * fast.count) return false;
  const [treatedMs, unloadedMs] = [listP99(variant), listP99(alone)];
  const noise = Math.min(treatedMs.length, unloadedMs.length) > 1 ? 1 : NOISE_TIMES;
  const verdicts = treatedMs.flatMap((p99Ms) =>
    unloadedMs.map((unloadedP99Ms) => isCloseToUnloaded(p99Ms, unloadedP99Ms, noise)),
  );
  return verdicts.every((verdict) => verdict === verdicts[0]) ? verdicts[0] : null;
}

/** The p99 of each repeat, or of the only one. @param {MeasuredRemedy} variant */
function listP99({ measured, repeats = [] }) {
  return (repeats.length > 1 ? repeats : [{ measured }]).map((repeat) =>
    Number(repeat.measured?.routes['/fast'].p99Ms),
  );
}
