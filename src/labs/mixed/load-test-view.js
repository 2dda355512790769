import { formatQuantity } from 'mongodb-pool-monitor/universal/quantity.js';
import { ofRoute, requestColumns, routeColumns } from '../../report/load-columns.js';

/** @import { LoadTestFigures } from '../../harness/artillery.js' */
/** @import { LabView, Result } from '../../report/result-types.js' */

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
    charts: [{
      title: 'The longest wait for an answer',
      xLabel: 'Load test',
      yLabel: 'Response time',
      unit: 'ms',
      kind: 'bar',
      category: ({ name }) => name,
      series: routes.map((route) => ({
        label: `Slowest ${route} request`, role: 'measured', route, value: ofRoute(route, 'maxMs'),
      })),
    }],
    takeaway,
  };
}

/** @param {Result<object, LoadTestFigures>} result */
function takeaway({ variants }) {
  const longest = variants.flatMap(({ name, measured }) => (
    typeof measured?.maxMs === 'number' ? `${formatQuantity(measured.maxMs, 'ms')} in ${name}` : []));
  return longest.length > 0 ? `The slowest request took ${longest.join(', ')}.` : 'No request was answered.';
}
