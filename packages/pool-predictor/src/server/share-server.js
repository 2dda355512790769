import { SERVER } from '../assumptions/server-assumptions.js';
import { simulate } from '../simulator/simulate.js';
import { findFollowUps } from '../trace/follow-ups.js';
import { meansByRoute } from '../trace/trace.js';
import { createTraceLoad } from '../load/trace-load.js';
import { UNLIMITED } from '../simulator/create-pool.js';
import { mean } from '../base/sample-statistics.js';
import { chooseCores } from './choose-cores.js';
import { createLikelihood } from './likelihood.js';

/** @import { PoolOptions } from '../simulator/create-pool.js' */
/** @import { ServerFit, Trace } from '../trace/trace.js' */
/** @import { Likelihood } from './likelihood.js' */

/** Shares of a route's time alone that are tried as its work. */
const SHARES = [1, 0.75, 0.5, 0.25, 0];

/**
 * Finds out whether the queries of traces slow each other down because they share the server's cores, and how much.
 *
 * The speed of a query is that of one alone times the cores by the queries at work, at most 1. A route's share of work,
 * and the cores where they are not known, are those with which its times alone vary least: maximum likelihood for
 * lognormal times.
 *
 * @param {Trace[]} traces of the same server; the first one will be replayed
 * @param {{ cores?: number }} [options] cores: given by the user
 * @returns {ServerFit | null} null if the traces show no slowdown: then the use times stay unchanged
 */
function fitServer(traces, { cores: given } = {}) {
  const likelihood = createLikelihood(traces);
  const { routes, parts } = likelihood;
  // If all queries ran beside as many others, nothing tells a delay from work: then all of it is work.
  const isVaried = variesAtWork(likelihood);
  const begin = routes.map(({ isSteady }) => (isSteady && isVaried ? 0 : 1));
  const first = chooseCores(likelihood, begin, given);
  if (!first) return null;
  const shares = isVaried ? fitShares(likelihood, begin, first.cores) : begin;
  const isSame = shares.every((share, route) => share === begin[route]);
  const choice = isSame ? first : chooseCores(likelihood, shares, given);
  if (!choice || shares.every((share) => share === 0)) return null;

  const stretches = likelihood.stretches(choice.cores, shares, parts[0]);
  return {
    ...choice,
    sliceMs: fitSlice(likelihood, stretches),
    workShares: Object.fromEntries(routes.map(({ name }, route) => [name, shares[route]])),
    aloneMs: stretches.map((stretch, i) => traces[0].useMs[i] / stretch),
    seen: Math.max(
      ...parts.map((part) => part.timeline.inUse(part.routeOf.map((route) => Math.ceil(shares[route]))).most),
    ),
  };
}

/**
 * Whether queries ran beside more and beside fewer others, in one trace or in different ones.
 * @param {Likelihood} likelihood
 */
function variesAtWork({ routes, parts, atWork }) {
  const levels = parts.map((part) =>
    atWork(
      routes.map(() => 1),
      part,
    ),
  );
  const centre = mean(levels.map((working) => working.meanOf((count) => count)));
  const variance = mean(levels.map((working) => working.meanOf((count) => (count - centre) ** 2)));
  return variance > (SERVER.levelVariation * centre) ** 2;
}

/** @param {Likelihood} likelihood @param {number[]} shares to begin with @param {number} cores */
function fitShares(likelihood, shares, cores) {
  const fitted = [...shares];
  for (const [route, { isShort }] of likelihood.routes.entries()) {
    if (isShort) continue;
    const values = SHARES.map((share) => ({
      share,
      value: likelihood.of(cores, fitted.with(route, share)) - (share < 1 ? SERVER.workEvidence : 0),
    }));
    fitted[route] = values.sort((a, b) => b.value - a.value)[0].share;
  }
  return fitted;
}

/**
 * Fits the length of a turn on a core to the mean wait of the shortest queries: one turn of each other query on their
 * core.
 *
 * @param {Likelihood} likelihood @param {Float64Array} stretches of the first trace
 */
function fitSlice({ routes, parts: [{ trace, routeOf }] }, stretches) {
  const [shortest] = [...routes.keys()]
    .filter((route) => routes[route].isShort)
    .sort((a, b) => routes[a].fastestMs - routes[b].fastestMs);
  const checkouts = [...stretches.keys()].filter((i) => routeOf[trace.routeOf[i]] === shortest);
  if (checkouts.length === 0) return SERVER.sliceMs;
  const longer = mean(checkouts.map((i) => stretches[i])) - 1;
  const waitMs = mean(checkouts.map((i) => trace.useMs[i])) - routes[shortest].fastestMs;
  const sliceMs = (waitMs + SERVER.sliceWeight * SERVER.sliceMs) / (longer + SERVER.sliceWeight);
  return Math.min(SERVER.maxSliceMs, Math.max(SERVER.minSliceMs, sliceMs));
}

const MAX_ROUNDS = 15;
/** Largest deviation of a mean use, as a logarithm, that needs no correction. */
const MAX_DEVIATION = 0.01;
/** A correction changes the times alone by at most this factor. */
const MAX_FACTOR = 1.5;

/**
 * Finds out how the queries of a trace share the server's cores, so that its replay with another pool shows how they
 * slow each other down there.
 *
 * @param {Trace[]} traces of the same server. The first one will be replayed. Others, recorded with other pool sizes,
 *   add information
 * @param {object} [options]
 * @param {number} [options.cores] of the server; default: as the traces show
 * @param {PoolOptions} [options.pool] that the first trace was recorded with; default: no limit
 * @param {string[]} [options.separateRoutes] see createTraceLoad
 * @returns {Trace} the first one, with `sharing`; without it where the traces show no slowdown
 */
export function shareServer(traces, { cores, pool = UNLIMITED, separateRoutes } = {}) {
  const [trace] = traces;
  const fit = fitServer(traces, { cores });
  return fit ? { ...trace, sharing: matchUses(trace, fit, pool, { separateRoutes }) } : trace;
}

/**
 * Corrects the times alone until a replay of the trace with its own pool has the recorded mean use of each route.
 * Taking turns does not share the cores quite evenly, which fitServer assumes.
 *
 * @param {Trace} trace
 * @param {ServerFit} fit
 * @param {PoolOptions} pool
 * @param {{ separateRoutes?: string[] }} [options] see createTraceLoad
 * @returns {ServerFit}
 */
function matchUses(trace, fit, pool, { separateRoutes } = {}) {
  const { routes, routeOf, useMs } = trace;
  const recordedMs = meansByRoute(trace, useMs);
  const followUps = findFollowUps(trace);
  let { aloneMs } = fit;
  /** Share of each route's correction that is made. Near its capacity, a server multiplies a change of the work. */
  const steps = routes.map(() => 1);
  /** @type {number[]} */
  let last = [];
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const load = createTraceLoad({ ...trace, sharing: { ...fit, aloneMs } }, { separateRoutes, followUps });
    const { routes: simulated } = simulate({
      arrivals: load.arrivals(1, 1),
      services: load.services,
      pool,
      server: fit,
    });
    const means = meansByRoute(trace, aloneMs);
    const logs = routes.map((route, index) => {
      return Math.log(correct(means[index], simulated[route]?.meanUseMs ?? NaN, recordedMs[index], fit.sliceMs));
    });
    if (logs.every((log) => Math.abs(log) < MAX_DEVIATION)) break;
    for (const [route, log] of logs.entries()) if (log * last[route] < 0) steps[route] /= 2;
    last = logs;
    aloneMs = aloneMs.map((ms, i) => ms * Math.exp(logs[routeOf[i]] * steps[routeOf[i]]));
  }
  return { ...fit, aloneMs };
}

/**
 * Finds the factor for times alone that leads to the recorded use. A query shorter than a turn waits for its turn
 * however little work it has, so only the difference counts there.
 *
 * @param {number} aloneMs @param {number} usedMs in the replay @param {number} recordedMs @param {number} sliceMs
 */
function correct(aloneMs, usedMs, recordedMs, sliceMs) {
  const factor = aloneMs < sliceMs ? (aloneMs + recordedMs - usedMs) / aloneMs : recordedMs / usedMs;
  return Number.isFinite(factor) ? Math.min(MAX_FACTOR, Math.max(1 / MAX_FACTOR, factor)) : 1;
}
