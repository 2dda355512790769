import { shareColumns } from '../../report/columns.js';
import { formatNumber, formatQuantity } from 'mongodb-pool-page/universal/quantity.js';
import { ratioOf } from '../../report/findings.js';
import { listReplicationFindings } from './replication-findings.js';
import { findOnTwoCores, ON_TWO_CORES, PUBLISHED } from './cases.js';

/** @import { LabView, Result, Series, Variant } from '../../report/result-types.js' */
/** @import { ReplicatorSettings, Shape } from './cases.js' */
/** @import { CaseFigures } from './measure-case.js' */
/** @import { SingleInsertFigures } from './measure-single-inserts.js' */

/**
 * @typedef {Shape & ReplicatorSettings & { case?: number, shards: number, rttMs?: number, ceilingBatch?: number }
 *   } ReplicationSettings without `case`: single inserts, or with `ceilingBatch` inserts without a replicator
 * @typedef {{ averageRssMB: number, latencyBelowMs: number }} ReplicationPublished
 * @typedef {Partial<CaseFigures & SingleInsertFigures & ReplicationPublished>} ReplicationFigures of a case, of a
 *   ceiling, or of single inserts
 * @typedef {Result<ReplicationSettings, ReplicationFigures>} ReplicationResult
 * @typedef {Variant<ReplicationSettings, ReplicationFigures>} ReplicationVariant
 */

const LATENCIES = /** @type {const} */ (['p50', 'p95', 'max']);

const MONGOSHAKE_HERE =
  `MongoShake ${ON_TWO_CORES.version} itself, built from source with Go, with this lab's data, on 2 cores that it ` +
  'shared with both servers';

/** @type {import('../../report/columns.js').ShareColumns<ReplicationVariant>} */
const share = shareColumns;

/** @type {Omit<LabView<ReplicationSettings, ReplicationFigures>, 'name'>} */
export const replicationView = {
  loadKind: 'backlog',
  title: 'Replication with more workers or larger batches',
  question:
    'A replicator reads the operations of one MongoDB and applies them to another. It distributes them to several ' +
    'workers, each with its own connection. Do more workers replicate more?',
  source: {
    title: 'MongoShake Performance Document',
    url: 'https://github.com/alibaba/MongoShake/wiki/MongoShake-Performance-Document',
    foundElsewhere: PUBLISHED.foundElsewhere,
  },
  howToRead: [
    'The oplog is the diary of a MongoDB: it has an entry for each insert, update and delete. The replicator reads ' +
      'it and gives each entry to one of its workers, which writes it to the other MongoDB.',
    'A worker writes everything it has for a collection as one batch. The more workers share the entries, the ' +
      'smaller the batches. So more workers can be slower: a line that falls to the right shows it.',
    'By id: all operations on a document go to the same worker. By collection: all operations on a collection do. ' +
      'Mock: operations are read and distributed, and nothing is written.',
    'Published: another replicator, MongoShake, on 64 cores. Compare ratios, not rates. It merges only neighbours ' +
      'of one kind on one collection; ours merges everything that a worker has of a collection. So the more ' +
      'workers and collections there share the operations here, the smaller batches become, and it takes many cores ' +
      'to make up for it. --merge neighbours merges as MongoShake does, and --merge none --ops 20000 not at all.',
    'Published figures are averages of 60 seconds. Here, the same operations are replicated again for at least ' +
      '--seconds, after a warm-up, because writing enough of them to the source would take longer than everything ' +
      'else.',
    'target 8 x 1000: what the target takes without a replicator, from 8 threads (here: connections of one ' +
      'process), with 1000 documents in an insert.',
  ],
  glossary: {
    '2 cores': `${MONGOSHAKE_HERE}. There more workers replicate less, too.`,
  },
  columns: [
    { heading: 'case', value: ({ name }) => name },
    {
      heading: 'mode',
      about: 'direct: written to the target; mock: discarded',
      value: ({ settings }) => settings.mode,
    },
    {
      heading: 'data',
      about: 'collections x fields of a document, and the number of shards',
      value: ({ settings: { collections, fields, shards } }) =>
        `${collections} x ${fields}${shards > 1 ? `, ${shards} shards` : ''}`,
    },
    { heading: 'workers', value: ({ settings }) => settings.workers },
    { heading: 'hash', about: 'how operations are assigned to workers', value: ({ settings }) => settings.hash },
    ...share({ group: 'ops/s here and of MongoShake' }, [
      { heading: 'here', about: 'operations per second', value: ({ measured }) => measured?.ratePerSec },
      { heading: '2 cores', about: MONGOSHAKE_HERE, value: findOnTwoCores },
      { heading: 'published', about: 'on 64 cores', value: ({ published }) => published?.ratePerSec },
    ]),
    {
      heading: 'per batch',
      about: 'mean number of operations in a batch',
      digits: 1,
      value: ({ measured }) => measured?.opsPerBatch,
    },
    ...share({ group: 'CPU %' }, [
      { heading: 'here', about: 'of one core, used by the replicator', value: ({ measured }) => measured?.cpuPercent },
      { heading: 'published', value: ({ published }) => published?.cpuPercent },
    ]),
    ...share({ group: 'memory MB' }, [
      {
        heading: 'peak here',
        about: "peak of the replicator's memory",
        value: ({ measured }) => measured?.peakRssMB,
      },
      { heading: 'published average', value: ({ published }) => published?.averageRssMB },
    ]),
    {
      heading: 'for s',
      about: 'how long it was measured',
      digits: 1,
      value: ({ measured }) => ratioOf(measured?.tookMs, 1000),
    },
    ...share({ group: 'on the target after', unit: 'ms', digits: 1 }, [
      ...LATENCIES.map((/** @type {'p50' | 'p95' | 'max'} */ name) => ({
        heading: name,
        value: (/** @type {ReplicationVariant} */ { measured }) => measured?.latency?.[`${name}Ms`],
      })),
      {
        heading: 'published',
        value: ({ published }) => published?.latencyBelowMs && `< ${published.latencyBelowMs}`,
      },
    ]),
  ],
  charts: [
    {
      title: 'Do more workers replicate more?',
      xLabel: 'Workers',
      yLabel: 'Operations written',
      unit: 'ops/s',
      kind: 'line',
      category: ({ settings }) => String(settings.workers),
      series: [
        createSeries('5 collections, by id', [3, 4]),
        createSeries('1 collection, by id', [5, 6]),
        createSeries('128 collections, by id', [7, 8]),
        createSeries('128 collections, by collection', [9]),
      ],
    },
    {
      title: 'Every case',
      xLabel: 'Case',
      yLabel: 'Operations replicated',
      unit: 'ops/s',
      kind: 'bar',
      // A changed number of workers is part of the name.
      category: ({ name, settings: { case: number, mode, workers } }) =>
        number && !name.includes('worker') ? `${name}: ${mode}, ${count(workers, 'worker')}` : name,
      series: [
        { label: 'Here', role: 'measured', value: ({ measured }) => measured?.ratePerSec },
        { label: 'Published', role: 'published', value: ({ published }) => published?.ratePerSec },
      ],
    },
  ],
  takeaway,
  findings: listReplicationFindings,
};

/** @param {string} label @param {number[]} cases @returns {Series<ReplicationSettings, ReplicationFigures>} */
function createSeries(label, cases) {
  return {
    label,
    role: 'measured',
    value: ({ settings, measured }) =>
      settings.case && cases.includes(settings.case) && settings.mode === 'direct' ? measured?.ratePerSec : null,
  };
}

/** @param {ReplicationResult} result */
function takeaway({ variants }) {
  const cases = variants.filter(({ settings, measured }) => settings.case && measured?.ratePerSec);
  const latency = variants.find(({ measured }) => measured?.latency)?.measured?.latency;
  return [
    cases.length > 0 && (describeWorkers(cases) ?? `In ${cases[0].name}, ${describeRate(cases[0])} were replicated.`),
    latency &&
      `95 of 100 single inserts were on the target within ${formatQuantity(latency.p95Ms, 'ms')}, all within ` +
        `${formatQuantity(latency.maxMs, 'ms')} (published: less than ${PUBLISHED.latencyBelowMs / 1000} s).`,
  ]
    .filter(Boolean)
    .join(' ');
}

/**
 * The two variants that differ only in workers where more workers did worst.
 * @param {ReplicationVariant[]} variants
 */
function describeWorkers(variants) {
  const [worst] = variants
    .flatMap((few) =>
      variants
        .filter((many) => differOnlyInWorkers(few, many) && many.settings.workers > few.settings.workers)
        .map((many) => ({ few, many, ratio: ratioOf(many.measured?.ratePerSec, few.measured?.ratePerSec) ?? 1 })),
    )
    .sort((a, b) => a.ratio - b.ratio);
  if (!worst) return undefined;
  const { few, many, ratio } = worst;
  const sizes = [few, many].map(({ measured }) => Math.round(measured?.opsPerBatch ?? 0));
  const why =
    ratio < 1 && sizes[1] < sizes[0]
      ? `. More workers were slower, because batches had ${formatNumber(sizes[1])} operations ` +
        `instead of ${formatNumber(sizes[0])}`
      : '';
  const { collections, workers } = few.settings;
  return (
    `With ${count(collections, 'collection')}, ${count(workers, 'worker')} replicated ${describeRate(few)}, and ` +
    `${many.settings.workers} replicated ${describeRate(many)}${why}.`
  );
}

/** @param {number} number @param {string} noun */
function count(number, noun) {
  return `${number} ${noun}${number === 1 ? '' : 's'}`;
}

/** @param {ReplicationVariant} one @param {ReplicationVariant} other */
function differOnlyInWorkers(one, other) {
  const [first, second] = [one, other].map(({ settings }) => JSON.stringify({ ...settings, case: 0, workers: 0 }));
  return one.settings.mode === 'direct' && first === second;
}

/** @param {ReplicationVariant} variant */
function describeRate({ measured }) {
  return `${formatQuantity(measured?.ratePerSec ?? 0, '')} operations per second`;
}
