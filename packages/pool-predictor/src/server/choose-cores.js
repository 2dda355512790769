import { COMMON } from '../assumptions/common-assumptions.js';
import { SERVER } from '../assumptions/server-assumptions.js';
import { countFreeCores, meansByRoute } from '../trace/trace.js';

/** @import { CoresChoice, Trace } from '../trace/trace.js' */
/** @import { Likelihood, TracePart } from './likelihood.js' */

/** Factor from one number of cores to the next that is tried. */
const COARSE_STEP = 1.5;
const STEP = 1.05;

/**
 * @param {Likelihood} likelihood of the traces
 * @param {number[]} shares of work, by route
 * @param {number} [given] by the user
 * @returns {CoresChoice | null} null if the traces do not show that queries slow each other down
 */
export function chooseCores(likelihood, shares, given) {
  if (given !== undefined) return { cores: given, range: null, source: 'given' };
  const { parts } = likelihood;
  const recorded = parts.flatMap((part) => readServer(likelihood, part, shares) ?? []);
  const busy = recorded.filter(({ isBusy }) => isBusy);
  if (recorded.length > 0 && busy.length === 0) return null;
  // More than it has is something else: see corpus/causes/busyMachine.
  const most = Math.max(...parts.map(({ trace }) => trace.server?.cores ?? Infinity));
  const fitted = fitCores(likelihood, shares);
  if (fitted && fitted.cores <= most && isNarrow(fitted.range) && isBetween(likelihood, shares, fitted.cores))
    return fitted;
  if (recorded.length === 0) return fitted && guessCores(likelihood, shares, fitted.range);
  const used = Math.max(...busy.map((server) => server.used));
  if (!parts.some(({ trace }) => hasQueue(trace)) && likelihood.slowedShare(used, shares) < COMMON.problemShare)
    return null;
  return { cores: used, range: null, source: 'recorded' };
}

/**
 * Reads what the server reported during a trace. If a query waited for a core nearly all the time, it used all the CPU
 * time that it could get, and other programs may have used the rest.
 *
 * @param {Likelihood} likelihood @param {TracePart} part @param {number[]} shares
 */
function readServer({ atWork }, part, shares) {
  const { server } = part.trace;
  if (!server) return undefined;
  const { busyCores } = server;
  const cores = countFreeCores(server);
  const working = atWork(shares, part);
  const possible = working.meanOf((count) => Math.min(count, cores));
  const isFull = working.meanOf((count) => (count >= cores + 1 ? 1 : 0)) >= COMMON.fullShare;
  return {
    isBusy: busyCores >= SERVER.busyShare * possible,
    used: isFull ? Math.min(cores, busyCores) : cores,
  };
}

/**
 * @param {Likelihood} likelihood
 * @param {number[]} shares
 * @returns {CoresChoice & { range: [number, number] } | null}
 */
function fitCores(likelihood, shares) {
  const most = Math.max(...likelihood.parts.map((part) => likelihood.atWork(shares, part).most));
  const enough = likelihood.of(Infinity, shares) + SERVER.sharedEvidence;
  const listSizes = (/** @type {number} */ step) => {
    const sizes = [];
    for (let cores = 1; cores < most; cores *= step) sizes.push({ cores, value: likelihood.of(cores, shares) });
    return sizes;
  };
  // Most traces show no slowdown, and need no closer look.
  if (!listSizes(COARSE_STEP).some(({ value }) => value >= enough)) return null;
  const sizes = listSizes(STEP);
  const [best] = sizes.toSorted((a, b) => b.value - a.value);
  if (likelihood.slowedShare(best.cores, shares) < COMMON.problemShare) return null;
  const likely = sizes.filter(({ value }) => value >= best.value - SERVER.intervalEvidence);
  return {
    cores: best.cores,
    range: [likely[0].cores / STEP, likely[likely.length - 1].cores * STEP],
    source: 'fitted',
  };
}

/** @param {[low: number, high: number]} range */
function isNarrow([low, high]) {
  return high / low <= SERVER.rangeRatio;
}

/** Whether a larger pool would bring more queries to the server. @param {Trace} trace */
function hasQueue({ waitMs }) {
  return Array.from(waitMs).filter((ms) => ms > COMMON.waitedMs).length >= COMMON.problemShare * waitMs.length;
}

/** @param {Likelihood} likelihood @param {number[]} shares @param {number} cores */
function isBetween({ parts, atWork }, shares, cores) {
  const below = parts.map((part) => atWork(shares, part).meanOf((count) => (count <= cores ? 1 : 0)));
  return Math.max(...below) >= SERVER.bothTimesShare && Math.min(...below) <= 1 - SERVER.bothTimesShare;
}

/**
 * Guesses the cores where all queries ran beside about the same number of others, because their times do not show the
 * number then. The wait of the shortest query for its first turn does, if a turn takes the usual time: it is one slice
 * for each other query on its core.
 *
 * @param {Likelihood} likelihood @param {number[]} shares @param {[low: number, high: number]} range
 * @returns {CoresChoice}
 */
function guessCores({ parts: [part], routes, atWork }, shares, [low, high]) {
  const [{ meanMs, route }] = meansByRoute(part.trace, part.trace.useMs)
    .map((ms, index) => ({ meanMs: ms, route: part.routeOf[index] }))
    .filter((each) => shares[each.route] > 0)
    .sort((a, b) => a.meanMs - b.meanMs);
  const working = atWork(shares, part).meanOf((count) => count);
  const cores = working / (1 + (meanMs - routes[route].fastestMs) / SERVER.sliceMs);
  return { cores: Math.min(high, Math.max(low, cores)), range: [low, high], source: 'guessed' };
}
