import { formatNumber } from 'mongodb-pool-page/universal/quantity.js';
import { compareRates, ratioOf } from '../../report/findings.js';
import { CEILING_BATCH, nameCeiling } from './cases.js';

/** @import { Finding } from '../../report/result-types.js' */
/** @import { ReplicationResult, ReplicationVariant } from './replication-view.js' */

/** Batches whose sizes differ by less than this factor are alike. */
const ALIKE = 1.25;

const NEIGHBOURS = 'only neighbours in the oplog that belong to the same collection merge';
const MORE_WORKERS = 'batches were small anyway, and 64 cores ran 64 workers';

/**
 * What to compare: a case, another case or a name, what differs, and how it was in the published experiment.
 * @type {[one: number, other: number | string, about: string, there: string][]}
 */
const COMPARISONS = [
  [2, 1, '1 field instead of 5', 'they cost less to decode'],
  [3, 1, 'written instead of discarded', `${NEIGHBOURS}, so hardly any did, and the target was the limit`],
  [4, 3, '64 workers instead of 8', MORE_WORKERS],
  [5, 3, '1 collection of 1 field instead of 5 of 5', `${NEIGHBOURS}: many in case 5, hardly any in case 3`],
  [6, 3, '1 collection of 1 field, and 64 workers', `${NEIGHBOURS}: many in case 6, hardly any in case 3`],
  [6, 5, '64 workers instead of 8', 'the target was the limit with 8 workers already'],
  [7, 3, '128 collections instead of 5', 'batches were small anyway, and writers of 128 collections conflict less'],
  [8, 3, '128 collections, and 64 workers', MORE_WORKERS],
  [8, 7, '64 workers instead of 8', MORE_WORKERS],
  [9, 3, '128 collections, and a worker for each', 'a worker had operations of one collection, which merge'],
  [10, 3, 'a source of two shards (published: of 8)', 'the target was the limit, too'],
  [3, nameCeiling(8, 1), 'hardly any merged there', 'what the target takes one by one was the limit'],
  [5, nameCeiling(8, CEILING_BATCH), 'many merged there', 'what it takes in batches was the limit'],
];

/** @param {ReplicationResult} result @returns {Finding[]} */
export function listReplicationFindings({ variants, environment }) {
  // With another number of workers there is nothing to compare with.
  const asPublished = new Map(
    variants.filter(({ published }) => published).map((variant) => [variant.settings.case ?? variant.name, variant]),
  );
  const ratios = COMPARISONS.flatMap(([number, base, about, there]) => {
    const [one, other] = [asPublished.get(number), asPublished.get(base)];
    if (!one || !other) return [];
    const here = `Here ${describeBatches(one, other)} on ${environment.cores} cores; there ${there}.`;
    const hint =
      there === MORE_WORKERS && one.settings.merge !== 'none'
        ? ' To leave out the batches: --merge none --ops 20000.'
        : '';
    return compareRates(`${one.name} / ${other.name}: ${about}`, one, other, here + hint);
  });
  return [...ratios, ...compareMemory(asPublished.get(10), asPublished.get(3))];
}

/** What they were here. @param {ReplicationVariant} one @param {ReplicationVariant} other */
function describeBatches(one, other) {
  const [before, after] = [other, one].map(({ measured }) => measured?.opsPerBatch ?? 0);
  const [from, to] = [before, after].map((size) => formatNumber(size, size < 10 ? 1 : 0));
  if (one.settings.mode === 'mock') return 'nothing is written, and smaller entries are less to read,';
  if (one.settings.merge === 'none') return 'each write has one operation,';
  const sorts = one.settings.collections === other.settings.collections ? '' : 'are of one collection and ';
  if (other.settings.mode === 'mock' || !other.settings.case) return `batches have ${to} operations`;
  if (Math.max(before / after, after / before) < ALIKE)
    return `batches ${sorts}stayed alike (${from} and ${to} operations)`;
  return `batches ${sorts}${after < before ? 'shrank' : 'grew'} from ${from} to ${to} operations`;
}

/**
 * @param {ReplicationVariant} [sharded]
 * @param {ReplicationVariant} [single]
 * @returns {Finding[]}
 */
function compareMemory(sharded, single) {
  if (!sharded || !single) return [];
  const [published, singlePublished] = [sharded, single].map((each) => each.published?.averageRssMB);
  const peakRssMB = sharded.measured?.peakRssMB;
  return [
    {
      claim: `${sharded.name} / ${single.name}: memory (published: average, here: peak)`,
      measured: ratioOf(peakRssMB, single.measured?.peakRssMB),
      published: ratioOf(published, singlePublished),
      reason:
        `There ${formatNumber((published ?? 0) / 1000, 1)} GB for 8 shards, which the document does not explain; ` +
        `here ${formatNumber(peakRssMB ?? 0)} MB for 2, because at most 32 MB of operations of each are in memory.`,
    },
  ];
}
