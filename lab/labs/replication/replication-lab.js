import { COUNT, COUNTS, createChoiceParser, parseInteger } from '../../harness/lab-options.js';
import { CASES, CEILING_BATCH, nameCeiling, OTHER_INSERTS, parseCases, PUBLISHED } from './cases.js';
import { measureCase, measureCeiling } from './measure-case.js';
import { measureSingleInserts } from './measure-single-inserts.js';
import { replicationView } from './replication-view.js';
import { openTestbed } from './testbed.js';
import { WORKER_OPTIONS } from './worker-options.js';

/** @import { MergeRule } from 'oplog-replicator' */
/** @import { Context, Lab, Measurement, Plan, PlannedVariant } from '../../harness/run-lab.js' */
/** @import { Case } from './cases.js' */
/** @import { ReplicationFigures, ReplicationSettings } from './replication-view.js' */
/** @import { Testbed } from './testbed.js' */

/** Estimates for the progress bar. */
const OVERHEAD_MS = 2500;
const MERGED_OPS_PER_MS = 100;
const UNMERGED_OPS_PER_MS = 2.5;
const SINGLE_INSERTS_MS = 8000;
const MIN_CEILING_MS = 500;

/**
 * @typedef {object} ReplicationOptions
 * @property {number[]} cases
 * @property {number} ops
 * @property {number} seconds
 * @property {number[]} [workers]
 * @property {'id' | 'collection'} [hash]
 * @property {'direct' | 'mock'} [mode]
 * @property {MergeRule} merge
 * @property {boolean} [latency]
 * @property {boolean} [ceiling]
 * @property {string} [target] connection string
 *
 * @typedef {Plan<ReplicationSettings, ReplicationFigures> & { settings: { ops: number, seconds: number },
 *   target?: string }} ReplicationPlan
 */

/** @type {Lab<ReplicationOptions, ReplicationSettings, ReplicationFigures, ReplicationPlan, Testbed>} */
export const replication = {
  name: 'replication',
  ...replicationView,
  summary: 'how fast an oplog is replicated, by number of workers and size of batches',
  mongo: { urlOption: 'source' },
  options: {
    cases: {
      value: 'list',
      parse: parseCases,
      about: 'which cases, e.g. 3, 1,3 or 1..11: ten published ones, and 11, which is case 3 with a target 20 ms away',
      default: CASES.map(({ number }) => number),
      published: PUBLISHED.cases.map((_, index) => index + 1),
    },
    ops: { ...COUNT, about: 'operations in the oplog; the published experiment had 120 million', default: 100_000 },
    seconds: {
      value: 's',
      about: 'how long each case is measured at least, after a warm-up, by replicating the operations again; 0: once',
      parse: (text) => (text === '0' ? 0 : parseInteger(text)),
      default: 10,
    },
    workers: { ...COUNTS, about: "workers, e.g. 1,8,64, instead of the case's" },
    hash: {
      value: 'what',
      about: `${WORKER_OPTIONS.hash.about}; instead of the case's`,
      parse: createChoiceParser(WORKER_OPTIONS.hash.choices),
    },
    mode: {
      value: 'name',
      about: "direct writes, mock discards every write, instead of the case's",
      parse: createChoiceParser(['direct', 'mock']),
    },
    merge: {
      value: 'rule',
      about: `${WORKER_OPTIONS.merge.about}. The published experiment had neighbours`,
      parse: createChoiceParser(WORKER_OPTIONS.merge.choices),
      default: 'all',
    },
    latency: {
      about: 'also measure how long single inserts take without a backlog',
      default: false,
      published: true,
    },
    ceiling: { about: 'also measure what the target takes without a replicator', default: false, published: true },
    source: {
      value: 'url',
      about: 'connection string of the source, in place of MONGO_URL; a replica set that gets the test data',
    },
    target: { value: 'url', about: 'connection string of the MongoDB to write to, in place of MONGO_TARGET_URL' },
  },
  plan,
  prepare,
  measure,
};

/** @param {ReplicationOptions} options @returns {Promise<ReplicationPlan>} */
async function plan({ target, ...settings }) {
  const { cases, ops, seconds, workers, hash, mode, merge, latency = false, ceiling = false } = settings;
  const changes = { ...(hash && { hash }), ...(mode && { mode }), merge };
  const variants = CASES.filter(({ number }) => cases.includes(number)).flatMap((preset) =>
    (workers ?? [preset.workers]).map((count) =>
      planCase(preset, { ...preset, ...changes, workers: count }, { ops, seconds }),
    ),
  );
  const [count = CASES[0].workers] = workers ?? [];
  /** @type {ReplicationSettings} */
  const single = { ...OTHER_INSERTS, mode: 'direct', workers: count, hash: hash ?? 'id', merge };
  const published = { latencyBelowMs: PUBLISHED.latencyBelowMs };
  return {
    settings: { cases, ops, seconds, workers, hash, mode, merge, latency, ceiling },
    target,
    variants: [
      ...variants,
      ...(ceiling ? planCeilings(seconds) : []),
      ...(latency ? [{ name: 'single inserts', settings: single, published, estimateMs: SINGLE_INSERTS_MS }] : []),
    ],
  };
}

/** @param {number} seconds @returns {ReplicationPlan['variants']} */
function planCeilings(seconds) {
  return PUBLISHED.ceilings.flatMap(({ threads, single, batched }) =>
    [1, CEILING_BATCH].map((ceilingBatch) => ({
      name: nameCeiling(threads, ceilingBatch),
      settings: { ...OTHER_INSERTS, mode: 'direct', workers: threads, hash: 'id', merge: 'none', ceilingBatch },
      published: { ratePerSec: ceilingBatch === 1 ? single : batched },
      estimateMs: chooseCeilingMs(seconds),
    })),
  );
}

/** A ceiling needs less time than a case, because it runs without pauses. @param {number} seconds of a case */
function chooseCeilingMs(seconds) {
  return Math.max(MIN_CEILING_MS, seconds * 200);
}

/**
 * @param {Case} preset
 * @param {Case & { merge: MergeRule }} changed
 * @param {{ ops: number, seconds: number }} extent
 * @returns {PlannedVariant<ReplicationSettings, ReplicationFigures>}
 */
function planCase(preset, changed, { ops, seconds }) {
  const { number, collections, fields, shards, rttMs, workers, hash, mode, merge } = changed;
  const changes = [
    workers !== preset.workers && (workers === 1 ? '1 worker' : `${workers} workers`),
    hash !== preset.hash && `by ${hash}`,
    mode !== preset.mode && mode,
  ].filter(Boolean);
  // Neighbours in the oplog belong to different collections, unless there is only one.
  const areBatches = merge === 'all' || mode === 'mock' || (merge === 'neighbours' && collections === 1);
  const onceMs = ops / (areBatches ? MERGED_OPS_PER_MS : UNMERGED_OPS_PER_MS);
  const enoughMs = seconds * 1000;
  return {
    name: [`case ${number}`, rttMs && `${rttMs} ms away`, ...changes, ...NAMES_OF_RULES[merge]]
      .filter(Boolean)
      .join(', '),
    settings: { case: number, collections, fields, shards, rttMs, mode, workers, hash, merge },
    published: changes.length > 0 ? null : preset.published,
    // The last replication ends later than it must, by half of it on average.
    estimateMs: OVERHEAD_MS + Math.max(onceMs, enoughMs + onceMs / 2),
  };
}

/** Words for the rule in the name of a case. @type {Record<MergeRule, string[]>} */
const NAMES_OF_RULES = { all: [], neighbours: ['neighbours'], none: ['not merged'] };

/** @param {ReplicationPlan} plan @param {Context} context */
async function prepare({ variants, target, settings: { ops } }, { mongoUrl, ...context }) {
  const all = variants.flatMap((variant) => (variant.settings.case ? variant.settings : []));
  const shards = Math.max(1, ...all.map((data) => data.shards));
  const testbed = await openTestbed({ source: mongoUrl, target, shards }, context);
  context.report(`Writing ${ops} operations to the source's oplog for each shape of the data …`);
  for (const data of all) {
    // The target of a sharded source is compared with an unsharded source.
    await testbed.fill({ ...data, shards: 1 }, ops);
    await testbed.fill(data, ops);
  }
  return { shared: testbed };
}

/**
 * @param {PlannedVariant<ReplicationSettings, ReplicationFigures>} variant
 * @param {ReplicationPlan} plan
 * @param {Context & { shared: Testbed }} context
 * @returns {Promise<Measurement<ReplicationFigures>>}
 */
async function measure({ settings }, plan, { shared: testbed, signal }) {
  if (settings.case) return measureCase(testbed, settings, { ...plan.settings, signal });
  if (settings.ceilingBatch) {
    const { workers, ceilingBatch } = settings;
    const forMs = chooseCeilingMs(plan.settings.seconds);
    return { measured: await measureCeiling(testbed, { workers, opsPerBatch: ceilingBatch, forMs }, signal) };
  }
  return { measured: await measureSingleInserts(testbed, settings, signal) };
}
