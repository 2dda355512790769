import { createChoiceParser, parseInteger, parseIntegers } from '../../harness/lab-options.js';
import { CASES, parseCases } from './cases.js';
import { measureCase } from './measure-case.js';
import { measureSingleInserts, SINGLE_INSERTS } from './measure-single-inserts.js';
import { describeMix, parseMix } from './mixed-operations.js';
import { replicationView } from './replication-view.js';
import { createReportFormatter } from './start-replicator.js';
import { openTestbed } from './testbed.js';

/** @import { Context, Lab, Measurement, Plan, PlannedVariant } from '../../harness/run-lab.js' */
/** @import { Case } from './cases.js' */
/** @import { Mix } from './mixed-operations.js' */
/** @import { Report } from './replicator.js' */
/** @import { ReplicationFigures, ReplicationSettings } from './replication-view.js' */
/** @import { Testbed } from './testbed.js' */

/** Estimates for the progress bar. */
const OVERHEAD_MS = 2500;
const MERGED_OPS_PER_MS = 100;
const MIXED_OPS_PER_MS = 30;
const UNMERGED_OPS_PER_MS = 2.5;
const SINGLE_INSERTS_MS = 14_000;

const SINGLE_INSERT_COUNT = 100;

/**
 * @typedef {object} ReplicationOptions
 * @property {number[]} cases
 * @property {number} ops
 * @property {Mix} [mix]
 * @property {number[]} [workers]
 * @property {'id' | 'collection'} [hash]
 * @property {'direct' | 'mock'} [mode]
 * @property {boolean} [merge]
 * @property {boolean} [latency]
 * @property {boolean} [stats]
 * @property {string} [target] connection string
 *
 * @typedef {Plan<ReplicationSettings, ReplicationFigures> & { settings: { ops: number }, stats?: boolean, target?: string }
 *   } ReplicationPlan
 */

/** @type {Lab<ReplicationOptions, ReplicationSettings, ReplicationFigures, ReplicationPlan, Testbed>} */
export const replication = {
  name: 'replication',
  ...replicationView,
  summary: 'how fast an oplog is replicated, by number of workers and size of batches',
  mongo: { urlOption: 'source' },
  options: {
    cases: {
      value: 'list', parse: parseCases,
      about: 'which cases, e.g. 3, 1,3 or 1..13: ten published ones of inserts, and a mix\nof operations, with one hot document, and at a distance',
      default: CASES.map(({ number }) => number),
    },
    ops: {
      value: 'n', about: 'operations in the oplog; the published experiment had 120 million', parse: parseInteger,
      default: 200_000,
    },
    mix: {
      value: 'shares', about: "percent of inserts, updates and deletes, e.g. 60/30/10, instead of the\ncase's", parse: parseMix,
    },
    workers: { value: 'list', about: "workers, e.g. 1,8,64, instead of the case's", parse: parseIntegers },
    hash: {
      value: 'what', about: "id or collection: how operations are assigned to workers, instead of the case's",
      parse: createChoiceParser(['id', 'collection']),
    },
    mode: {
      value: 'name', about: "direct writes, mock discards every write, instead of the case's",
      parse: createChoiceParser(['direct', 'mock']),
    },
    noMerge: { about: 'write each operation alone, without batches' },
    latency: { about: 'also measure how long single inserts take without a backlog' },
    stats: { about: 'print a line each second' },
    source: { value: 'url', about: 'connection string of the source, in place of MONGO_URL; a replica set that gets the test data' },
    target: { value: 'url', about: 'connection string of the MongoDB to write to, in place of\nMONGO_TARGET_URL' },
  },
  plan,
  prepare,
  measure,
};

/** @param {ReplicationOptions} options @returns {Promise<ReplicationPlan>} */
async function plan({ cases, ops, mix, workers, hash, mode, merge = true, latency = false, stats, target }) {
  const changes = { ...(mix && { mix }), ...(hash && { hash }), ...(mode && { mode }), merge };
  const variants = CASES.filter(({ number }) => cases.includes(number)).flatMap((preset) => (
    (workers ?? [preset.workers]).map((count) => planCase(preset, { ...preset, ...changes, workers: count }, ops))));
  /** @type {ReplicationSettings} */
  const single = {
    ...SINGLE_INSERTS, mode: 'direct', workers: workers?.[0] ?? CASES[0].workers, hash: hash ?? 'id', merge,
  };
  return {
    settings: { cases, ops, mix, workers, hash, mode, merge, latency },
    stats,
    target,
    variants: latency ? [...variants, { name: 'single inserts', settings: single, estimateMs: SINGLE_INSERTS_MS }] : variants,
  };
}

/**
 * @param {Case} preset
 * @param {Case & { merge: boolean }} changed
 * @param {number} ops
 * @returns {PlannedVariant<ReplicationSettings, ReplicationFigures>}
 */
function planCase(preset, changed, ops) {
  const { number, collections, fields, shards, mix, hot, rttMs, workers, hash, mode, merge } = changed;
  const own = [hot && 'one hot document', rttMs && `${rttMs} ms away`];
  const changes = [
    mix && mix !== preset.mix && describeMix(mix),
    workers !== preset.workers && (workers === 1 ? '1 worker' : `${workers} workers`),
    hash !== preset.hash && `by ${hash}`,
    mode !== preset.mode && mode,
    !merge && 'not merged',
  ].filter(Boolean);
  const mergedOpsPerMs = mix ? MIXED_OPS_PER_MS : MERGED_OPS_PER_MS;
  return {
    name: [`case ${number}`, ...own, ...changes].filter(Boolean).join(', '),
    settings: { case: number, collections, fields, shards, mix, hot, rttMs, mode, workers, hash, merge },
    published: changes.length > 0 ? null : preset.published,
    estimateMs: OVERHEAD_MS + ops / (merge || mode === 'mock' ? mergedOpsPerMs : UNMERGED_OPS_PER_MS),
  };
}

/** @param {ReplicationPlan} plan @param {Context} context */
async function prepare({ variants, target, settings: { ops } }, { mongoUrl, settings, report, signal }) {
  const all = variants.flatMap((variant) => (variant.settings.case ? variant.settings : []));
  const shards = Math.max(1, ...all.map((data) => data.shards));
  const testbed = await openTestbed({ source: mongoUrl, target, shards }, { settings, report, signal });
  try {
    report(`Writing ${ops} operations to the source's oplog for each shape of the data …`);
    for (const data of all) {
      // The target of a sharded source is compared with an unsharded source.
      await testbed.fill({ ...data, shards: 1 }, ops);
      await testbed.fill(data, ops);
    }
  } catch (error) {
    await testbed.close();
    throw error;
  }
  return { shared: testbed, undo: () => testbed.close() };
}

/**
 * @param {PlannedVariant<ReplicationSettings, ReplicationFigures>} variant
 * @param {ReplicationPlan} plan
 * @param {Context & { shared: Testbed }} context
 * @returns {Promise<Measurement<ReplicationFigures>>}
 */
async function measure({ name, settings }, plan, { shared: testbed, report, signal }) {
  const format = createReportFormatter(name);
  const onReport = plan.stats ? (/** @type {Report} */ each) => report(format(each)) : undefined;
  if (settings.case) return measureCase(testbed, settings, { ops: plan.settings.ops, onReport, signal });
  return { measured: await measureSingleInserts(testbed, settings, { inserts: SINGLE_INSERT_COUNT, onReport, signal }) };
}
