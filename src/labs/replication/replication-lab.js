import { createChoiceParser, parseInteger, parseIntegers } from '../../harness/lab-options.js';
import { replicationView } from './replication-view.js';
import { CASES, parseCases } from './cases.js';
import { measureCase } from './measure-case.js';
import { DRAINED, measureDrained } from './measure-drained.js';
import { openStage } from './stage.js';
import { createStatsLine } from './stats-line.js';

/** @import { Context, Lab, Measurement, Plan, PlannedVariant } from '../../harness/run-lab.js' */
/** @import { Case } from './cases.js' */
/** @import { Data, Stage } from './stage.js' */

/** Start of a process, comparison and the like, in ms: an estimate for the progress bar. */
const OVERHEAD_MS = 2500;
const ESTIMATED_RATE_PER_MS = 100;
/** The same where each write holds one operation. */
const UNMERGED_RATE_PER_MS = 2.5;
const LATENCY_INSERTS = 100;
const LATENCY_MS = 14_000;

/**
 * @typedef {object} ReplicationOptions
 * @property {number[]} cases
 * @property {number} ops
 * @property {number[]} [workers]
 * @property {'id' | 'collection'} [hash]
 * @property {'direct' | 'mock'} [tunnel]
 * @property {boolean} [merge]
 * @property {boolean} [latency]
 * @property {boolean} [stats]
 * @property {string} [target] connection string
 *
 * @typedef {Plan & { settings: { ops: number }, stats?: boolean, target?: string }} ReplicationPlan
 */

/**
 * A replicator moves an oplog from one MongoDB to another: the ten cases of a published experiment.
 * @type {Lab<ReplicationOptions, any, any, ReplicationPlan, Stage>}
 */
export const replication = {
  name: 'replication',
  ...replicationView,
  summary: 'past a point more workers lose, and merging wins: a replicator moves an oplog',
  mongo: { urlOption: 'source' },
  options: {
    cases: {
      value: 'list', about: 'which of the ten published cases, e.g. 3, 1,3 or 1..10', parse: parseCases,
      default: CASES.map(({ number }) => number),
    },
    ops: {
      value: 'n', about: 'operations in the oplog; the published experiment had 120 million', parse: parseInteger,
      default: 200_000,
    },
    workers: { value: 'list', about: "workers, e.g. 1,8,64, in place of the case's own", parse: parseIntegers },
    hash: {
      value: 'what', about: "id or collection: what decides who gets an operation, in place of the case's own",
      parse: createChoiceParser(['id', 'collection']),
    },
    tunnel: {
      value: 'name', about: "direct writes, mock throws away, in place of the case's own",
      parse: createChoiceParser(['direct', 'mock']),
    },
    noMerge: { about: 'write every operation by itself' },
    latency: { about: 'also measure how late single inserts are when no backlog is left' },
    stats: { about: 'print a line each second' },
    source: { value: 'url', about: 'connection string of the replica set to read, in place of MONGO_URL' },
    target: { value: 'url', about: 'connection string of the MongoDB to write to, in place of\nMONGO_TARGET_URL' },
  },
  plan,
  prepare,
  measure,
};

/**
 * @param {ReplicationOptions} options
 * @returns {Promise<ReplicationPlan>}
 */
async function plan({ cases, ops, workers, hash, tunnel, merge = true, latency = false, stats, target }) {
  const changes = { ...(hash && { hash }), ...(tunnel && { tunnel }), merge };
  const variants = CASES.filter(({ number }) => cases.includes(number)).flatMap((preset) => (
    (workers ?? [preset.workers]).map((count) => planCase(preset, { ...preset, ...changes, workers: count }, ops))));
  const single = { ...DRAINED, tunnel: 'direct', workers: workers?.[0] ?? CASES[0].workers, hash: hash ?? 'id', merge };
  return {
    settings: { cases, ops, workers, hash, tunnel, merge, latency },
    stats,
    target,
    variants: latency ? [...variants, { name: 'single inserts', settings: single, estimateMs: LATENCY_MS }] : variants,
  };
}

/**
 * @param {Case} preset
 * @param {Case & { merge: boolean }} way
 * @param {number} ops
 * @returns {PlannedVariant}
 */
function planCase(preset, { number, collections, fields, shards, tunnel, workers, hash, merge }, ops) {
  const changes = [
    workers !== preset.workers && (workers === 1 ? '1 worker' : `${workers} workers`),
    hash !== preset.hash && `by ${hash}`,
    tunnel !== preset.tunnel && tunnel,
    !merge && 'not merged',
  ].filter(Boolean);
  return {
    name: [`case ${number}`, ...changes].join(', '),
    settings: { case: number, collections, fields, shards, tunnel, workers, hash, merge },
    published: changes.length > 0 ? null : preset.published,
    estimateMs: OVERHEAD_MS + ops / (merge || tunnel === 'mock' ? ESTIMATED_RATE_PER_MS : UNMERGED_RATE_PER_MS),
  };
}

/**
 * Have the oplog hold what the cases move, once for each shape of the data.
 * @param {ReplicationPlan} planned
 * @param {Context} context
 */
async function prepare(planned, { mongoUrl, settings, report, signal }) {
  const { variants, target, settings: { ops } } = planned;
  const all = variants.filter((variant) => variant.settings.case)
    .map((variant) => /** @type {Data} */ (variant.settings));
  const shards = Math.max(1, ...all.map((each) => each.shards));
  const stage = await openStage({ source: mongoUrl, target, shards }, { settings, report, signal });
  try {
    report(`Writing ${ops} inserts to the source's oplog for each shape of the data …`);
    for (const data of all) {
      // What is spread over shards is compared with a source that has all of it.
      await stage.fill({ ...data, shards: 1 }, ops);
      await stage.fill(data, ops);
    }
  } catch (error) {
    await stage.close();
    throw error;
  }
  return { shared: stage, undo: stage.close };
}

/**
 * @param {PlannedVariant} variant
 * @param {ReplicationPlan} planned
 * @param {Context & { shared: Stage }} context
 * @returns {Promise<Measurement>}
 */
async function measure({ name, settings }, planned, { shared: stage, report, signal }) {
  const { stats, settings: { ops } } = planned;
  const describe = createStatsLine(name);
  const onReport = stats ? (/** @type {any} */ each) => report(describe(each)) : undefined;
  const way = /** @type {any} */ (settings);
  if (settings.case) return measureCase(stage, way, { ops, onReport, signal });
  return { measured: await measureDrained(stage, way, { inserts: LATENCY_INSERTS, onReport, signal }) };
}
