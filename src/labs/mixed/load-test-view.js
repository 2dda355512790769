import { formatQuantity } from '../../universal/quantity.js';
import { routeColumns } from './mixed-view.js';

/** @import { LabView, Result } from '../../report/result-types.js' */

/**
 * How load tests are shown that Artillery ran by itself, here or on many machines: a row for each.
 * @param {string[]} routes
 * @returns {LabView}
 */
export function createLoadTestView(routes) {
  return {
    name: 'load-tests',
    loadKind: 'open',
    title: 'Load tests',
    question: 'How long did requests take in each of these load tests?',
    howToRead: [
      'Each is named after its file. Artillery keeps percentiles with an error of 1 %; the longest is exact.',
      'Several load generators that ran one test are one row: Artillery has put their figures together.',
    ],
    columns: [
      { heading: 'load test', value: ({ name }) => name },
      { heading: 'reqs', about: 'requests', value: ({ measured }) => measured?.requests },
      { heading: 'fail', about: 'requests without a good answer', value: ({ measured }) => measured?.failures },
      ...routes.flatMap(routeColumns),
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
        label: `Slowest ${route} request`, role: 'measured', route,
        value: ({ measured }) => measured?.routes[route]?.maxMs,
      })),
    }],
    takeaway,
  };
}

/** @param {Result} result */
function takeaway({ variants }) {
  const longest = variants.map(({ name, measured }) => `${formatQuantity(measured?.maxMs, 'ms')} in ${name}`);
  return `The slowest request took ${longest.join(', ')}.`;
}
