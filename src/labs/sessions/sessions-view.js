import { findSessionFindings } from './sessions-findings.js';
import { ratioOf } from '../../report/ratio.js';

/** @import { LatencyFigures } from '../../harness/summarise-latencies.js' */
/** @import { LabView, Result } from '../../report/result-types.js' */
/** @import { SessionSettings } from './plan.js' */

/**
 * @typedef {LatencyFigures & { failures: number, opened: number, timesWaited?: number, totalWaitMs?: number }
 *   } SessionFigures `opened`: connections; the waits are null where each query opens a client
 */

/** @type {Omit<LabView<SessionSettings, SessionFigures>, 'name'>} */
export const sessionsView = {
  loadKind: 'closed',
  title: 'One connection or many',
  question: 'Many workers query the database at the same time. Should all share one connection, or should each query '
    + 'take one from a pool? And how large must the pool be?',
  source: {
    title: 'Understanding Mgo Session',
    url: 'https://lnquy.com/blog/understanding-mgo-session/',
  },
  howToRead: [
    'Each worker finds the newest document of a type by an index, over and over.',
    'Fixed: all workers share one connection. Copy: each query takes a connection from a pool of this size.',
    'Clone: a kind of session in mgo, a driver for Go. It uses its parent\'s connection if the parent has one (--prime: '
    + 'then it is like fixed). Otherwise it takes one from the pool, like copy.',
    'In today\'s driver for Node.js a session holds no connection. So fixed is a client with a pool of one, and copy and '
    + 'clone are clients with a larger pool.',
    'Client-per-query opens and closes a client for each query. That is slow, so it makes far fewer queries.',
    'The farther away the server (--rtt), the more a second connection helps: while one query travels, another can too. '
    + 'mgo sent the next query before the last was answered. Today\'s driver waits.',
    'Published: measured in 2021 with mgo and MongoDB 4.2 in Docker on one machine. It is shown where workers and '
    + 'connections are the same and the server is near.',
  ],
  glossary: {
    fixed: 'all workers share one connection.',
    copy: 'each query takes a connection from a pool of this size.',
    clone: "a kind of session in mgo, the article's driver for Go. It shares its parent's connection if the parent has one "
      + '(--prime). Otherwise it takes one from the pool, like copy.',
    'client-per-query': 'each query opens and closes a client.',
  },
  columns: [
    { heading: 'variant', about: 'the workers, and how each query gets its connection', value: ({ name }) => name },
    { heading: 'queries', about: 'of all workers together', value: ({ settings }) => settings.queries },
    { heading: 'fail', about: 'queries that got no connection in time', value: ({ measured }) => measured?.failures },
    { heading: 'took', unit: 's', digits: 2, about: 'all queries', value: ({ measured }) => ratioOf(measured?.tookMs, 1000) },
    { heading: 'per s', about: 'queries answered per second', value: ({ measured }) => measured?.ratePerSec },
    {
      group: 'a query', heading: 'p50', unit: 'ms', digits: 1, about: '50 % of queries took this long or less',
      value: ({ measured }) => measured?.p50Ms,
    },
    {
      group: 'a query', heading: 'p95', unit: 'ms', digits: 1, about: '95 % took this long or less',
      value: ({ measured }) => measured?.p95Ms,
    },
    {
      group: 'a query', heading: 'p99', unit: 'ms', digits: 1, about: '99 % took this long or less',
      value: ({ measured }) => measured?.p99Ms,
    },
    {
      heading: 'opened', about: 'connections opened for queries; a client opens a few more to monitor the servers',
      value: ({ measured }) => measured?.opened,
    },
    {
      group: 'waited', heading: 'times', about: 'how often a query waited 1 ms or more for a connection',
      value: ({ measured }) => measured?.timesWaited,
    },
    {
      group: 'waited', heading: 's', digits: 1, about: 'total of these waits, in seconds',
      value: ({ measured }) => ratioOf(measured?.totalWaitMs, 1000),
    },
    { group: 'published', heading: 'queries', value: ({ published }) => published?.count },
    { group: 'published', heading: 's', digits: 1, value: ({ published }) => ratioOf(published?.tookMs, 1000) },
    { group: 'published', heading: 'per s', value: ({ published }) => published?.ratePerSec },
  ],
  charts: [{
    title: 'Queries per second',
    xLabel: 'Workers: how each query gets its connection',
    yLabel: 'Queries answered',
    unit: '/s',
    kind: 'bar',
    category: ({ name }) => name.replace(/ workers?/, ''),
    series: [
      { label: 'Here', role: 'measured', value: ({ measured }) => measured?.ratePerSec },
      { label: 'Published', role: 'published', value: ({ published }) => published?.ratePerSec },
    ],
  }],
  takeaway,
  findings: findSessionFindings,
};

/** @param {Result<SessionSettings, SessionFigures>} result */
function takeaway({ variants }) {
  const maxWorkers = Math.max(...variants.map(({ settings }) => settings.workers));
  const ordered = variants.filter(({ settings }) => settings.workers === maxWorkers)
    .toSorted((a, b) => rateOf(b) - rateOf(a));
  const [best, worst] = [ordered[0], ordered[ordered.length - 1]].map((variant) => (
    `${variant.name.replace(/.*: /, '')} answered ${Math.round(rateOf(variant))} queries per second`));
  const begin = `With ${maxWorkers} ${maxWorkers === 1 ? 'worker' : 'workers'}, ${best}`;
  return ordered.length === 1 ? `${begin}.` : `${begin}; ${worst}.`;
}

/** @param {{ measured: SessionFigures | null }} variant */
function rateOf({ measured }) {
  return measured?.ratePerSec ?? 0;
}
