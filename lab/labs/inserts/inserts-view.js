import { shareColumns } from '../../report/columns.js';
import { formatNumber } from 'mongodb-pool-page/universal/quantity.js';
import { rateOf, ratioOf } from '../../report/findings.js';
import { diskShareOf, findCase, findInsertsFindings, nameCores } from './inserts-findings.js';
import { chooseInstance, PUBLISHED } from './inserts-published.js';

/** @import { LatencyFigures } from '../../harness/summarise-latencies.js' */
/** @import { LabView, Result, Variant } from '../../report/result-types.js' */
/** @import { Faults } from './verify-inserts.js' */
/** @import { Sizes } from './read-sizes.js' */

/**
 * @typedef {object} InsertsSettings
 * @property {string} workload `sessions/inserters`
 * @property {number} sessions connections in the pool
 * @property {number} inserters
 * @property {string} way plain or gathered
 * @property {number} indexes more than that of `_id`
 * @property {number} [serverCores] how many the server may use, where that was limited
 *
 * @typedef {object} ClientFigures
 * @property {number} cpuPercent of one core, used by this process
 * @property {string} [instance] of the published figures
 * @property {number} [cores] of this instance
 *
 * @typedef {LatencyFigures & Faults & Sizes & ClientFigures} InsertsFigures
 * @typedef {Result<InsertsSettings, InsertsFigures>} InsertsResult
 * @typedef {Variant<InsertsSettings, InsertsFigures>} InsertsVariant
 */

/** The article asks for reports of more, under conditions like its own. */
const WANTED_PER_SEC = 100_000;

/** @type {import('../../report/columns.js').ShareColumns<InsertsVariant>} */
const share = shareColumns;

/** @type {Omit<LabView<InsertsSettings, InsertsFigures>, 'name'>} */
export const insertsView = {
  loadKind: 'closed',
  title: 'How many inserts one MongoDB can take',
  question:
    'Many callers insert one small document each and wait until it is stored. How many documents per second can one ' +
    'MongoDB store, and do more connections and more callers help?',
  source: {
    title: '80,000 inserts a second into one MongoDB (in Chinese)',
    url: 'https://silicloud.com/zh/blog/mongodb%e5%9c%a8%e4%b8%80%e4%b8%aa%e5%ae%9e%e4%be%8b%e4%b8%ad%e8%be%be%e5%88%b0%e6%af%8f%e7%a7%928%e4%b8%87%e6%ac%a1%e7%9a%84%e6%8f%92%e5%85%a5%e9%80%9f%e5%ba%a6%e3%80%82',
    foundElsewhere: PUBLISHED.foundElsewhere,
  },
  howToRead: [
    '100/10000: 100 connections in the pool, shared by 10,000 inserters. Dots further right are better. The axis is ' +
      'logarithmic.',
    'Plain: each document is one insert command, as in most apps.',
    'Gathered: documents that are inserted at the same moment travel in one command, and each inserter still gets ' +
      'the outcome of its own document. One connection is enough for that.',
    "A document is 1 KB. It counts once it is acknowledged: with write concern majority, today's default for " +
      "replica sets, after it is in the journal; with 1, the default in the article's time, from memory. The " +
      'journal is then written every 100 ms.',
    'Verified: after each run the server checks every document and its content.',
    'Article: Go 1.7 with mgo and MongoDB 3.2, client and server on one machine each. It is shown only with ' +
      '--write-concern 1, as it was measured. Of its five instance types, the table shows the largest one that has ' +
      'no more cores than the server here.',
    'The article says that one session uses one core, however many there are, that more indexes cost a few percent, ' +
      'and that compression by snappy saved about 30 % on disk. It leaves open what random data cost. See ' +
      '--server-cores 1,2 (the server has one core, then two), --indexes 3, and --data random.',
  ],
  columns: [
    {
      heading: 'sessions/inserters',
      about: 'connections in the pool, inserters, how they insert, and the cores of the server',
      value: ({ name }) => name,
    },
    { heading: 'docs', about: 'documents inserted', value: ({ measured }) => measured?.count },
    ...share({ group: 'docs/s' }, [
      { heading: 'here', about: 'documents per second', value: ({ measured }) => measured?.ratePerSec },
      { heading: 'article', value: ({ published }) => published?.ratePerSec },
    ]),
    {
      heading: 'article on',
      about: 'the instance type',
      detail: true,
      value: ({ published }) => published?.instance,
    },
    ...share({ group: 'one insert', unit: 'ms', digits: 1 }, [
      { heading: 'p50', about: 'half of the inserts took at most this long', value: ({ measured }) => measured?.p50Ms },
      { heading: 'p99', about: '99 of 100 took at most this long', value: ({ measured }) => measured?.p99Ms },
    ]),
    { heading: 'CPU %', about: 'of one core, used by the client', value: ({ measured }) => measured?.cpuPercent },
    ...share({ group: 'on disk' }, [
      {
        heading: 'MB',
        digits: 1,
        about: 'all documents, compressed, without indexes',
        value: ({ measured }) => measured?.diskMB,
      },
      {
        heading: '%',
        about: 'of the size of the documents',
        value: ({ measured }) => (diskShareOf(measured) ?? NaN) * 100,
      },
    ]),
    { group: 'verified', heading: 'missing', value: ({ measured }) => measured?.missing },
    { group: 'verified', heading: 'twice', value: ({ measured }) => measured?.twice },
    { group: 'verified', heading: 'wrong', about: 'with other content', value: ({ measured }) => measured?.wrong },
  ],
  charts: [
    {
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
    },
    {
      title: 'All rates of the article',
      xLabel: 'Cores of the server, and as many of the client',
      yLabel: 'Inserted',
      unit: 'docs/s',
      kind: 'line',
      log: true,
      category: ({ settings }) => settings.workload,
      series: [],
      timeSeries: listPublishedRates,
    },
  ],
  takeaway,
  findings: findInsertsFindings,
};

/**
 * The published rates of a case, by cores, with the first variant of the case.
 * @param {InsertsVariant} variant
 * @param {InsertsResult} result
 */
function listPublishedRates(variant, { variants, environment }) {
  const { workload } = variant.settings;
  if (variants.find(({ settings }) => settings.workload === workload) !== variant) return null;
  const here = chooseInstance(Number(environment.cores));
  return Object.fromEntries(
    PUBLISHED.instances.flatMap((each) => {
      const mark = each.cores === environment.cores ? ', as here' : ', nearest to here';
      const rate = each.ratesPerSec[workload];
      return rate ? [[`${nameCores(each.cores)}${each === here ? mark : ''}`, rate]] : [];
    }),
  );
}

/** @param {InsertsResult} result */
function takeaway(result) {
  const [fastest] = result.variants.toSorted((a, b) => rateOf(b) - rateOf(a));
  const { workload, serverCores } = fastest.settings;
  const plain = findCase(result, { workload, way: 'plain', cores: serverCores });
  const ratio = ratioOf(fastest.measured?.ratePerSec, plain?.measured?.ratePerSec) ?? 1;
  return (
    `${fastest.name} was the fastest, with ${formatNumber(rateOf(fastest))} documents per second` +
    `${ratio > 1 ? `, ${formatNumber(ratio, 1)} times as many as plain` : ''}. The article asks who reaches ` +
    `${formatNumber(WANTED_PER_SEC)}: ${rateOf(fastest) >= WANTED_PER_SEC ? 'this did' : 'not this run'}.`
  );
}
