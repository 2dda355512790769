// How close does the replicator come to its target's maximum? Each round replicates a mix of operations and inserts alone,
// each beside its ceiling: the time in which the same target takes the same operations from a plain driver, which needs no
// order, so that each batch has one kind. The documents have 1 KB and random _ids, everything is written with w: 1, and the
// source is idle. The filling driver and the replicator each have their own process.
//
//   node benchmarks/replication.js [--mix 60/30/10] [--ops 400000] [--rounds 3] [--latency]
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { Command } from 'commander';
import { MongoClient } from 'mongodb';
import { quantile } from 'mongodb-pool-predictor';
import { orInvalid, parsePositive } from '../src/cli/option-parsers.js';
import { forkScript } from '../src/harness/forked-process.js';
import { nameCollection } from '../src/labs/replication/fill-source.js';
import { measureCase, WRITE_CONCERN } from '../src/labs/replication/measure-case.js';
import { measureSingleInserts } from '../src/labs/replication/measure-single-inserts.js';
import { describeMix, generateOperations, parseMix } from '../src/labs/replication/mixed-operations.js';
import { openTestbed } from '../src/labs/replication/testbed.js';
import { openMongo } from '../src/mongo/open.js';
import { readSettings } from '../src/settings.js';

/** @import { Document } from 'mongodb' */
/** @import { Mix } from '../src/labs/replication/mixed-operations.js' */
/** @import { CaseFigures } from '../src/labs/replication/measure-case.js' */
/** @import { Testbed } from '../src/labs/replication/testbed.js' */

/** @typedef {{ ceiling: number, measured: CaseFigures }} Round `ceiling` in operations per second */

const REPLICATOR = /** @type {const} */ ({ mode: 'direct', workers: 4, hash: 'id', merge: true });
/** The fastest for a target with two cores: tried were 1000 to 10,000 documents per batch, and 2 to 8 at once. */
const CEILING_BATCH = 2000;
const CEILING_CONCURRENCY = 4;
const SINGLE_INSERTS = 100;
const INSERTS_ALONE = { inserts: 100, updates: 0, deletes: 0 };

/** The commands `insert`, `update` and `delete` themselves: the driver's insertMany and bulkWrite take 1.5 times as long. */
const COMMANDS = /** @type {const} */ ({
  inserts: { name: 'insert', field: 'documents' },
  updates: { name: 'update', field: 'updates' },
  deletes: { name: 'delete', field: 'deletes' },
});

if (process.send) await fillTarget();
else await measure();

/** @param {Mix} mix */
function describeData(mix) {
  return { collections: 1, fields: 0, shards: 1, mix };
}

/** Runs in the child: prepares its operations, and writes them when the first message comes. */
async function fillTarget() {
  const [url, database, mix, ops] = process.argv.slice(2);
  /** @type {Record<keyof Mix, Document[]>} */
  const statements = { inserts: [], updates: [], deletes: [] };
  for (const { kind, statement } of generateOperations(describeData(parseMix(mix)), Number(ops))) statements[kind].push(statement);
  const client = new MongoClient(url);
  await client.connect();
  process.send?.('ready');
  await once(process, 'message');
  const startedAtMs = performance.now();
  for (const kind of /** @type {const} */ (['inserts', 'updates', 'deletes'])) {
    const { name, field } = COMMANDS[kind];
    const left = statements[kind];
    await Promise.all(Array.from({ length: CEILING_CONCURRENCY }, async () => {
      while (left.length > 0) {
        await client.db(database).command({
          [name]: nameCollection(0), [field]: left.splice(-CEILING_BATCH), ordered: false, writeConcern: WRITE_CONCERN,
        });
      }
    }));
  }
  process.send?.({ tookMs: performance.now() - startedAtMs });
  await client.close();
}

async function measure() {
  const { mix, ops, rounds, latency } = new Command('replication.js')
    .description('Compares the replicator with the maximum rates of its target.')
    .option('--mix <shares>', 'inserts, updates and deletes in percent', orInvalid(parseMix), parseMix('60/30/10'))
    .option('--ops <n>', 'operations in the oplog of the source', parsePositive, 400_000)
    .option('--rounds <n>', 'interleaved rounds', parsePositive, 3)
    .option('--latency', 'also measure single inserts without a backlog')
    .parse().opts();
  const report = (/** @type {string} */ line) => void process.stderr.write(`${line}\n`);
  const context = { settings: readSettings(), report, signal: new AbortController().signal };
  const source = await openMongo({ ...context.settings, mongoUrl: undefined }, context);
  const testbed = await openTestbed({ source: source.url }, context);
  const mixes = [mix, ...mix.inserts === 100 ? [] : [INSERTS_ALONE]];
  try {
    report(`Writing ${ops} operations of each mix to the oplog of the source …`);
    for (const each of mixes) await testbed.fill(describeData(each), ops);
    /** @type {Map<Mix, Round[]>} */
    const figures = new Map(mixes.map((each) => [each, []]));
    for (let round = 1; round <= rounds; round++) {
      for (const [each, rounds] of figures) {
        rounds.push(await measureRound(testbed, each, ops));
        process.stdout.write(`round ${round}, ${describeMix(each)}: ${describeRound(rounds[round - 1])}\n`);
      }
    }
    for (const [each, rounds] of figures) {
      const ratio = quantile(rounds.map(({ ceiling, measured }) => measured.ratePerSec / ceiling), 0.5);
      process.stdout.write(`median of ${describeMix(each)}: ${ratio.toFixed(2)} of the ceiling; source and target had the same dbHash\n`);
    }
    if (latency) await reportLatency(testbed);
  } finally {
    await testbed.close().finally(source.stop);
  }
}

/** @param {Testbed} testbed @param {Mix} mix @param {number} ops @returns {Promise<Round>} */
async function measureRound(testbed, mix, ops) {
  const ceiling = await measureCeiling(testbed, mix, ops);
  const { measured, failed } = await measureCase(testbed, { ...describeData(mix), ...REPLICATOR }, { ops });
  if (failed) throw new Error(failed);
  return { ceiling, measured };
}

/**
 * Measures the maximum rate of the target, without the replicator.
 * @param {Testbed} testbed
 * @param {Mix} mix
 * @param {number} ops
 * @returns {Promise<number>} operations per second
 */
async function measureCeiling(testbed, mix, ops) {
  const data = describeData(mix);
  await testbed.clearTarget(data);
  const { namespaces: { include: [database] } } = testbed.sourceOptions(data);
  const { ask, stop } = await forkScript(fileURLToPath(import.meta.url), {
    name: 'the writing process', args: [testbed.targetUrl, database, describeMix(mix), String(ops)],
  });
  try {
    const { tookMs } = await ask('go');
    return ops / tookMs * 1000;
  } finally {
    await stop();
  }
}

/** @param {Testbed} testbed */
async function reportLatency(testbed) {
  const { latency, idleCpuPercent } = await measureSingleInserts(testbed, REPLICATOR, { inserts: SINGLE_INSERTS });
  process.stdout.write(`${SINGLE_INSERTS} single inserts, 50 ms apart: latency p50 ${latency.p50Ms.toFixed(1)}, `
    + `p95 ${latency.p95Ms.toFixed(1)}, max ${latency.maxMs.toFixed(1)} ms; idle CPU ${idleCpuPercent.toFixed(1)} %\n`);
}

/** @param {Round} round */
function describeRound({ ceiling, measured: { ratePerSec, opsPerBatch, cpuPercent, peakRssMB } }) {
  return `ceiling ${Math.round(ceiling)} ops/s · replicated ${Math.round(ratePerSec)} ops/s, `
    + `${(ratePerSec / ceiling).toFixed(2)} of the ceiling, ${opsPerBatch.toFixed(1)} operations per batch, `
    + `CPU ${Math.round(cpuPercent)} %, peak RSS ${Math.round(peakRssMB)} MB`;
}
