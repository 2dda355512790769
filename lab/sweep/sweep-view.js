import {
  chooseFigure,
  shareColumns,
  describeSize,
  ofRoute,
  peakColumns,
  poolSizeColumn,
  requestColumns,
  routeColumns,
} from '../report/columns.js';
import { formatQuantity } from 'mongodb-pool-page/universal/quantity.js';
import { rankRoutes } from 'mongodb-pool-page/universal/rank-routes.js';
import { ratioOf } from '../report/findings.js';
import { listOf, map, mapOf, number, orNone, shape, text } from '../base/shape.js';
import { parseSlo } from 'mongodb-pool-predictor';
import { judgeGoal, judgeGoals } from './sweep-figures.js';

/** @import { ChartSpec, Column, LabView, Result, Variant } from '../report/result-types.js' */
/** @import { Slo } from 'mongodb-pool-predictor' */
/** @import { GoalVerdict, SweepFigures } from './sweep-figures.js' */

/** @typedef {Variant<{ poolSize: number }, SweepFigures>} SweepVariant */
/**
 * @typedef {Result<{ poolSize: number }, SweepFigures> & Partial<Record<'advice' | 'gaps' | 'doctor' | 'baseline',
 *   { words: string[] }>>} SweepResult words: which sizes met the goals, then what `advise` says; why predicted figures
 *   are hidden; why requests waited, by size; what changed since the baseline
 */

/** @type {import('../report/columns.js').ShareColumns<SweepVariant>} */
const share = shareColumns;

/** Routes of each kind, beside those with a goal: that hold connections, and that wait. All are in the result. */
const SHOWN_OF_KIND = 2;
const SHOWN_IN_TERMINAL = 2;

/** @type {Record<GoalVerdict, 'good' | 'bad' | undefined>} */
const COLOURS = { met: 'good', missed: 'bad', unknown: undefined };
/** @type {Record<GoalVerdict, string>} */
const VERDICTS = { met: 'met', missed: 'missed', unknown: 'no verdict' };

/** What the view itself relies on, in a result from a file. */
const checkSweep = shape({
  ...Object.fromEntries(
    ['advice', 'gaps', 'doctor', 'baseline'].map((name) => [name, orNone(shape({ words: listOf(text) }))]),
  ),
  variants: listOf(
    shape({
      measured: orNone(
        shape({
          routes: mapOf(shape({ count: number })),
          pool: orNone(map),
          goals: orNone(mapOf(orNone(number))),
          goalRequests: orNone(mapOf(number)),
        }),
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
  const goals = [...new Set(variants.flatMap(({ measured }) => Object.keys(measured?.goals ?? {})))].map(parseSlo);
  const byWeight = listRoutes(variants, goals);
  const routes = byWeight.toSorted();
  const inTerminal = byWeight.slice(0, SHOWN_IN_TERMINAL);
  const judge = (/** @type {SweepVariant} */ { measured }) => (measured ? judgeGoals(goals, measured) : 'unknown');
  const [smallest] =
    goals.length === 0
      ? []
      : variants
          .filter((variant) => judge(variant) === 'met')
          .sort((a, b) => a.settings.poolSize - b.settings.poolSize);
  const client = results[0]?.settings.client;
  const commands = [...new Set(results.map(({ settings }) => settings.command).filter(Boolean))];
  return {
    name: 'sweep',
    // What another load generator does is not known.
    loadKind: results.some(({ settings }) => settings.load) ? undefined : 'open',
    title: 'Your app at several pool sizes',
    question: `How long do requests of this app take, at each size of its connection pool?${
      commands.length > 0 ? ` It was started with: ${commands.join('; ')}` : ''
    }`,
    howToRead: [
      `The same load was run at each size. The app ran unchanged: only the maxPoolSize of ${
        client === undefined ? 'its MongoDB clients' : `its client ${client}`
      } was replaced.`,
      'Times by route are measured in the app, from the arrival of a request to the end of its answer.',
      'Predicted: a simulation of the requests that arrived at this size, with what was measured at the other sizes. ' +
        'One more measurement lies in the band with a probability of 90 %.',
      ...results.flatMap(({ gaps, doctor, advice }) =>
        [gaps, doctor].flatMap((each) => each?.words ?? []).concat(advice?.words.slice(1) ?? []),
      ),
    ],
    columns: [
      ...share(
        // Both name the row.
        { group: '' },
        [...(goals.length > 0 ? [verdictColumn(judge)] : []), poolSizeColumn],
      ),
      ...requestColumns,
      ...routes.flatMap((route) => listTimes(route, chooseFigure(route, variants), inTerminal.includes(route))),
      ...share({ detail: true }, [
        { group: 'slowest request,', heading: 'max', unit: 'ms', value: ({ measured }) => measured?.maxMs },
        ...poolColumns('wait', 'pool wait', 'wait for a connection'),
        ...poolColumns('use', 'use', 'time that a query had its connection'),
      ]),
      ...peakColumns,
      ...share({ detail: goals.length === 1 }, goals.map(goalColumn)),
    ],
    charts: routes.map((route) => routeChart(route, chooseFigure(route, variants))),
    judge: (variant) => (variant === smallest ? 'answer' : COLOURS[goals.length > 0 ? judge(variant) : 'unknown']),
    takeaway: (result) => {
      const { baseline, advice } = /** @type {SweepResult} */ (result);
      return [...(baseline?.words ?? []), ...(advice?.words.slice(0, 1) ?? []), describeResult(result, routes)].join(
        ' ',
      );
    },
  };
}

/**
 * Lists those with a goal, and, in turn, one that holds connections for long and one that waits long. The more a route
 * says, the earlier it comes.
 * @param {SweepVariant[]} variants
 * @param {Slo[]} goals
 */
function listRoutes(variants, goals) {
  const names = rankRoutes(
    variants.flatMap(({ measured }) =>
      Object.entries(measured?.routes ?? {}).map(([route, figures]) => ({ ...figures, route })),
    ),
  );
  const holders = names.slice(0, SHOWN_OF_KIND);
  const kinds = holders.flatMap((holder, index) => [
    holder,
    ...names.slice(SHOWN_OF_KIND + index, SHOWN_OF_KIND + index + 1),
  ]);
  return [...new Set([...goals.map(({ route }) => route).filter((route) => names.includes(route)), ...kinds])];
}

/**
 * @param {string} route
 * @param {'p95' | 'max'} figure
 * @param {boolean} isInTerminal
 * @returns {Column<SweepVariant>[]}
 */
function listTimes(route, figure, isInTerminal) {
  const { p50, p95, p99, max } = routeColumns(route);
  const about = `the ${figure} of a simulation`;
  const predicted = { ...p95, heading: 'predicted', about, value: predictedTime(route, figure) };
  const band = { ...predicted, heading: 'band', about: 'of the predicted time', value: predictedBand(route, figure) };
  const columns = figure === 'p95' ? [p50, p95, predicted, band, p99, max] : [max, predicted, band];
  return columns.map((column) => ({
    ...column,
    digits: 'times',
    detail: !isInTerminal || ![figure, 'predicted', 'band'].includes(column.heading),
  }));
}

/** @param {(variant: SweepVariant) => GoalVerdict} judge @returns {Column<SweepVariant>} */
function verdictColumn(judge) {
  return {
    heading: 'goals',
    about: 'whether all goals are met at this size',
    value: (variant) => (variant.measured ? VERDICTS[judge(variant)] : null),
  };
}

/** @param {Slo} goal @returns {Column<SweepVariant>} */
function goalColumn(goal) {
  return {
    heading: goal.text,
    about: 'a goal, and what was measured',
    value: ({ measured }) => (measured ? describeGoal(goal, measured) : null),
  };
}

/** @param {'wait' | 'use'} what @param {string} group @param {string} about */
function poolColumns(what, group, about) {
  return share(
    { group, unit: 'ms', digits: 'times' },
    /** @type {const} */ ([50, 95]).map((percent) => ({
      heading: `p${percent}`,
      about: `${about}: ${percent} % took this long or less`,
      value: ({ measured }) => measured?.pool?.[`${what}P${percent}Ms`],
    })),
  );
}

/** @param {string} route @param {'p95' | 'max'} figure @returns {ChartSpec<{ poolSize: number }, SweepFigures>} */
function routeChart(route, figure) {
  return {
    title: `${route}: ${figure === 'p95' ? '95 of 100 requests took at most this long' : 'the slowest request'}`,
    xLabel: 'Connections in the pool',
    yLabel: 'Response time',
    unit: 'ms',
    kind: 'bar',
    category: ({ settings }) => String(settings.poolSize),
    series: [
      { label: figure, role: 'measured', route, value: ofRoute(route, `${figure}Ms`) },
      { label: `${figure}, predicted`, role: 'predicted', value: predictedTime(route, figure) },
    ],
  };
}

/** @param {string} route @param {'p95' | 'max'} figure */
function predictedTime(route, figure) {
  return (/** @type {SweepVariant} */ { predicted }) => predicted?.routes?.[route]?.[`${figure}Ms`];
}

/** @param {string} route @param {'p95' | 'max'} figure @returns {(variant: Variant<any, any>) => number[]} */
function predictedBand(route, figure) {
  return ({ predicted }) =>
    [predicted?.low, predicted?.high].map((end) => end?.routes?.[route]?.[`${figure}Ms`] ?? NaN);
}

/** @param {Slo} goal @param {SweepFigures} measured */
function describeGoal(goal, measured) {
  const ms = measured.goals?.[goal.text];
  const verdict = judgeGoal(goal, measured);
  if (verdict === 'unknown' || typeof ms !== 'number') return VERDICTS[verdict];
  return `${VERDICTS[verdict]}, ${formatQuantity(ms, 'ms')}`;
}

/** The route that the pool size changes most. @param {SweepResult} result @param {string[]} routes */
function describeResult({ variants }, routes) {
  const bySize = variants
    .filter(({ measured }) => measured)
    .toSorted((a, b) => a.settings.poolSize - b.settings.poolSize);
  const [small, large] = [bySize[0], bySize[bySize.length - 1]];
  const ratios = routes.flatMap((route) => {
    const figure = chooseFigure(route, bySize);
    const [before, after] = [small, large].map(ofRoute(route, `${figure}Ms`));
    const ratio = ratioOf(before, after);
    const what =
      figure === 'p95' ? `95 of 100 requests to ${route} took at most` : `the slowest request to ${route} took`;
    return ratio === null ? [] : { what, ratio, before: Number(before), after: Number(after) };
  });
  const [most] = ratios.sort((a, b) => Math.abs(Math.log(b.ratio)) - Math.abs(Math.log(a.ratio)));
  if (!most) return '';
  const first = `With ${describeSize(small.settings.poolSize)}, ${most.what} ${formatQuantity(most.before, 'ms')}`;
  return small === large
    ? `${first}.`
    : `${first}; with ${describeSize(large.settings.poolSize)}, ${formatQuantity(most.after, 'ms')}.`;
}
