import { formatNumber } from 'mongodb-pool-page/universal/quantity.js';
import { addReason, compareRates, ratioOf } from '../../report/findings.js';
import { CEILING_BATCH, findOnTwoCores, nameCeiling, PUBLISHED } from './cases.js';

/** @import { Finding } from '../../report/result-types.js' */
/** @import { ReplicationResult, ReplicationVariant } from './replication-view.js' */

/** Sizes of batches, and rates, that differ by less than this factor are alike. */
const ALIKE = 1.25;
/** The replicator is one process, which runs on one core. */
const FULL_CORE_PERCENT = 90;

/**
 * @typedef {'reading' | 'merging' | 'workers' | 'batches' | 'both'} RatioCause what a ratio depends on, besides the
 *   sizes of batches; both: merging and workers
 */

/**
 * What to compare: a case, another case or a name, what differs, and what the ratio depends on.
 * @type {[one: number, other: number | string, about: string, cause: RatioCause][]}
 */
const COMPARISONS = [
  [2, 1, '1 field instead of 5', 'reading'],
  [3, 1, 'written instead of discarded', 'batches'],
  [4, 3, '64 workers instead of 8', 'workers'],
  [5, 3, '1 collection of 1 field instead of 5 of 5', 'merging'],
  [6, 3, '1 collection of 1 field, and 64 workers', 'both'],
  [6, 5, '64 workers instead of 8', 'batches'],
  [7, 3, '128 collections instead of 5', 'batches'],
  [8, 3, '128 collections, and 64 workers', 'workers'],
  [8, 4, '128 collections instead of 5, with 64 workers', 'batches'],
  [8, 7, '64 workers instead of 8', 'workers'],
  [9, 3, '128 collections, and a worker for each', 'both'],
  [10, 3, 'a source of two shards (published: of 8)', 'batches'],
  [3, nameCeiling(8, 1), 'hardly any merged there', 'batches'],
  [5, nameCeiling(8, CEILING_BATCH), 'many merged there', 'batches'],
];

/** @param {ReplicationResult} result @returns {Finding[]} */
export function listReplicationFindings({ variants, environment }) {
  // With another number of workers there is nothing to compare with.
  const asPublished = new Map(
    variants.filter(({ published }) => published).map((variant) => [variant.settings.case ?? variant.name, variant]),
  );
  const ratios = COMPARISONS.flatMap(([number, base, about, cause]) => {
    const [one, other] = [asPublished.get(number), asPublished.get(base)];
    if (!one || !other) return [];
    const finding = compareRates(`case ${number} / ${other.name}: ${about}`, one, other);
    const peer = ratioOf(findOnTwoCores(one), findOnTwoCores(other));
    const withPeer = peer === null ? finding : { ...finding, peer: { label: 'MongoShake on 2 cores', ratio: peer } };
    return addReason(withPeer, {
      less: () => explainLess(one, other, { cause, cores: Number(environment.cores) }),
      more: () => explainMore(one, other),
    });
  });
  return [...ratios, ...compareMemory(asPublished.get(10), asPublished.get(3))];
}

/**
 * Why the ratio is smaller here than there, by what was measured.
 * @param {ReplicationVariant} one
 * @param {ReplicationVariant} other
 * @param {{ cause: RatioCause, cores: number }} circumstances
 */
function explainLess(one, other, { cause, cores }) {
  const { merge } = one.settings;
  if (cause === 'reading') {
    const isSlower = Number(one.measured?.ratePerSec) < Number(other.measured?.ratePerSec) / ALIKE;
    return isSlower ? undefined : 'There smaller entries cost less to decode; here no field is decoded.';
  }
  if (other.settings.mode === 'mock') {
    const isCheap = Number(other.measured?.ratePerSec) > Number(other.published?.ratePerSec) * ALIKE;
    if (isCheap) return 'Here it costs less to discard an operation, because no field is decoded.';
    return fillsCore(one) ? "Here writing fills the replicator's one core; there the target was the limit." : undefined;
  }
  const { before, text, factor } = compareBatches(one, other);
  if (cause === 'merging' || cause === 'both') {
    if (merge === 'none') return 'Here each write has one operation; there neighbours merged.';
    if (before >= 2) {
      return (
        `Here case 3 already has batches of ${formatSize(before)} operations; there only neighbours of one ` +
        'collection merge, and it has hardly any.'
      );
    }
  }
  if (factor <= 1 / ALIKE) return text;
  return cause === 'workers' || cause === 'both' ? explainWorkers(one, other, cores) : undefined;
}

/** Why workers do not help. @param {ReplicationVariant} many @param {ReplicationVariant} few @param {number} cores */
function explainWorkers(many, few, cores) {
  const [from, to] = [few, many].map(({ published }) => published?.cpuPercent ?? 0);
  if (fillsCore(few)) {
    return (
      `Here ${few.settings.workers} workers already fill the replicator's one core; there its CPU rose from ` +
      `${formatNumber(from)} to ${formatNumber(to)} %.`
    );
  }
  const { workers } = many.settings;
  return cores < PUBLISHED.cores
    ? `Here ${cores} cores run the ${workers} workers; there ${PUBLISHED.cores} do.`
    : undefined;
}

/** @param {ReplicationVariant} variant */
function fillsCore({ measured }) {
  return Number(measured?.cpuPercent) >= FULL_CORE_PERCENT;
}

/** Why it is larger here. @param {ReplicationVariant} one @param {ReplicationVariant} other */
function explainMore(one, other) {
  const { after, text, factor } = compareBatches(one, other);
  if (one.settings.mode === 'mock') return undefined;
  if (other.settings.mode === 'mock') {
    return after >= 2 ? `Here a write has ${formatSize(after)} operations; there hardly any merged.` : undefined;
  }
  return factor >= ALIKE ? text : undefined;
}

/** @param {ReplicationVariant} one @param {ReplicationVariant} other */
function compareBatches(one, other) {
  const [before, after] = [other, one].map(({ measured }) => measured?.opsPerBatch ?? 0);
  const text = `Here batches have ${formatSize(after)} operations instead of ${formatSize(before)}.`;
  return { before, after, factor: after / before, text };
}

/** @param {number} operations of a batch */
function formatSize(operations) {
  return formatNumber(operations, operations < 10 ? 1 : 0);
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
  const finding = {
    claim: `${sharded.name} / ${single.name}: memory (here the peak, published the average)`,
    measured: ratioOf(peakRssMB, single.measured?.peakRssMB),
    published: ratioOf(published, singlePublished),
  };
  const less = () =>
    `There ${formatNumber((published ?? 0) / 1000, 1)} GB for 8 shards, which the document does not explain; ` +
    `here ${formatNumber(peakRssMB ?? 0)} MB for 2, because at most 32 MB of operations of each are in memory.`;
  return [addReason(finding, { less })];
}
