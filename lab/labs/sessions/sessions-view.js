import { shareColumns } from '../../report/columns.js';
import { rateOf, ratioOf } from '../../report/findings.js';
import { describeThread, findSessionFindings } from './sessions-findings.js';

/** @import { LatencyFigures } from '../../harness/summarise-latencies.js' */
/** @import { LabView, Result, Variant } from '../../report/result-types.js' */
/** @import { SessionSettings } from './plan-sessions.js' */
/** @import { PublishedOnly } from './sessions-published.js' */

/**
 * @typedef {object} SessionPoolFigures
 * @property {number} failures
 * @property {number} opened connections
 * @property {number} threadBusy share of the time in which Node's thread was not idle
 * @property {number} cpuShare CPU time of the process, in cores
 * @property {number} [timesWaited] undefined where each query opens a client
 * @property {number} [totalWaitMs]
 *
 * @typedef {LatencyFigures & SessionPoolFigures & PublishedOnly} SessionFigures
 * @typedef {Variant<SessionSettings, SessionFigures>} MeasuredWay
 */

/** @type {import('../../report/columns.js').ShareColumns<MeasuredWay>} */
const share = shareColumns;

/** @type {Omit<LabView<SessionSettings, SessionFigures>, 'name'>} */
export const sessionsView = {
  loadKind: 'closed',
  title: 'One shared connection or a pool',
  question:
    'Many workers query the database at the same time. Should all share one connection, or should each query ' +
    'take one from a pool? And how large must the pool be?',
  source: {
    title: 'Understanding Mgo Session',
    url: 'https://lnquy.com/blog/understanding-mgo-session/',
  },
  howToRead: [
    'Each worker finds the newest document of a type by an index, over and over.',
    'Fixed: all workers share one connection. Copy: each query takes a connection from a pool of this size.',
    "Clone: a kind of session in mgo, a driver for Go. It uses its parent's connection if the parent has one " +
      "(primed). Otherwise it takes one from the pool. In today's driver for Node.js a session holds no connection, " +
      'so a primed clone is the same code as fixed and any other is the same code as copy. They are measured once.',
    'Client-per-query opens and closes a client for each query. That is slow, so it makes far fewer queries.',
    "A pool has at most 100 connections in today's driver unless you say otherwise. In mgo it had 4096.",
    'The farther away the server (--rtt, or --query-ms for what a query takes), the more a second ' +
      'connection helps: while one query travels, another can too. mgo sent the next query before the last ' +
      "was answered. Today's driver waits.",
    'All of a client runs on one thread of Node.js. Where that is busy all the time, more connections do not help.',
    'Published: measured in 2021 with mgo and MongoDB 4.2 in Docker on one machine. It is shown where workers and ' +
      'connections are the same and the server is equally near. mgo speaks a protocol that MongoDB 6 no longer does: ' +
      'against it, the original program ends with "no reachable servers".',
  ],
  glossary: {
    session: "the object through which a query gets its connection in mgo, the article's driver for Go.",
    fixed: 'all workers share one connection.',
    copy: 'each query takes a connection from a pool of this size.',
    clone:
      "a kind of session in mgo. It shares its parent's connection if that was primed, and " +
      "otherwise takes one from the pool. In today's driver that is the same code as fixed or as copy.",
    'client-per-query': 'each query opens and closes a client.',
  },
  columns: [
    { heading: 'variant', about: 'the workers, and how each query gets its connection', value: ({ name }) => name },
    {
      heading: 'queries',
      about: 'of all workers together',
      value: ({ settings, measured }) => measured?.count ?? settings.queries,
    },
    { heading: 'fail', about: 'queries that got no connection in time', value: ({ measured }) => measured?.failures },
    ...share({ group: 'took', unit: 's' }, [
      { heading: 'here', digits: 2, about: 'all queries', value: ({ measured }) => ratioOf(measured?.tookMs, 1000) },
      {
        heading: 'published',
        digits: 1,
        about: 'all queries, which were more there',
        value: ({ published }) => ratioOf(published?.tookMs, 1000),
      },
      {
        heading: 'clone',
        digits: 1,
        about: 'published, with the clone that works like it',
        value: ({ published }) => ratioOf(published?.cloneTookMs, 1000),
      },
    ]),
    ...share({ group: 'per s' }, [
      { heading: 'here', about: 'queries answered per second', value: ({ measured }) => measured?.ratePerSec },
      { heading: 'published', value: ({ published }) => published?.ratePerSec },
    ]),
    ...share({ group: 'client' }, [
      {
        heading: 'busy %',
        about: "of the time, Node's thread was not idle",
        value: ({ measured }) => toPercent(measured?.threadBusy),
      },
      {
        heading: 'CPU %',
        about: 'of a core, for the whole process',
        value: ({ measured }) => toPercent(measured?.cpuShare),
      },
    ]),
    ...share({ group: 'a query', unit: 'ms', digits: 1 }, [
      { heading: 'p50', about: '50 % of queries took this long or less', value: ({ measured }) => measured?.p50Ms },
      { heading: 'p95', about: '95 % took this long or less', value: ({ measured }) => measured?.p95Ms },
      { heading: 'p99', about: '99 % took this long or less', value: ({ measured }) => measured?.p99Ms },
    ]),
    {
      heading: 'opened',
      about: 'connections opened for queries; a client opens a few more to monitor the servers',
      value: ({ measured }) => measured?.opened,
    },
    ...share({ group: 'waited %' }, [
      {
        heading: 'here',
        about: 'of the queries waited 1 ms or more for a connection',
        value: ({ measured }) => toPercent(ratioOf(measured?.timesWaited, measured?.count)),
      },
      {
        heading: 'published',
        about: 'of the queries, in another run',
        value: ({ published }) => toPercent(published?.waits?.share),
      },
    ]),
    ...share({ group: 'waiting at once', digits: 1, detail: true }, [
      {
        heading: 'here',
        about: 'queries that waited for a connection, on average',
        value: ({ measured }) => ratioOf(measured?.totalWaitMs, measured?.tookMs),
      },
      {
        heading: 'published',
        about: 'in another run, once all workers had started',
        value: ({ published }) => published?.waits?.waitingAtOnce,
      },
    ]),
    {
      heading: 'queries published',
      about: 'of all workers together',
      detail: true,
      value: ({ published }) => published?.count,
    },
    ...share({ group: 'waited', detail: true }, [
      { heading: 'times', about: 'how often', value: ({ measured }) => measured?.timesWaited },
      { heading: 'times published', value: ({ published }) => published?.waits?.timesWaited },
      {
        heading: 's',
        digits: 1,
        about: 'total of these waits, in seconds',
        value: ({ measured }) => ratioOf(measured?.totalWaitMs, 1000),
      },
      { heading: 's published', digits: 1, value: ({ published }) => ratioOf(published?.waits?.totalWaitMs, 1000) },
    ]),
  ],
  charts: [
    {
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
    },
  ],
  takeaway,
  findings: findSessionFindings,
};

/** @param {number | null | undefined} share */
function toPercent(share) {
  return typeof share === 'number' ? share * 100 : share;
}

/** @param {Result<SessionSettings, SessionFigures>} result */
function takeaway({ variants }) {
  const maxWorkers = Math.max(...variants.map(({ settings }) => settings.workers));
  const ordered = variants
    .filter(({ settings }) => settings.workers === maxWorkers)
    .toSorted((a, b) => rateOf(b) - rateOf(a));
  const [best, worst] = [ordered[0], ordered[ordered.length - 1]].map(
    (variant) => `${variant.name.replace(/.*: /, '')} answered ${Math.round(rateOf(variant))} queries per second`,
  );
  const begin = `With ${maxWorkers} ${maxWorkers === 1 ? 'worker' : 'workers'}, ${best}`;
  const full = variants.find((variant) => variant.settings.poolSize !== null && describeThread(variant));
  return [
    ordered.length === 1 ? `${begin}.` : `${begin}; ${worst}.`,
    ...(full ? [`From ${full.name} on: ${describeThread(full)}`] : []),
  ].join(' ');
}
