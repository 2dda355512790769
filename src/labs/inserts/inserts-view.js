import { formatNumber } from '../../universal/quantity.js';

/** @import { Finding, LabView, Result, Variant } from '../../report/result-types.js' */

/** How a result of the inserts lab is shown. @type {Omit<LabView, 'name'>} */
export const insertsView = {
  loadKind: 'closed',
  title: 'One document at a time',
  question: 'Many callers insert one small document each and wait until it is stored. '
    + 'How many documents a second does one MongoDB take, and what do more connections and more callers bring?',
  source: {
    title: '80,000 inserts a second into one MongoDB (in Chinese)',
    url: 'https://silicloud.com/zh/blog/mongodb%e5%9c%a8%e4%b8%80%e4%b8%aa%e5%ae%9e%e4%be%8b%e4%b8%ad%e8%be%be%e5%88%b0%e6%af%8f%e7%a7%928%e4%b8%87%e6%ac%a1%e7%9a%84%e6%8f%92%e5%85%a5%e9%80%9f%e5%ba%a6%e3%80%82',
  },
  howToRead: [
    '100/10000 means 100 connections in the pool and 10 000 inserters that share them. The further right a dot, the '
    + 'better. Each power of ten takes the same room on the axis.',
    'Plain: every document is an insert command of its own, as most apps do it.',
    'Gathered: documents that are inserted at the same moment travel in one command, and each inserter still hears of '
    + 'its own document alone. One connection is enough for that.',
    'A document is 1 KB. It counts once its inserter has the acknowledgement: with write concern majority, the default '
    + 'of today\'s replica sets, after it is in the journal; with 1, the default of the article\'s time, from memory, while '
    + 'the journal is written every 100 ms.',
    'Verified: after each run the server looks for every document, and at what is in it.',
    'Article: shown with --write-concern 1 alone, as it was measured: Go 1.7 with mgo and MongoDB 3.2 in 2016, client and '
    + 'server on a machine each. Of its five instance types '
    + 'the one is shown that has no more cores than the machine of this run. On its best, t2.2xlarge with 8 cores, it '
    + 'measured 3727, 21828, 84428 and 58290 documents per second.',
  ],
  columns: [
    {
      heading: 'sessions/inserters', about: 'connections in the pool, inserters at the same time, and how they insert',
      value: ({ name }) => name,
    },
    { heading: 'docs', about: 'documents that were inserted', value: ({ measured }) => measured?.count },
    { heading: 'docs/s', about: 'documents per second', value: ({ measured }) => measured?.ratePerSec },
    { group: 'one insert', heading: 'p50', unit: 'ms', digits: 1, value: ({ measured }) => measured?.p50Ms,
      about: 'half of the inserts took at most this long' },
    { group: 'one insert', heading: 'p99', unit: 'ms', digits: 1, value: ({ measured }) => measured?.p99Ms,
      about: '99 of 100 took at most this long' },
    { group: 'verified', heading: 'missing', value: ({ measured }) => measured?.missing },
    { group: 'verified', heading: 'twice', value: ({ measured }) => measured?.twice },
    { group: 'verified', heading: 'wrong', about: 'with another content', value: ({ measured }) => measured?.wrong },
    { group: 'article', heading: 'docs/s', value: ({ published }) => published?.ratePerSec },
    { group: 'article', heading: 'on', about: 'the instance type', value: ({ published }) => published?.instance },
  ],
  charts: [{
    title: 'Documents stored and acknowledged in a second',
    xLabel: 'Connections in the pool / inserters at the same time',
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

/** The article's own comparisons: more inserters, more sessions, more inserters on many sessions. */
const COMPARED = [['1/100', '1/1'], ['100/100', '1/1'], ['100/10000', '100/100']];

/**
 * @param {Result} result
 * @returns {Finding[]}
 */
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
 * @param {Variant | undefined} more
 * @param {Variant | undefined} less
 * @returns {Finding[]} none if one of them was not measured
 */
function compare(claim, more, less) {
  if (!more?.measured || !less?.measured) return [];
  return [{
    claim,
    measured: more.measured.ratePerSec / less.measured.ratePerSec,
    published: more.published && less.published ? more.published.ratePerSec / less.published.ratePerSec : null,
  }];
}

/** @param {Result} result */
function takeaway(result) {
  const [fastest] = result.variants.toSorted((a, b) => b.measured?.ratePerSec - a.measured?.ratePerSec);
  const rate = formatNumber(fastest.measured?.ratePerSec);
  const plain = find(result, fastest.settings.workload, 'plain');
  const ratio = fastest.measured?.ratePerSec / plain?.measured?.ratePerSec;
  return `${fastest.name} was the fastest, with ${rate} documents per second`
    + `${ratio > 1 ? `, ${formatNumber(ratio, 1)} times as many as plain` : ''}.`;
}

/**
 * @param {Result} result
 * @param {string} workload
 * @param {string} way
 */
function find({ variants }, workload, way) {
  return variants.find(({ settings }) => settings.workload === workload && settings.way === way);
}
