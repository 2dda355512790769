import { formatQuantity } from 'mongodb-pool-page/universal/quantity.js';
import { compareRanks } from '../base/rank-test.js';
import { median, sum } from 'mongodb-pool-predictor/statistics';
import { chooseFigure, ofRoute } from './columns.js';
import { formatSetting } from './name-runs.js';

/** @import { Result, Variant } from './result-types.js' */

/**
 * What changed on a route, by the p95 of each repeat, or its maximum where a repeat had few requests.
 *
 * @typedef {object} RouteChange
 * @property {string} route
 * @property {'better' | 'worse' | 'same' | 'unknown'} verdict same: within the noise
 * @property {string} why
 *
 * @typedef {{ problem: string | null, routes: RouteChange[] }} ResultComparison problem: why there is no verdict about
 *   any route
 *
 * @typedef {{ name: string, before: number[], after: number[] }} Pair a variant that both results have: the time of
 *   each repeat
 */

/** The same app on the same machine differs by this much from one run to the next. */
const TOLERANCE_SHARE = 0.1;
const TOLERANCE_MS = 1;
/** Probability that any of the routes seems to have changed where nothing has. */
const ERROR_RATE = 0.05;
/** More do not change a verdict. */
const MAX_REPEATS = 20;
/** A share of the requests. */
const FAILURE_TOLERANCE = 0.01;
/** Settings that may differ between compared results: the app, what is asked of it, how often, and where. */
const FREE_SETTINGS = new Set([
  'command',
  'goals',
  'mongodb',
  'ownPoolSizes',
  'parallel',
  'poolSizes',
  'repeat',
  'target',
  'warmUp',
]);
const MACHINE = ['os', 'cpu', 'cores'];

/**
 * Compares two results by the time of each route, at the sizes that both have.
 *
 * A route is better or worse if a rank test over all repeats of all these sizes says so, and the medians differ by more
 * than 10 %. It is the same if they don't. Repeats of one run are interleaved, so they show how the machine varies.
 *
 * @param {Result} before
 * @param {Result} after
 * @returns {ResultComparison}
 */
export function compareResults(before, after) {
  const shared = after.variants.flatMap((variant) => {
    const other = before.variants.find(({ name }) => name === variant.name);
    return other ? { name: variant.name, before: other, after: variant } : [];
  });
  const routes = [
    ...new Set([before, after].flatMap(({ variants }) => variants.flatMap((each) => Object.keys(routesOf(each))))),
  ].sort();
  const problem = routes.length > 0 && findProblem(before, after);
  if (problem) return { problem, routes: [] };
  return {
    problem: null,
    routes: routes.map((route) => {
      const failed = compareFailures(route, shared);
      if (failed) return { route, ...failed };
      const figure = chooseFigure(
        route,
        shared.flatMap(({ before, after }) => [before, after]),
      );
      const listTimes = (/** @type {Variant} */ { repeats = [] }) =>
        repeats
          .map(ofRoute(route, `${figure}Ms`))
          .filter((ms) => typeof ms === 'number')
          .slice(0, MAX_REPEATS);
      const pairs = shared
        .map(({ name, before, after }) => ({ name, before: listTimes(before), after: listTimes(after) }))
        .filter(({ before, after }) => before.length > 0 && after.length > 0);
      return { route, ...compareTimes(pairs, figure, routes.length) };
    }),
  };
}

/** @param {Result} before @param {Result} after @returns {string | undefined} why they can't be compared */
function findProblem(before, after) {
  const load = [...new Set([before, after].flatMap(({ settings }) => Object.keys(settings)))].filter(
    (key) => !FREE_SETTINGS.has(key) && isOther(before.settings[key], after.settings[key]),
  );
  if (load.length > 0)
    return `the loads differ in ${load
      .map((key) => `${key} (${[before, after].map(({ settings }) => formatSetting(settings[key])).join(', then ')})`)
      .join(' and ')}`;
  const machine = MACHINE.filter((key) => isOther(before.environment[key], after.environment[key]));
  if (machine.length > 0) return `they were measured on different machines (${machine.join(', ')})`;
  const names = new Set(before.variants.map(({ name }) => name));
  const shared = [before, after].map(({ variants }) =>
    variants.filter(({ name, measured }) => measured && names.has(name)),
  );
  if (shared.some(({ length }) => length === 0)) return 'they have no size in common';
  if (shared.some((variants) => variants.every(({ repeats = [] }) => repeats.length < 2)))
    return 'one run each. Measure both with --repeat 3';
  return undefined;
}

/** @param {unknown} one @param {unknown} other */
function isOther(one, other) {
  return formatSetting(one) !== formatSetting(other);
}

/**
 * @param {string} route
 * @param {{ name: string, before: Variant, after: Variant }[]} shared
 * @returns {Omit<RouteChange, 'route'> | undefined} undefined if about as many requests failed
 */
function compareFailures(route, shared) {
  const [before, after] = /** @type {const} */ (['before', 'after']).map((time) => {
    const figures = shared.flatMap((each) => routesOf(each[time])[route] ?? []);
    const sumOf = (/** @type {string} */ key) => sum(figures.map((each) => Number(each[key] ?? 0)));
    return sumOf('count') > 0 ? sumOf('failures') / sumOf('count') : 0;
  });
  if (Math.abs(after - before) <= FAILURE_TOLERANCE) return undefined;
  const [was, is] = [before, after].map((share) => formatQuantity(Math.round(share * 1000) / 10, '%'));
  return { verdict: after > before ? 'worse' : 'better', why: `${was} of its requests failed before, ${is} now` };
}

/**
 * @param {Pair[]} pairs
 * @param {string} figure what the times are
 * @param {number} routes how many are compared
 * @returns {Omit<RouteChange, 'route'>}
 */
function compareTimes(pairs, figure, routes) {
  const repeated = pairs.filter(({ before, after }) => before.length > 1 && after.length > 1);
  if (repeated.length === 0) return { verdict: 'unknown', why: 'it was not measured twice in both runs' };
  const changes = repeated.map(({ name, before, after }) => {
    const [was, is] = [median(before), median(after)];
    const isWithin = Math.abs(is - was) <= Math.max(TOLERANCE_MS, TOLERANCE_SHARE * was);
    return {
      was,
      is,
      isWithin,
      log: Math.log(is / was),
      text: `${formatQuantity(is, 'ms')} at ${name} instead of ${formatQuantity(was, 'ms')}`,
    };
  });
  if (changes.every(({ isWithin }) => isWithin)) return { verdict: 'same', why: `${figure} within 10 %` };
  const { p, smallestP } = compareRanks(repeated);
  const total = sum(changes.map(({ log }) => log));
  const [largest] = changes
    .filter(({ log, isWithin }) => !isWithin && Math.sign(log) === Math.sign(total))
    .toSorted((a, b) => Math.abs(b.log) - Math.abs(a.log));
  if (p <= ERROR_RATE / routes && largest)
    return { verdict: total > 0 ? 'worse' : 'better', why: `${figure} ${largest.text}` };
  const [most] = changes.toSorted((a, b) => Math.abs(b.log) - Math.abs(a.log));
  const doubt = smallestP > ERROR_RATE / routes ? 'there are too few repeats to tell' : 'the repeats differ as well';
  return { verdict: 'unknown', why: `${figure} ${most.text}, but ${doubt}` };
}

/** @param {Variant} variant @returns {Record<string, any>} */
function routesOf({ measured }) {
  return measured?.routes ?? {};
}

/**
 * @param {ResultComparison} comparison
 * @param {string} before what the results are called
 * @param {string} after
 * @returns {string} one sentence; empty if the results have no routes
 */
export function describeComparison({ problem, routes }, before, after) {
  const names = `From ${before} to ${after}`;
  if (problem) return `${names}: can't tell, ${problem}.`;
  if (routes.length === 0) return '';
  /** @param {RouteChange['verdict']} wanted @param {(list: string) => string} say */
  const list = (wanted, say) => {
    const found = routes.filter(({ verdict }) => verdict === wanted);
    const texts = found.map(({ route, why }) => (wanted === 'same' ? route : `${route} (${why})`));
    return found.length > 0 ? [say(texts.join(', '))] : [];
  };
  const changed = [...list('worse', (each) => `${each} got worse`), ...list('better', (each) => `${each} got better`)];
  const parts = [
    ...(changed.length > 0 ? changed : ['nothing got better or worse beyond the noise']),
    ...list('unknown', (each) => `can't tell: ${each}`),
    ...list('same', (each) => `the same within the noise: ${each}`),
  ];
  return `${names}, ${parts.join('; ')}.`;
}
