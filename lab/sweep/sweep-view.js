import {
  shareColumns,
  describeSize,
  ofRoute,
  peakColumns,
  poolSizeColumn,
  requestColumns,
  routeColumns,
} from '../report/columns.js';
import { digitsOf, formatQuantity } from 'mongodb-pool-page/universal/quantity.js';
import { ratioOf } from '../report/findings.js';
import { listOf, map, mapOf, number, orNone, shape, text } from '../base/shape.js';

/** @import { ChartSpec, Column, LabView, Result, Variant } from '../report/result-types.js' */
/** @import { SweepFigures } from './sweep-figures.js' */

/** @typedef {Variant<{ poolSize: number }, SweepFigures>} SweepVariant */
/**
 * @typedef {Result<{ poolSize: number }, SweepFigures> & { advice?: { words: string[] } }} SweepResult words: which sizes met the
 *   goals, then what `advise` says
 */

/** @type {import('../report/columns.js').ShareColumns<SweepVariant>} */
const share = shareColumns;

/** The routes with most requests. All are in the result. */
const SHOWN_ROUTES = 6;

/** What the view itself relies on, in a result from a file. */
const checkSweep = shape({
  advice: orNone(shape({ words: listOf(text) })),
  variants: listOf(
    shape({
      measured: orNone(
        shape({ routes: mapOf(shape({ count: number })), pool: orNone(map), goals: orNone(mapOf(orNone(number))) }),
      ),
    }),
  ),
});

/**
 * Shows sweeps over the same app.
 * @param {SweepResult[]} results
 * @returns {LabView<{ poolSize: number }, SweepFigures>}
 * @throws {Error} naming what one of them lacks
 */
export function createSweepView(results) {
  for (const result of results) checkSweep(result, 'it');
  const variants = results.flatMap((result) => result.variants);
  const routes = listRoutes(variants);
  const goals = [...new Set(variants.flatMap(({ measured }) => Object.keys(measured?.goals ?? {})))];
  const [smallest] = variants
    .filter((variant) => judgeGoals(variant, goals) === 'good')
    .sort((a, b) => a.settings.poolSize - b.settings.poolSize);
  return {
    name: 'sweep',
    // What another load generator does is not known.
    loadKind: results.some(({ settings }) => settings.load) ? undefined : 'open',
    title: 'Your app at several pool sizes',
    question: 'How long do requests of this app take, at each size of its connection pool?',
    howToRead: [
      'The same load was run at each size. The app ran unchanged: only the maxPoolSize of its MongoDB clients was replaced.',
      'Times by route are measured in the app, from the arrival of a request to the end of its answer. The slowest request of all is ' +
        'also what the client saw, where the load was sent by Artillery.',
      'Predicted: a simulation of this load with what was measured at the other sizes.',
      ...results.flatMap((result) => adviceOf(result).slice(1)),
    ],
    columns: [
      poolSizeColumn,
      ...requestColumns,
      ...routes.flatMap(listTimes),
      { group: 'slowest request,', heading: 'max', unit: 'ms', value: ({ measured }) => measured?.maxMs },
      { group: 'slowest request,', heading: 'predicted', unit: 'ms', value: ({ predicted }) => predicted?.maxMs },
      ...poolColumns('wait', 'pool wait', 'wait for a connection'),
      ...poolColumns('use', 'use', 'time that a query had its connection'),
      ...peakColumns,
      ...goals.map(
        (goal) =>
          /** @type {Column<SweepVariant>} */ ({
            heading: goal,
            about: 'a goal, and what was measured',
            value: ({ measured }) => (measured ? describeGoal(goal, measured.goals?.[goal]) : null),
          }),
      ),
    ],
    charts: routes.map(routeChart),
    judge: (variant) => (variant === smallest ? 'answer' : judgeGoals(variant, goals)),
    takeaway: (result) => [...adviceOf(result).slice(0, 1), describeResult(result, routes)].join(' '),
  };
}

/** @param {SweepVariant[]} variants */
function listRoutes(variants) {
  /** @type {Map<string, number>} */
  const counts = new Map();
  for (const { measured } of variants) {
    for (const [route, { count }] of Object.entries(measured?.routes ?? {}))
      counts.set(route, (counts.get(route) ?? 0) + count);
  }
  return [...counts.keys()]
    .toSorted((a, b) => Number(counts.get(b)) - Number(counts.get(a)))
    .slice(0, SHOWN_ROUTES)
    .sort();
}

/** @param {string} route @returns {Column<SweepVariant>[]} */
function listTimes(route) {
  const { p50, p95, p99, max } = routeColumns(route);
  const predicted = { ...p95, heading: 'predicted', about: 'the p95 of a simulation', value: predictedP95(route) };
  return [p50, p95, predicted, p99, max].map((column) => ({ ...column, digits: digitsOf }));
}

/** @param {'wait' | 'use'} what @param {string} group @param {string} about */
function poolColumns(what, group, about) {
  return share(
    { group, unit: 'ms', digits: digitsOf },
    /** @type {const} */ ([50, 95]).map((percent) => ({
      heading: `p${percent}`,
      about: `${about}: ${percent} % took this long or less`,
      value: ({ measured }) => measured?.pool?.[`${what}P${percent}Ms`],
    })),
  );
}

/** @param {string} route @returns {ChartSpec<{ poolSize: number }, SweepFigures>} */
function routeChart(route) {
  return {
    title: `${route}: 95 of 100 requests took at most this long`,
    xLabel: 'Connections in the pool',
    yLabel: 'Response time',
    unit: 'ms',
    kind: 'bar',
    category: ({ settings }) => String(settings.poolSize),
    series: [
      { label: 'p95', role: 'measured', route, value: ofRoute(route, 'p95Ms') },
      { label: 'p95, predicted', role: 'predicted', value: predictedP95(route) },
    ],
  };
}

/** @param {string} route */
function predictedP95(route) {
  return (/** @type {SweepVariant} */ { predicted }) => predicted?.routes?.[route]?.p95Ms;
}

/** @param {SweepVariant} variant @param {string[]} goals */
function judgeGoals({ measured }, goals) {
  if (!measured || goals.length === 0) return undefined;
  return goals.every((goal) => isGoalMet(goal, measured.goals?.[goal])) ? 'good' : 'bad';
}

/** @param {string} goal such as `/fast p99 < 50 ms` @param {number | null | undefined} ms */
function isGoalMet(goal, ms) {
  const [, number, unit] = goal.match(/< ([\d.]+) (ms|s)$/) ?? [];
  return typeof ms === 'number' && ms < Number(number) * (unit === 's' ? 1000 : 1);
}

/** @param {string} goal @param {number | null | undefined} ms */
function describeGoal(goal, ms) {
  return typeof ms === 'number' ? `${isGoalMet(goal, ms) ? 'yes' : 'no'}, ${formatQuantity(ms, 'ms')}` : 'no';
}

/** @param {SweepResult} result @returns {string[]} */
function adviceOf({ advice }) {
  return advice?.words ?? [];
}

/** The route that the pool size changes most. @param {SweepResult} result @param {string[]} routes */
function describeResult({ variants }, routes) {
  const bySize = variants
    .filter(({ measured }) => measured)
    .toSorted((a, b) => a.settings.poolSize - b.settings.poolSize);
  const [small, large] = [bySize[0], bySize[bySize.length - 1]];
  const ratios = routes.flatMap((route) => {
    const [before, after] = [small, large].map(ofRoute(route, 'p95Ms'));
    const ratio = ratioOf(before, after);
    return ratio === null ? [] : { route, ratio, before: Number(before), after: Number(after) };
  });
  const [most] = ratios.sort((a, b) => Math.abs(Math.log(b.ratio)) - Math.abs(Math.log(a.ratio)));
  if (!most) return '';
  const first = `With ${describeSize(small.settings.poolSize)}, 95 of 100 requests to ${most.route} took at most ${formatQuantity(most.before, 'ms')}`;
  return small === large
    ? `${first}.`
    : `${first}; with ${describeSize(large.settings.poolSize)}, ${formatQuantity(most.after, 'ms')}.`;
}
