import { formatNumber } from 'mongodb-pool-monitor/universal/quantity.js';
import { ratioOf } from '../../report/ratio.js';

/** @import { LatencyFigures } from '../../harness/summarise-latencies.js' */
/** @import { Finding, LabView, Result, Variant } from '../../report/result-types.js' */
/** @import { Faults } from './verify-inserts.js' */

/**
 * @typedef {object} InsertsSettings
 * @property {string} workload `sessions/inserters`
 * @property {number} sessions connections in the pool
 * @property {number} inserters
 * @property {string} way plain or gathered
 *
 * @typedef {LatencyFigures & Faults & { instance?: string }} InsertsFigures `instance`: of the published figures
 *
 * @typedef {Result<InsertsSettings, InsertsFigures>} InsertsResult
 * @typedef {Variant<InsertsSettings, InsertsFigures>} InsertsVariant
 */

/** @type {Omit<LabView<InsertsSettings, InsertsFigures>, 'name'>} */
export const insertsView = {
  loadKind: 'closed',
  title: 'One document at a time',
  question: 'Many callers insert one small document each and wait until it is stored. How many documents per second can one '
    + 'MongoDB store, and do more connections and more callers help?',
  source: {
    title: '80,000 inserts a second into one MongoDB (in Chinese)',
    url: 'https://silicloud.com/zh/blog/mongodb%e5%9c%a8%e4%b8%80%e4%b8%aa%e5%ae%9e%e4%be%8b%e4%b8%ad%e8%be%be%e5%88%b0%e6%af%8f%e7%a7%928%e4%b8%87%e6%ac%a1%e7%9a%84%e6%8f%92%e5%85%a5%e9%80%9f%e5%ba%a6%e3%80%82',
  },
  howToRead: [
    '100/10000: 100 connections in the pool, shared by 10,000 inserters. Dots further right are better. The axis is '
    + 'logarithmic.',
    'Plain: each document is one insert command, as in most apps.',
    'Gathered: documents that are inserted at the same moment travel in one command, and each inserter still gets the outcome '
    + 'of its own document. One connection is enough for that.',
    'A document is 1 KB. It counts once it is acknowledged: with write concern majority, today\'s default for replica sets, '
    + 'after it is in the journal; with 1, the default in the article\'s time, from memory. The journal is then written every '
    + '100 ms.',
    'Verified: after each run the server checks every document and its content.',
    'Article: Go 1.7 with mgo and MongoDB 3.2 in 2016, client and server on one machine each. It is shown only with '
    + '--write-concern 1, as it was measured. Of its five instance types, the table shows the largest one that has no more '
    + 'cores than this machine. Its best one, t2.2xlarge with 8 cores, stored 3727, 21828, 84428 and 58290 documents per '
    + 'second.',
  ],
  columns: [
    {
      heading: 'sessions/inserters', about: 'connections in the pool, inserters, and how they insert',
      value: ({ name }) => name,
    },
    { heading: 'docs', about: 'documents inserted', value: ({ measured }) => measured?.count },
    { heading: 'docs/s', about: 'documents per second', value: ({ measured }) => measured?.ratePerSec },
    { group: 'one insert', heading: 'p50', unit: 'ms', digits: 1, value: ({ measured }) => measured?.p50Ms,
      about: 'half of the inserts took at most this long' },
    { group: 'one insert', heading: 'p99', unit: 'ms', digits: 1, value: ({ measured }) => measured?.p99Ms,
      about: '99 of 100 took at most this long' },
    { group: 'verified', heading: 'missing', value: ({ measured }) => measured?.missing },
    { group: 'verified', heading: 'twice', value: ({ measured }) => measured?.twice },
    { group: 'verified', heading: 'wrong', about: 'with other content', value: ({ measured }) => measured?.wrong },
    { group: 'article', heading: 'docs/s', value: ({ published }) => published?.ratePerSec },
    { group: 'article', heading: 'on', about: 'the instance type', value: ({ published }) => published?.instance },
  ],
  charts: [{
    title: 'Documents stored and acknowledged per second',
    xLabel: 'Connections in the pool / inserters',
    yLabel: 'Inserted',
    unit: 'docs/s',
    kind: 'dot',
    category: ({ name }) => name,
    series: [
      { label: 'Here', role: 'measured', value: ({ measured }) => measured?.ratePerSec },
      { label: 'Article', role: 'published', value: ({ published }) => published?.ratePerSec },
    ],
  }],
  takeaway,
  findings,
};

/** As in the article: more inserters, more sessions, more inserters on many sessions. */
const COMPARED = [['1/100', '1/1'], ['100/100', '1/1'], ['100/10000', '100/100']];

/** @param {InsertsResult} result @returns {Finding[]} */
function findings(result) {
  const workloads = new Set(result.variants.map(({ settings }) => settings.workload));
  return [
    ...COMPARED.flatMap(([more, less]) => (
      compare(`${more} / ${less}, plain`, find(result, more, 'plain'), find(result, less, 'plain')))),
    ...[...workloads].flatMap((workload) => (
      compare(`${workload}: gathered / plain`, find(result, workload, 'gathered'), find(result, workload, 'plain')))),
  ];
}

/**
 * @param {string} claim
 * @param {InsertsVariant | undefined} more
 * @param {InsertsVariant | undefined} less
 * @returns {Finding[]} none if one of them was not measured
 */
function compare(claim, more, less) {
  if (!more?.measured || !less?.measured) return [];
  return [{
    claim,
    measured: ratioOf(more.measured.ratePerSec, less.measured.ratePerSec),
    published: ratioOf(more.published?.ratePerSec, less.published?.ratePerSec),
  }];
}

/** @param {InsertsResult} result */
function takeaway(result) {
  const [fastest] = result.variants.toSorted((a, b) => rateOf(b) - rateOf(a));
  const plain = find(result, fastest.settings.workload, 'plain');
  const ratio = ratioOf(fastest.measured?.ratePerSec, plain?.measured?.ratePerSec) ?? 1;
  return `${fastest.name} was the fastest, with ${formatNumber(rateOf(fastest))} documents per second`
    + `${ratio > 1 ? `, ${formatNumber(ratio, 1)} times as many as plain` : ''}.`;
}

/** @param {InsertsVariant} variant */
function rateOf({ measured }) {
  return measured?.ratePerSec ?? 0;
}

/** @param {InsertsResult} result @param {string} workload @param {string} way */
function find({ variants }, workload, way) {
  return variants.find(({ settings }) => settings.workload === workload && settings.way === way);
}
