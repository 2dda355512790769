import { SLICE_MS } from '../simulator/shared-cores.js';
import { meansByRoute } from '../trace/means-by-route.js';

/** @import { Likelihood, Part } from './likelihood.js' */
/** @import { Trace } from '../formats/trace.js' */

/** The server is busy when it uses this share of what the queries at work could. */
const BUSY_SHARE = 0.6;
/** A server with queries for all its cores during this share of the time is full. */
const FULL_SHARE = 0.9;
/** A pool has a queue when this share of the checkouts waits, and longer than this. */
const QUEUE_SHARE = 0.1;
const WAITED_MS = 1;
/** Queries slow each other down when at least this share of their time is due to others. */
const MIN_SLOWED = 0.1;
/** Twice the logarithm of a likelihood ratio: 1 in 1e5 is larger by chance (chi-squared with 1 degree of freedom). */
const EVIDENCE = 19.5;
/** The same for the ends of an interval with 95 % confidence: https://en.wikipedia.org/wiki/Wilks%27_theorem */
const INTERVAL = 3.84;
/** The middle of an interval is useful when its ends differ by this factor at most. */
const NARROW = 2;
/** The number of cores shows where queries were at work beside fewer and beside more, each for this share of the time. */
const MIN_TIME = 0.03;
/** From one number of cores that is tried to the next. */
const COARSE_STEP = 1.5;
const STEP = 1.05;

/**
 * @typedef {object} CoresChoice
 * @property {number} cores that the queries share
 * @property {[low: number, high: number] | null} range with 95 % confidence; null where they are known
 * @property {'given' | 'recorded' | 'fitted' | 'guessed'} source guessed: the traces show that queries slow each other down, but
 *   not how many can run without that
 */

/**
 * @param {Likelihood} likelihood of the traces
 * @param {number[]} shares of work, by route
 * @param {number} [given] by the user
 * @returns {CoresChoice | null} null when queries do not slow each other down, as far as the traces tell
 */
export function chooseCores(likelihood, shares, given) {
  if (given !== undefined) return { cores: given, range: null, source: 'given' };
  const { parts } = likelihood;
  const recorded = parts.flatMap((part) => readServer(likelihood, part, shares) ?? []);
  const busy = recorded.filter(({ isBusy }) => isBusy);
  if (recorded.length > 0 && busy.length === 0) return null;
  const fitted = fitCores(likelihood, shares);
  if (fitted && isNarrow(fitted.range) && isBetween(likelihood, shares, fitted.cores)) return fitted;
  if (recorded.length === 0) return fitted && guessCores(likelihood, shares, fitted.range);
  const used = Math.max(...busy.map((server) => server.used));
  if (!parts.some(({ trace }) => hasQueue(trace)) && likelihood.slowedShare(used, shares) < MIN_SLOWED) return null;
  return { cores: used, range: null, source: 'recorded' };
}

/**
 * What the server said of itself during a trace. Where more queries than it has cores were at work nearly all the
 * time, it used all it could get: other programs may use the rest.
 *
 * @param {Likelihood} likelihood @param {Part} part @param {number[]} shares
 */
function readServer({ atWork }, part, shares) {
  const { server } = part.trace;
  if (!server) return undefined;
  const { cores, busyCores } = server;
  const working = atWork(shares, part);
  const possible = working.meanOf((count) => Math.min(count, cores));
  const isFull = working.meanOf((count) => (count >= cores ? 1 : 0)) >= FULL_SHARE;
  return {
    isBusy: busyCores >= BUSY_SHARE * possible,
    used: isFull ? Math.min(cores, busyCores) : cores,
  };
}

/** @param {Likelihood} likelihood @param {number[]} shares @returns {CoresChoice & { range: [number, number] } | null} */
function fitCores(likelihood, shares) {
  const most = Math.max(...likelihood.parts.map((part) => likelihood.atWork(shares, part).most));
  const enough = likelihood.of(Infinity, shares) + EVIDENCE;
  const listSizes = (/** @type {number} */ step) => {
    const sizes = [];
    for (let cores = 1; cores < most; cores *= step) sizes.push({ cores, value: likelihood.of(cores, shares) });
    return sizes;
  };
  // Most traces show no slowdown, and need no closer look.
  if (!listSizes(COARSE_STEP).some(({ value }) => value >= enough)) return null;
  const sizes = listSizes(STEP);
  const [best] = sizes.toSorted((a, b) => b.value - a.value);
  if (likelihood.slowedShare(best.cores, shares) < MIN_SLOWED) return null;
  const likely = sizes.filter(({ value }) => value >= best.value - INTERVAL);
  return { cores: best.cores, range: [likely[0].cores / STEP, likely[likely.length - 1].cores * STEP], source: 'fitted' };
}

/** @param {[low: number, high: number]} range */
function isNarrow([low, high]) {
  return high / low <= NARROW;
}

/** Whether a larger pool would bring more queries to the server. @param {Trace} trace */
function hasQueue({ waitMs }) {
  return Array.from(waitMs).filter((ms) => ms > WAITED_MS).length >= QUEUE_SHARE * waitMs.length;
}

/** @param {Likelihood} likelihood @param {number[]} shares @param {number} cores */
function isBetween({ parts, atWork }, shares, cores) {
  const below = parts.map((part) => atWork(shares, part).meanOf((count) => (count <= cores ? 1 : 0)));
  return Math.max(...below) >= MIN_TIME && Math.min(...below) <= 1 - MIN_TIME;
}

/**
 * Where all queries ran beside about as many others, their times do not tell the number of cores. The wait of the shortest for
 * its first turn does, if a turn takes as long as usual: one slice for each other query on its core.
 *
 * @param {Likelihood} likelihood @param {number[]} shares @param {[low: number, high: number]} range
 * @returns {CoresChoice}
 */
function guessCores({ parts: [part], routes, atWork }, shares, [low, high]) {
  const [{ meanMs, route }] = meansByRoute(part.trace, part.trace.useMs).map((ms, index) => ({ meanMs: ms, route: part.routeOf[index] }))
    .filter((each) => shares[each.route] > 0).sort((a, b) => a.meanMs - b.meanMs);
  const working = atWork(shares, part).meanOf((count) => count);
  const cores = working / (1 + (meanMs - routes[route].fastestMs) / SLICE_MS);
  return { cores: Math.min(high, Math.max(low, cores)), range: [low, high], source: 'guessed' };
}
