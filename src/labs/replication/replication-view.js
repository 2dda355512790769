import { formatQuantity } from 'mongodb-pool-monitor/universal/quantity.js';
import { ratioOf } from '../../report/ratio.js';
import { describeMix } from './mixed-operations.js';

/** @import { Finding, LabView, Result, Series, Variant } from '../../report/result-types.js' */
/** @import { ReplicatorSettings, Shape } from './cases.js' */
/** @import { CaseFigures } from './measure-case.js' */
/** @import { SingleInsertFigures } from './measure-single-inserts.js' */

/**
 * @typedef {Shape & ReplicatorSettings & { case?: number, shards: number, rttMs?: number }} ReplicationSettings without
 *   `case`: single inserts
 * @typedef {Partial<CaseFigures & SingleInsertFigures>} ReplicationFigures those of a case, or of single inserts
 * @typedef {Result<ReplicationSettings, ReplicationFigures>} ReplicationResult
 * @typedef {Variant<ReplicationSettings, ReplicationFigures>} ReplicationVariant
 */

/** Cases to compare: the first, the second, what differs. @type {[number, number, string][]} */
const COMPARISONS = [
  [2, 1, '1 field instead of 5'],
  [4, 3, '64 workers instead of 8'],
  [5, 3, '1 collection of 1 field instead of 5 of 5'],
  [6, 3, '1 collection of 1 field, and 64 workers'],
  [6, 5, '64 workers instead of 8'],
  [7, 3, '128 collections instead of 5'],
  [8, 3, '128 collections, and 64 workers'],
  [8, 7, '64 workers instead of 8'],
  [9, 3, '128 collections, and a worker for each'],
  [10, 3, 'a source of two shards (published: of 8)'],
];

const LATENCIES = /** @type {const} */ (['p50', 'p95', 'max']);

/** @type {Omit<LabView<ReplicationSettings, ReplicationFigures>, 'name'>} */
export const replicationView = {
  loadKind: 'backlog',
  title: 'More hands, or fuller boxes',
  question: 'A replicator reads the operations of one MongoDB and applies them to another. It distributes them to several '
    + 'workers, each with its own connection. Do more workers replicate more?',
  source: {
    title: 'MongoShake Performance Document',
    url: 'https://github.com/alibaba/MongoShake/wiki/MongoShake-Performance-Document',
  },
  howToRead: [
    'The oplog is the diary of a MongoDB: it has an entry for each insert, update and delete. The replicator reads it and gives each entry to '
    + 'one of its workers, which writes it to the other MongoDB.',
    'A worker writes everything it has for a collection as one batch. The more workers share the entries, the smaller the '
    + 'batches. So more workers can be slower: a line that falls to the right shows it.',
    'A mix has inserts, updates and deletes in random order. Operations of different kinds on different documents may change '
    + 'places, so a batch has all kinds, and each kind becomes one command. Operations on the same document keep their order.',
    'By id: all operations on a document go to the same worker. By collection: all operations on a collection do. Mock: '
    + 'operations are read and distributed, and nothing is written.',
    'Published: another replicator, in 2018, on 64 processors. Compare ratios, not rates.',
  ],
  columns: [
    { heading: 'case', value: ({ name }) => name },
    {
      heading: 'mode', about: 'direct: written to the target; mock: discarded', value: ({ settings }) => settings.mode,
    },
    {
      heading: 'data', about: 'collections x fields of a document, and the number of shards; documents of a mix have 1 KB',
      value: ({ settings: { collections, fields, shards, mix } }) => (
        `${collections} x ${mix ? '1 KB' : fields}${shards > 1 ? `, ${shards} shards` : ''}`),
    },
    {
      heading: 'mix', about: 'percent of inserts, updates and deletes', value: ({ settings: { mix } }) => mix && describeMix(mix),
    },
    { heading: 'workers', value: ({ settings }) => settings.workers },
    { heading: 'hash', about: 'how operations are assigned to workers', value: ({ settings }) => settings.hash },
    { group: 'measured', heading: 'ops/s', about: 'operations per second', value: ({ measured }) => measured?.ratePerSec },
    {
      group: 'measured', heading: 'per batch', about: 'mean number of operations in a batch', digits: 1,
      value: ({ measured }) => measured?.opsPerBatch,
    },
    {
      group: 'measured', heading: 'CPU %', about: 'of one processor, used by the replicator',
      value: ({ measured }) => measured?.cpuPercent,
    },
    {
      group: 'measured', heading: 'RSS MB', about: "peak of the replicator's memory",
      value: ({ measured }) => measured?.peakRssMB,
    },
    { group: 'published', heading: 'ops/s', value: ({ published }) => published?.ratePerSec },
    { group: 'published', heading: 'CPU %', value: ({ published }) => published?.cpuPercent },
    { group: 'published', heading: 'RSS MB', value: ({ published }) => published?.peakRssMB },
    ...LATENCIES.map((name) => ({
      group: 'on the target after', heading: name, unit: 'ms', digits: 1,
      value: (/** @type {ReplicationVariant} */ { measured }) => measured?.latency?.[`${name}Ms`],
    })),
    {
      heading: 'idle CPU %', about: 'of one processor, while there is nothing to replicate', digits: 1,
      value: ({ measured }) => measured?.idleCpuPercent,
    },
  ],
  charts: [{
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
  }, {
    title: 'Every case',
    xLabel: 'Case',
    yLabel: 'Operations replicated',
    unit: 'ops/s',
    kind: 'bar',
    category: ({ name, settings }) => (settings.case ? `${name}: ${settings.mode}, ${settings.workers} workers` : name),
    series: [
      { label: 'Here', role: 'measured', value: ({ measured }) => measured?.ratePerSec },
      { label: 'Published', role: 'published', value: ({ published }) => published?.ratePerSec },
    ],
  }],
  takeaway,
  findings,
};

/** @param {string} label @param {number[]} cases @returns {Series<ReplicationSettings, ReplicationFigures>} */
function createSeries(label, cases) {
  return {
    label,
    role: 'measured',
    value: ({ settings, measured }) => (
      settings.case && cases.includes(settings.case) && settings.mode === 'direct' ? measured?.ratePerSec : null),
  };
}

/** @param {ReplicationResult} result */
function takeaway({ variants }) {
  const cases = variants.filter(({ measured }) => measured?.ratePerSec);
  const merging = describeMerging(cases);
  const latency = variants.find(({ measured }) => measured?.latency)?.measured?.latency;
  return [
    cases.length > 0 && (describeWorkers(cases)
      ?? (merging === '' && `In ${cases[0].name}, ${describeRate(cases[0])} were replicated.`)),
    merging,
    latency && `95 of 100 single inserts were on the target within ${formatQuantity(latency.p95Ms, 'ms')}, all within `
      + `${formatQuantity(latency.maxMs, 'ms')}.`,
  ].filter(Boolean).join(' ');
}

/**
 * Where merging ends.
 * @param {ReplicationVariant[]} variants
 */
function describeMerging(variants) {
  const mixed = variants.filter(({ settings }) => settings.mix && settings.merge && settings.mode === 'direct');
  const [plain, hot, far] = [
    mixed.find(({ settings }) => !settings.hot && !settings.rttMs), mixed.find(({ settings }) => settings.hot),
    mixed.find(({ settings }) => settings.rttMs),
  ];
  return [
    plain?.settings.mix && `Merging does not end where the kind of operation changes: with ${describeMix(plain.settings.mix)}, a batch `
      + `had ${formatQuantity(plain.measured?.opsPerBatch ?? 0, '')} operations, and ${describeRate(plain)} were replicated.`,
    hot && 'It ends at one hot document: its updates keep their order, and one worker writes all of them. '
      + `With one, ${describeRate(hot)} were replicated.`,
    far && `At ${formatQuantity(far.settings.rttMs ?? 0, 'ms')} a round trip, a batch had `
      + `${formatQuantity(far.measured?.opsPerBatch ?? 0, '')} operations, and ${describeRate(far)} were replicated.`,
  ].filter(Boolean).join(' ');
}

/**
 * The two variants that differ only in workers where more workers did worst.
 * @param {ReplicationVariant[]} variants
 */
function describeWorkers(variants) {
  const [worst] = variants.flatMap((few) => variants
    .filter((many) => differOnlyInWorkers(few, many) && many.settings.workers > few.settings.workers)
    .map((many) => ({ few, many, ratio: ratioOf(many.measured?.ratePerSec, few.measured?.ratePerSec) ?? 1 })))
    .sort((a, b) => a.ratio - b.ratio);
  if (!worst) return undefined;
  const { few, many, ratio } = worst;
  const sizes = [few, many].map(({ measured }) => Math.round(measured?.opsPerBatch ?? 0));
  const why = ratio < 1 && sizes[1] < sizes[0]
    ? `. More workers were slower, because batches had ${sizes[1]} operations instead of ${sizes[0]}` : '';
  const { collections, workers } = few.settings;
  return `With ${count(collections, 'collection')}, ${count(workers, 'worker')} replicated ${describeRate(few)}, and `
    + `${many.settings.workers} replicated ${describeRate(many)}${why}.`;
}

/** @param {number} number @param {string} noun */
function count(number, noun) {
  return `${number} ${noun}${number === 1 ? '' : 's'}`;
}

/** @param {ReplicationVariant} one @param {ReplicationVariant} other */
function differOnlyInWorkers(one, other) {
  const settings = /** @type {const} */ (['collections', 'fields', 'shards', 'mode', 'hash', 'merge', 'mix', 'hot', 'rttMs']);
  return one.settings.mode === 'direct'
    && settings.every((name) => JSON.stringify(one.settings[name]) === JSON.stringify(other.settings[name]));
}

/** @param {ReplicationVariant} variant */
function describeRate({ measured }) {
  return `${formatQuantity(measured?.ratePerSec ?? 0, '')} operations per second`;
}

/** @param {ReplicationResult} result @returns {Finding[]} */
function findings({ variants }) {
  // With another number of workers there is nothing to compare with.
  const asPublished = new Map(variants.filter(({ published }) => published)
    .map((variant) => [variant.settings.case, variant]));
  return COMPARISONS.flatMap(([number, base, about]) => {
    const [one, other] = [asPublished.get(number), asPublished.get(base)];
    return one && other ? {
      claim: `case ${number} / case ${base}: ${about}`,
      measured: ratioOf(one.measured?.ratePerSec, other.measured?.ratePerSec),
      published: ratioOf(one.published?.ratePerSec, other.published?.ratePerSec),
    } : [];
  });
}
