import { shareColumns } from '../../report/columns.js';
import { formatNumber } from 'mongodb-pool-page/universal/quantity.js';
import { compareRates, rateOf, ratioOf } from '../../report/findings.js';
import { chooseInstance, PUBLISHED } from './inserts-published.js';

/** @import { LatencyFigures } from '../../harness/summarise-latencies.js' */
/** @import { Finding, LabView, Result, Variant } from '../../report/result-types.js' */
/** @import { Faults } from './verify-inserts.js' */

/**
 * @typedef {object} InsertsSettings
 * @property {string} workload `sessions/inserters`
 * @property {number} sessions connections in the pool
 * @property {number} inserters
 * @property {string} way plain or gathered
 * @property {number} [serverCores] how many the server may use, where that was limited
 *
 * @typedef {object} ClientFigures
 * @property {number} cpuPercent of one core, used by this process
 * @property {string} [instance] of the published figures
 * @property {number} [cores] of this instance
 *
 * @typedef {LatencyFigures & Faults & ClientFigures} InsertsFigures
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
    'The article says that one session uses one core, however many there are. It leaves open what more indexes and ' +
      'random data cost: --indexes 3, --data random. With --server-cores 1,2 the server has one core, then two.',
  ],
  columns: [
    {
      heading: 'sessions/inserters',
      about: 'connections in the pool, inserters, how they insert, and the cores of the server',
      value: ({ name }) => name,
    },
    { heading: 'docs', about: 'documents inserted', value: ({ measured }) => measured?.count },
    { heading: 'docs/s', about: 'documents per second', value: ({ measured }) => measured?.ratePerSec },
    ...share({ group: 'one insert', unit: 'ms', digits: 1 }, [
      { heading: 'p50', about: 'half of the inserts took at most this long', value: ({ measured }) => measured?.p50Ms },
      { heading: 'p99', about: '99 of 100 took at most this long', value: ({ measured }) => measured?.p99Ms },
    ]),
    { heading: 'CPU %', about: 'of one core, used by the client', value: ({ measured }) => measured?.cpuPercent },
    { group: 'verified', heading: 'missing', value: ({ measured }) => measured?.missing },
    { group: 'verified', heading: 'twice', value: ({ measured }) => measured?.twice },
    { group: 'verified', heading: 'wrong', about: 'with other content', value: ({ measured }) => measured?.wrong },
    { group: 'article', heading: 'docs/s', value: ({ published }) => published?.ratePerSec },
    { group: 'article', heading: 'on', about: 'the instance type', value: ({ published }) => published?.instance },
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
  findings,
};

/**
 * What the article compares, and why it is otherwise here.
 * @type {[more: string, less: string, explain: (more: InsertsVariant) => string][]}
 */
const COMPARED = [
  [
    '1/100',
    '1/1',
    () =>
      "mgo sends the next insert before the last one is answered; today's driver waits for the answer, so one " +
      'connection carries one insert at a time.',
  ],
  [
    '100/100',
    '1/1',
    ({ measured, published }) =>
      `There, client and server had ${nameCores(published?.cores ?? 0)} each, and Go can use all of them; here one ` +
      `Node.js process sends everything, and used ${formatNumber(measured?.cpuPercent ?? 0)} % of a core for it.`,
  ],
  [
    '100/100',
    '1/100',
    () =>
      `mgo keeps one connection full, so on 1 core a hundred only cost (${describeGain(1)}), and on 8 cores they ` +
      `help (${describeGain(8)}); today's driver needs a connection for each insert at a time.`,
  ],
  ['100/10000', '100/100', () => '100 connections carry 100 inserts at a time, and the other inserters wait.'],
];

/** What a hundred sessions gained over one in the article. @param {number} cores of the server */
function describeGain(cores) {
  const { ratesPerSec } = chooseInstance(cores);
  return formatNumber(ratesPerSec['100/100'] / ratesPerSec['1/100'], 2);
}

/** @param {InsertsResult} result @returns {Finding[]} */
function findings(result) {
  const limits = [...new Set(result.variants.map(({ settings }) => settings.serverCores))];
  const workloads = [...new Set(result.variants.map(({ settings }) => settings.workload))];
  return limits.flatMap((cores) => {
    const pick = (/** @type {string} */ workload, way = 'plain') => find(result, workload, way, cores);
    const end = describeCores(cores);
    return [
      ...COMPARED.flatMap(([more, less, explain]) =>
        compare(`${more} / ${less}, plain${end}`, pick(more), pick(less), explain),
      ),
      ...workloads.flatMap((workload) =>
        compare(`${workload}: gathered / plain${end}`, pick(workload, 'gathered'), pick(workload)),
      ),
    ];
  });
}

/**
 * @param {string} claim
 * @param {InsertsVariant | undefined} more
 * @param {InsertsVariant | undefined} less
 * @param {(more: InsertsVariant) => string} [explain]
 * @returns {Finding[]} none if one of them was not measured
 */
function compare(claim, more, less, explain) {
  if (!more?.measured || !less?.measured) return [];
  return [compareRates(claim, more, less, more.published && less.published ? explain?.(more) : undefined)];
}

/** @param {number} cores */
function nameCores(cores) {
  return cores === 1 ? '1 core' : `${cores} cores`;
}

/** @param {number} [cores] */
export function describeCores(cores) {
  return cores ? `, ${nameCores(cores)}` : '';
}

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
  const plain = find(result, workload, 'plain', serverCores);
  const ratio = ratioOf(fastest.measured?.ratePerSec, plain?.measured?.ratePerSec) ?? 1;
  return (
    `${fastest.name} was the fastest, with ${formatNumber(rateOf(fastest))} documents per second` +
    `${ratio > 1 ? `, ${formatNumber(ratio, 1)} times as many as plain` : ''}. The article asks who reaches ` +
    `${formatNumber(WANTED_PER_SEC)}: ${rateOf(fastest) >= WANTED_PER_SEC ? 'this did' : 'not this run'}.`
  );
}

/** @param {InsertsResult} result @param {string} workload @param {string} way @param {number} [cores] of the server */
function find({ variants }, workload, way, cores) {
  return variants.find(
    ({ settings }) => settings.workload === workload && settings.way === way && settings.serverCores === cores,
  );
}
