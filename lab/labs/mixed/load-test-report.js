import { formatQuantity } from 'mongodb-pool-page/universal/quantity.js';
import { describeFailures, summariseReport } from '../../../src/load-tests/artillery.js';
import { isRecord, mapOf, number, orNone, shape } from '../../base/shape.js';
import { ofRoute, requestColumns, routeColumns } from '../../report/columns.js';

/** @import { ArtilleryReport, LoadTestFigures } from '../../../src/load-tests/artillery.js' */
/** @import { LabView, Result } from '../../report/result-types.js' */

const summary = shape({ min: number, max: number, count: number, p50: number, p95: number, p99: number });

/** A time in ms since 1970. @type {import('../../base/shape.js').Check} */
const time = (value, where) => {
  number(value, where);
  if (Number.isNaN(new Date(value).getTime())) throw new Error(`${where} must be a time`);
};

const checkOutput = shape({
  aggregate: shape({ counters: mapOf(number), summaries: mapOf(summary), firstMetricAt: orNone(time) }),
});

/** @param {unknown} json @returns {boolean} whether it looks as if `artillery run --output` wrote it */
export function isArtilleryOutput(json) {
  return isRecord(Object(json).aggregate);
}

/** @param {unknown} json @param {string} file @throws {Error} naming the file and what is wrong with it */
export function checkArtilleryOutput(json, file) {
  try {
    checkOutput(json, 'it');
  } catch (cause) {
    throw new Error(`${file} is not an output of artillery run: ${/** @type {Error} */ (cause).message}`, { cause });
  }
}

/**
 * Load tests that were run with Artillery alone, as one result with a variant for each.
 * @param {{ name: string, output: { aggregate: ArtilleryReport & { firstMetricAt: number } } }[]} tests at least one
 * @returns {Result}
 */
export function createLoadTestResult(tests) {
  const begins = tests.map(({ output }) => output.aggregate.firstMetricAt).filter(Boolean);
  return {
    lab: 'load-tests',
    startedAt: begins.length > 0 ? new Date(Math.min(...begins)).toISOString() : '',
    environment: {},
    settings: {},
    variants: tests.map(({ name, output: { aggregate } }) => {
      const measured = summariseReport(aggregate);
      return { name, settings: {}, measured, ...(measured.failures > 0 && { error: describeFailures(aggregate) }) };
    }),
  };
}

/**
 * Shows load tests that were run with Artillery alone, here or on many machines: a row for each.
 * @param {string[]} routes
 * @returns {LabView<object, LoadTestFigures>}
 */
export function createLoadTestView(routes) {
  return {
    name: 'load-tests',
    loadKind: 'open',
    title: 'Load tests',
    question: 'How long did requests take in each of these load tests?',
    howToRead: [
      'Each load test has the name of its file. The percentiles are off by up to 1 %. The maximum is exact.',
      'If several load generators ran one test, it is one row: Artillery merged their figures.',
    ],
    columns: [
      { heading: 'load test', value: ({ name }) => name },
      ...requestColumns,
      ...routes.map(routeColumns).flatMap(({ p50, p95, max }) => [p50, p95, max]),
      { group: 'slowest', heading: 'max', unit: 'ms', value: ({ measured }) => measured?.maxMs },
    ],
    charts: [
      {
        title: 'The longest wait for an answer',
        xLabel: 'Load test',
        yLabel: 'Response time',
        unit: 'ms',
        kind: 'bar',
        category: ({ name }) => name,
        series: routes.map((route) => ({
          label: `Slowest ${route} request`,
          role: 'measured',
          route,
          value: ofRoute(route, 'maxMs'),
        })),
      },
    ],
    takeaway,
  };
}

/** @param {Result<object, LoadTestFigures>} result */
function takeaway({ variants }) {
  const longest = variants.flatMap(({ name, measured }) =>
    typeof measured?.maxMs === 'number' ? `${formatQuantity(measured.maxMs, 'ms')} in ${name}` : [],
  );
  return longest.length > 0 ? `The slowest request took ${longest.join(', ')}.` : 'No request was answered.';
}
