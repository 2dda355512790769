import { samplesNeeded } from 'mongodb-pool-predictor';
import { mean, median, quantile, sum } from 'mongodb-pool-predictor/statistics';
import { summariseCheckouts } from '../harness/summarise-checkouts.js';
import { useMsOf, waitMsOf } from '../harness/warm-up.js';

/** @import { RouteTimes } from '../../src/load-tests/artillery.js' */
/** @import { PoolFigures } from '../harness/summarise-checkouts.js' */
/** @import { Seen, SeenCheckout, SeenRequest } from '../harness/monitor-reader.js' */
/** @import { Slo } from 'mongodb-pool-predictor' */

/**
 * @typedef {RouteTimes & { failures: number, queries: number, waitP95Ms: number, useP50Ms: number }} SweepRoute times
 *   of the requests that succeeded; queries: checkouts of each, on average; wait and use: all of a request together
 *
 * @typedef {object} SweepFigures
 * @property {number} requests
 * @property {number} failures
 * @property {number | null} maxMs of all requests, as the client saw it where it is known
 * @property {number} [usersPlanned]
 * @property {number} [usersSent]
 * @property {Record<string, SweepRoute>} routes as the app has them, measured in the app
 * @property {Record<string, number | null>} [goals] by goal, see measureGoals
 * @property {Record<string, number>} [goalRequests] by goal: requests of one measurement to its route
 * @property {PoolFigures & { useP50Ms: number | null, useP95Ms: number | null }} pool
 */

/** @typedef {{ queries: number, waitMs: number, useMs: number }} Uses what a request did with connections */

const totalMsOf = (/** @type {SeenRequest} */ { totalMs }) => totalMs;

/** @param {Pick<SeenRequest, 'status'>} request */
const hasSucceeded = ({ status }) => status >= 200 && status < 400;

/** @param {SeenCheckout} checkout */
const isServed = ({ checkedOutAtMs, checkedInAtMs }) => checkedOutAtMs !== null && checkedInAtMs !== null;

/** @param {Pick<SeenCheckout, 'source' | 'requestId'>} request */
const keyOf = ({ source, requestId }) => `${source} ${requestId}`;

/**
 * Summarises what the app's own processes saw of a load.
 *
 * @param {Pick<Seen, 'requests' | 'checkouts'>} seen checkouts: of requests, and of work outside them
 * @returns {SweepFigures}
 */
export function summariseSweep({ requests, checkouts }) {
  const good = requests.filter(hasSucceeded);
  const routes = [...new Set(requests.map(({ route }) => route))].sort();
  const usesMs = checkouts.filter(isServed).map(useMsOf);
  const uses = addUpUses(checkouts);
  return {
    requests: requests.length,
    failures: requests.length - good.length,
    maxMs: quantile(good.map(totalMsOf), 1) ?? null,
    routes: Object.fromEntries(
      routes.flatMap((route) => {
        const figures = summariseRoute(
          requests.filter((request) => request.route === route),
          uses,
        );
        return figures ? [[route, figures]] : [];
      }),
    ),
    pool: {
      ...summariseCheckouts(checkouts),
      useP50Ms: median(usesMs) ?? null,
      useP95Ms: quantile(usesMs, 0.95) ?? null,
    },
  };
}

/** A sentence with more is not read. */
const MAX_FAILURES = 6;
const NO_ANSWER = 'no answer';

/**
 * Says with which status requests failed, and where, e.g. `38 x HTTP 429 of /api/things, 2 x ECONNRESET`.
 *
 * @param {Pick<SeenRequest, 'route' | 'status'>[]} requests that the app saw
 * @param {Record<string, number>} [failures] those that the client saw; default: what the app saw
 * @returns {string} the most frequent first; empty if none failed
 */
export function describeFailed(requests, failures) {
  /** @type {Map<string, Map<string, number>>} */
  const seen = new Map();
  for (const { route, status } of requests.filter((request) => !hasSucceeded(request))) {
    const what = status === 0 ? NO_ANSWER : `HTTP ${status}`;
    const routes = seen.get(what) ?? new Map();
    seen.set(what, routes.set(route, (routes.get(route) ?? 0) + 1));
  }
  const listed = failures === undefined ? [...seen.keys()] : Object.keys(failures);
  const errors = listed.filter((what) => !what.startsWith('HTTP '));
  const counts = listed.flatMap((what) => {
    // The app does not know why a client gave up.
    const key = errors.length === 1 && what === errors[0] ? NO_ANSWER : what;
    const routes = [...(seen.get(key) ?? [])].map(([route, count]) => ({ what: `${what} of ${route}`, count }));
    // Something in front of the app may have answered as well.
    const rest = (failures?.[what] ?? 0) - sum(routes.map(({ count }) => count));
    return rest > 0 ? [...routes, { what, count: rest }] : routes;
  });
  const sorted = counts.toSorted((a, b) => b.count - a.count).map(({ what, count }) => `${count} x ${what}`);
  const more = sorted.length - MAX_FAILURES;
  return [...sorted.slice(0, MAX_FAILURES), ...(more > 0 ? [`${more} other kinds`] : [])].join(', ');
}

/** @param {SeenCheckout[]} checkouts @returns {Map<string, Uses>} by request */
function addUpUses(checkouts) {
  /** @type {Map<string, Uses>} */
  const uses = new Map();
  for (const checkout of checkouts) {
    const { queries, waitMs, useMs } = uses.get(keyOf(checkout)) ?? { queries: 0, waitMs: 0, useMs: 0 };
    const [waitedMs, usedMs] = isServed(checkout) ? [waitMsOf(checkout), useMsOf(checkout)] : [0, 0];
    uses.set(keyOf(checkout), { queries: queries + 1, waitMs: waitMs + waitedMs, useMs: useMs + usedMs });
  }
  return uses;
}

/**
 * @param {SeenRequest[]} requests of one route
 * @param {Map<string, Uses>} uses
 * @returns {SweepRoute | undefined} undefined if none succeeded
 */
function summariseRoute(requests, uses) {
  const good = requests.filter(hasSucceeded);
  if (good.length === 0) return undefined;
  const [p50Ms, p95Ms, p99Ms, maxMs] = [0.5, 0.95, 0.99, 1].map((share) => quantile(good.map(totalMsOf), share));
  const used = good.map((request) => uses.get(keyOf(request)) ?? { queries: 0, waitMs: 0, useMs: 0 });
  return {
    count: requests.length,
    failures: requests.length - good.length,
    p50Ms,
    p95Ms,
    p99Ms,
    maxMs,
    queries: mean(used.map(({ queries }) => queries)),
    waitP95Ms: quantile(
      used.map(({ waitMs }) => waitMs),
      0.95,
    ),
    useP50Ms: median(used.map(({ useMs }) => useMs)),
  };
}

/**
 * @param {Slo[]} slos
 * @param {SeenRequest[]} requests
 * @returns {Required<Pick<SweepFigures, 'goals' | 'goalRequests'>>} goals: what was measured. A request that failed
 *   took for ever; null: so did the goal's percentile, or there was no request
 */
export function measureGoals(slos, requests) {
  const figures = slos.map(({ text, route, share }) => {
    const timesMs = requests
      .filter((request) => request.route === route)
      .map((request) => (hasSucceeded(request) ? request.totalMs : Infinity));
    const ms = quantile(timesMs, share) ?? Infinity;
    return { text, ms: Number.isFinite(ms) ? ms : null, count: timesMs.length };
  });
  return {
    goals: Object.fromEntries(figures.map(({ text, ms }) => [text, ms])),
    goalRequests: Object.fromEntries(figures.map(({ text, count }) => [text, count])),
  };
}

/** @typedef {'met' | 'missed' | 'unknown'} GoalVerdict unknown: there were too few requests to tell */

/**
 * @param {Slo} slo
 * @param {SweepFigures} measured
 * @returns {GoalVerdict} by the rule that `advise` has for a percentile
 */
export function judgeGoal({ text, route, share, limitMs }, { goals, goalRequests, routes }) {
  // Older results don't have them.
  const count = goalRequests?.[text] ?? routes[route]?.count ?? 0;
  if (count < samplesNeeded(share)) return 'unknown';
  const ms = goals?.[text];
  return typeof ms === 'number' && ms < limitMs ? 'met' : 'missed';
}

/** @param {Slo[]} slos @param {SweepFigures} measured @returns {GoalVerdict} of all goals together */
export function judgeGoals(slos, measured) {
  const verdicts = slos.map((slo) => judgeGoal(slo, measured));
  if (verdicts.includes('missed')) return 'missed';
  return verdicts.includes('unknown') ? 'unknown' : 'met';
}
