import { formatQuantity } from '../../universal/quantity.js';

/** @import { Finding, LabView, Result, Series, Variant } from '../../report/result-types.js' */

/** Pairs of cases that say something together: what the first has in place of the second. @type {[number, number, string][]} */
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

/** How a result of the replication lab is shown. @type {Omit<LabView, 'name'>} */
export const replicationView = {
  loadKind: 'backlog',
  title: 'More hands, or fuller boxes',
  question: 'A replicator reads what happened in one MongoDB and does the same in another. It hands the work to several '
    + 'workers, each with a connection of its own. Do more workers move more?',
  source: {
    title: 'MongoShake Performance Document',
    url: 'https://github.com/alibaba/MongoShake/wiki/MongoShake-Performance-Document',
  },
  howToRead: [
    'The oplog is the diary of a MongoDB, with an entry for each insert. A replicator reads it and gives each entry to '
    + 'one of its workers, who writes it to the other MongoDB.',
    'A worker writes all it has for a collection at once. The more workers share the entries, the less each write holds: '
    + 'that is how more hands can be slower. A line that falls to the right shows it.',
    'By id: a document always goes to the same worker. By collection: a collection does. Mock: nothing is written, only '
    + 'read and handed out.',
    'Published: another replicator, in 2018, on 64 processors. Compare ratios, not rates.',
  ],
  columns: [
    { heading: 'case', value: ({ name }) => name },
    { heading: 'tunnel', about: 'direct: written to the target; mock: thrown away', value: ({ settings }) => settings.tunnel },
    {
      heading: 'data', about: 'collections x fields of a document, and the shards that hold them',
      value: ({ settings: { collections, fields, shards } }) => (
        `${collections} x ${fields}${shards > 1 ? `, ${shards} shards` : ''}`),
    },
    { heading: 'workers', value: ({ settings }) => settings.workers },
    { heading: 'hash', about: 'what decides which worker gets an operation', value: ({ settings }) => settings.hash },
    { group: 'measured', heading: 'ops/s', about: 'operations a second', value: ({ measured }) => measured?.ratePerSec },
    {
      group: 'measured', heading: 'per write', about: 'operations that were merged into one write, on average', digits: 1,
      value: ({ measured }) => measured?.opsPerWrite,
    },
    {
      group: 'measured', heading: 'CPU %', about: 'of one processor, by the replicator alone',
      value: ({ measured }) => measured?.cpuPercent,
    },
    {
      group: 'measured', heading: 'RSS MB', about: 'most memory that the replicator had',
      value: ({ measured }) => measured?.peakRssMB,
    },
    { group: 'published', heading: 'ops/s', value: ({ published }) => published?.ratePerSec },
    { group: 'published', heading: 'CPU %', value: ({ published }) => published?.cpuPercent },
    { group: 'published', heading: 'RSS MB', value: ({ published }) => published?.peakRssMB },
    ...['p50', 'p95', 'max'].map((name) => ({
      group: 'on the target after', heading: name, unit: 'ms', digits: 1,
      value: (/** @type {Variant} */ { measured }) => measured?.latency?.[`${name}Ms`],
    })),
    {
      heading: 'idle CPU %', about: 'of one processor, while nothing is to be moved', digits: 1,
      value: ({ measured }) => measured?.idleCpuPercent,
    },
  ],
  charts: [{
    title: 'Do more workers move more?',
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
    yLabel: 'Operations moved',
    unit: 'ops/s',
    kind: 'bar',
    category: ({ name, settings }) => (settings.case ? `${name}: ${settings.tunnel}, ${settings.workers} workers` : name),
    series: [
      { label: 'Here', role: 'measured', value: ({ measured }) => measured?.ratePerSec },
      { label: 'Published', role: 'published', value: ({ published }) => published?.ratePerSec },
    ],
  }],
  takeaway,
  findings,
};

/**
 * @param {string} label
 * @param {number[]} cases
 * @returns {Series}
 */
function createSeries(label, cases) {
  return {
    label,
    role: 'measured',
    value: ({ settings, measured }) => (
      cases.includes(settings.case) && settings.tunnel === 'direct' ? measured?.ratePerSec : null),
  };
}

/** @param {Result} result */
function takeaway({ variants }) {
  const moved = variants.filter(({ measured }) => measured?.ratePerSec);
  const single = variants.find(({ measured }) => measured?.latency)?.measured?.latency;
  return [
    moved.length > 0 && (describeWorkers(moved) ?? `In ${moved[0].name}, ${describeRate(moved[0])} were moved.`),
    single && `A single insert was on the target ${formatQuantity(single.p95Ms, 'ms')} after the source had it, or `
      + `sooner, 95 times of 100, and at the latest after ${formatQuantity(single.maxMs, 'ms')}.`,
  ].filter(Boolean).join(' ');
}

/**
 * Where more workers did worst, among runs that differ in nothing else.
 * @param {Variant[]} variants
 */
function describeWorkers(variants) {
  const [worst] = variants.flatMap((few) => variants
    .filter((many) => isSameWork(few, many) && many.settings.workers > few.settings.workers)
    .map((many) => ({ few, many, ratio: many.measured?.ratePerSec / few.measured?.ratePerSec })))
    .sort((a, b) => a.ratio - b.ratio);
  if (!worst) return undefined;
  const { few, many, ratio } = worst;
  const sizes = [few, many].map(({ measured }) => Math.round(measured?.opsPerWrite));
  const why = ratio < 1 && sizes[1] < sizes[0]
    ? `: more workers lost, for each write held ${sizes[1]} operations instead of ${sizes[0]}` : '';
  const { collections, workers } = few.settings;
  return `With ${count(collections, 'collection')}, ${count(workers, 'worker')} moved ${describeRate(few)} and `
    + `${many.settings.workers} moved ${describeRate(many)}${why}.`;
}

/** @param {number} number @param {string} noun */
function count(number, noun) {
  return `${number} ${noun}${number === 1 ? '' : 's'}`;
}

/**
 * @param {Variant} one
 * @param {Variant} other
 */
function isSameWork(one, other) {
  return one.settings.tunnel === 'direct'
    && ['collections', 'fields', 'shards', 'tunnel', 'hash', 'merge']
      .every((name) => one.settings[name] === other.settings[name]);
}

/** @param {Variant} variant */
function describeRate({ measured }) {
  return `${formatQuantity(measured?.ratePerSec, '')} operations a second`;
}

/**
 * @param {Result} result
 * @returns {Finding[]}
 */
function findings({ variants }) {
  // What was published holds for the published workers alone.
  const asPublished = new Map(variants.filter(({ published }) => published)
    .map((variant) => [variant.settings.case, variant]));
  return COMPARISONS.flatMap(([number, base, about]) => {
    const [one, other] = [asPublished.get(number), asPublished.get(base)];
    return one && other ? {
      claim: `case ${number} / case ${base}: ${about}`,
      measured: one.measured?.ratePerSec / other.measured?.ratePerSec,
      published: one.published?.ratePerSec / other.published?.ratePerSec,
    } : [];
  });
}
