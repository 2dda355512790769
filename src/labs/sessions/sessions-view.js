import { findSessionFindings } from './sessions-findings.js';

/** @import { Lab, Result } from '../../report/result-types.js' */

/** How a result of the sessions lab is shown. @type {Omit<Lab, 'name'>} */
export const sessionsView = {
  load: 'closed',
  title: 'One connection or many',
  question: 'Many workers ask the database at the same time. Should all share one connection, or should each query '
    + 'take one from a pool? And how large must the pool be?',
  source: {
    title: 'Understanding Mgo Session',
    url: 'https://lnquy.com/blog/understanding-mgo-session/',
  },
  howToRead: [
    'Each worker asks for the newest document of a type, again and again, by an index.',
    'Fixed: all share one connection. Copy: each query takes one out of a pool of this size.',
    'Clone: what mgo, a driver for Go, calls a session that takes over its parent\'s connection if the parent has one '
    + '(--prime: then it is like fixed), and else takes one out of the pool, like copy.',
    'A session of today\'s driver for Node.js holds no connection: here fixed is a client with a pool of one, and copy and '
    + 'clone are clients with a larger pool.',
    'Client-per-query opens a client for each query and closes it. That takes so long that it makes far fewer queries.',
    'The further away the server (--rtt), the more a second connection brings: while one query travels, another can. '
    + 'mgo sent the next query on a connection before the last was answered; today\'s driver waits.',
    'Published: measured in 2021 with mgo and MongoDB 4.2 in Docker on one machine; shown where workers and connections are '
    + 'the same, and the server is near.',
  ],
  glossary: {
    fixed: 'all workers share one connection.',
    copy: 'each query takes a connection out of a pool of this size.',
    clone: "what mgo, the article's driver for Go, calls a session that shares its parent's connection if the parent has one "
      + '(--prime), and else takes one out of the pool, like copy.',
    'client-per-query': 'each query opens a client and closes it.',
  },
  columns: [
    { heading: 'variant', about: 'who asks, and how each query gets its connection', value: ({ name }) => name },
    { heading: 'queries', about: 'of all workers together', value: ({ settings }) => settings.queries },
    { heading: 'fail', about: 'queries that got no connection in time', value: ({ measured }) => measured?.failures },
    { heading: 'took', unit: 's', digits: 2, about: 'all queries', value: ({ measured }) => measured?.tookMs / 1000 },
    { heading: 'per s', about: 'queries answered per second', value: ({ measured }) => measured?.ratePerSec },
    {
      group: 'a query', heading: 'p50', unit: 'ms', digits: 1, about: 'half of the queries took at most this long',
      value: ({ measured }) => measured?.p50Ms,
    },
    {
      group: 'a query', heading: 'p95', unit: 'ms', digits: 1, about: '95 of 100 took at most this long',
      value: ({ measured }) => measured?.p95Ms,
    },
    {
      group: 'a query', heading: 'p99', unit: 'ms', digits: 1, about: '99 of 100 took at most this long',
      value: ({ measured }) => measured?.p99Ms,
    },
    {
      heading: 'opened', about: 'connections for queries that were opened; a client has more, to watch the servers',
      value: ({ measured }) => measured?.opened,
    },
    {
      group: 'waited', heading: 'times', about: 'how often a query waited 1 ms or more for a connection',
      value: ({ measured }) => measured?.timesWaited,
    },
    {
      group: 'waited', heading: 's', digits: 1, about: 'all those waits, in seconds',
      value: ({ measured }) => measured?.totalWaitMs / 1000,
    },
    { group: 'published', heading: 'queries', value: ({ published }) => published?.count },
    { group: 'published', heading: 's', digits: 1, value: ({ published }) => published?.tookMs / 1000 },
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

/** @param {Result} result */
function takeaway({ variants }) {
  const most = Math.max(...variants.map(({ settings }) => settings.workers));
  const ordered = variants.filter(({ settings }) => settings.workers === most)
    .toSorted((a, b) => b.measured?.ratePerSec - a.measured?.ratePerSec);
  const [best, worst] = [ordered[0], ordered[ordered.length - 1]].map(({ name, measured }) => (
    `${name.replace(/.*: /, '')} answered ${Math.round(measured?.ratePerSec)} queries per second`));
  const begin = `With ${most} ${most === 1 ? 'worker' : 'workers'}, ${best}`;
  return ordered.length === 1 ? `${begin}.` : `${begin}; ${worst}.`;
}
