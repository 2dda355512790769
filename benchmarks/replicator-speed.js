// How close does the replicator come to its target's maximum? Each round measures three things, each in its own process: the
// target alone (insertMany of prepared documents), case 3 (direct), and case 1 (mock). All use the same documents and the
// same write concern. The end measures single inserts without a backlog.
//
//   node benchmarks/replicator-speed.js [--ops 1000000] [--rounds 3]
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { Command } from 'commander';
import { MongoClient } from 'mongodb';
import { quantile } from 'mongodb-pool-predictor';
import { parsePositive } from '../src/cli/option-parsers.js';
import { forkScript } from '../src/harness/forked-process.js';
import { CASES } from '../src/labs/replication/cases.js';
import { listCollections, makeDocument } from '../src/labs/replication/fill-source.js';
import { measureCase, WRITE_CONCERN } from '../src/labs/replication/measure-case.js';
import { measureSingleInserts } from '../src/labs/replication/measure-single-inserts.js';
import { openTestbed } from '../src/labs/replication/testbed.js';
import { openMongo } from '../src/mongo/open.js';
import { readSettings } from '../src/settings.js';

/** @import { CaseFigures } from '../src/labs/replication/measure-case.js' */
/** @import { Testbed } from '../src/labs/replication/testbed.js' */

/** @typedef {{ ceiling: number, direct: CaseFigures, mock: CaseFigures }} Round `ceiling` in documents per second */

const [MOCK, , DIRECT] = CASES.map((each) => ({ ...each, merge: true }));
/** The fastest for a target with two cores: tried were 1000 to 10,000 documents per batch, and 2 to 8 workers. */
const CEILING_BATCH = 2000;
const CEILING_WORKERS = 4;
const SINGLE_INSERTS = 100;

if (process.send) await fillTarget();
else await measure();

/** Runs in the child: prepares its documents, and inserts them when the first message comes. */
async function fillTarget() {
  const [url, database] = process.argv.slice(2);
  const ops = Number(process.argv[4]);
  const client = new MongoClient(url);
  const db = client.db(database);
  const names = listCollections(DIRECT);
  const batches = /** @type {{ name: string, documents: ReturnType<typeof makeDocument>[] }[]} */ ([]);
  for (let first = 0; first < ops; first += CEILING_BATCH * names.length) {
    for (const [place, name] of names.entries()) {
      const documents = [];
      for (let index = first + place; index < Math.min(ops, first + CEILING_BATCH * names.length); index += names.length) {
        documents.push(makeDocument(index, DIRECT));
      }
      if (documents.length > 0) batches.push({ name, documents });
    }
  }
  await client.connect();
  process.send?.('ready');
  await once(process, 'message');
  const startedAtMs = performance.now();
  await Promise.all(Array.from({ length: CEILING_WORKERS }, async () => {
    for (let batch = batches.pop(); batch; batch = batches.pop()) {
      await db.collection(batch.name).insertMany(batch.documents, { ordered: false, writeConcern: WRITE_CONCERN });
    }
  }));
  process.send?.({ tookMs: performance.now() - startedAtMs });
  await client.close();
}

async function measure() {
  const { ops, rounds } = new Command('replicator-speed.js')
    .description('Compares the replicator with the maximum insert rate of its target.')
    .option('--ops <n>', 'inserts in the oplog of the source', parsePositive, 1_000_000)
    .option('--rounds <n>', 'interleaved rounds', parsePositive, 3)
    .parse().opts();
  const report = (/** @type {string} */ line) => void process.stderr.write(`${line}\n`);
  const context = { settings: readSettings(), report, signal: new AbortController().signal };
  const source = await openMongo({ ...context.settings, mongoUrl: undefined }, context);
  const testbed = await openTestbed({ source: source.url }, context);
  try {
    report(`Writing ${ops} inserts to the oplog of the source …`);
    await testbed.fill(DIRECT, ops);
    /** @type {Round[]} */
    const figures = [];
    for (let round = 1; round <= rounds; round++) {
      const ceiling = await measureCeiling(testbed, ops);
      const direct = await measureCase(testbed, DIRECT, { ops });
      const mock = await measureCase(testbed, MOCK, { ops });
      const problem = direct.failed ?? mock.failed;
      if (problem) throw new Error(problem);
      figures.push({ ceiling, direct: direct.measured, mock: mock.measured });
      process.stdout.write(`round ${round}: ${describeRound(figures[round - 1])}\n`);
    }
    process.stdout.write(`median: case 3 ${median(figures, ({ ceiling, direct }) => direct.ratePerSec / ceiling)} of the ceiling, `
      + `case 1 ${median(figures, ({ ceiling, mock }) => mock.ratePerSec / ceiling)}; `
      + 'after each case 3, source and target had the same dbHash\n');
    const { latency, idleCpuPercent } = await measureSingleInserts(testbed, DIRECT, { inserts: SINGLE_INSERTS });
    process.stdout.write(`${SINGLE_INSERTS} single inserts, 50 ms apart: latency p50 ${latency.p50Ms.toFixed(1)}, `
      + `p95 ${latency.p95Ms.toFixed(1)}, max ${latency.maxMs.toFixed(1)} ms; idle CPU ${idleCpuPercent.toFixed(1)} %\n`);
  } finally {
    await testbed.close().finally(source.stop);
  }
}

/**
 * Measures the maximum insert rate of the target, without the replicator.
 * @param {Testbed} testbed
 * @param {number} ops
 * @returns {Promise<number>} documents per second
 */
async function measureCeiling(testbed, ops) {
  await testbed.clearTarget(DIRECT);
  const { namespaces: { include: [database] } } = testbed.sourceOptions(DIRECT);
  const { child, died, stop } = await forkScript(fileURLToPath(import.meta.url), {
    name: 'the inserting process', args: [testbed.targetUrl, database, String(ops)],
  });
  try {
    child.send('go');
    const outcome = await Promise.race([once(child, 'message'), died]);
    if (outcome instanceof Error) throw outcome;
    const differing = await testbed.compare(DIRECT);
    if (differing.length > 0) throw new Error(`inserts are missing in ${differing.join(', ')}`);
    return ops / outcome[0].tookMs * 1000;
  } finally {
    await stop();
  }
}

/** @param {Round} round */
function describeRound({ ceiling, direct, mock }) {
  /** @param {CaseFigures} figures */
  const describe = ({ ratePerSec, cpuPercent, peakRssMB }) => `${Math.round(ratePerSec)} ops/s, `
    + `${(ratePerSec / ceiling).toFixed(2)} of the ceiling, CPU ${Math.round(cpuPercent)} %, peak RSS ${Math.round(peakRssMB)} MB`;
  return `ceiling ${Math.round(ceiling)} docs/s · case 3 ${describe(direct)} · case 1 ${describe(mock)}`;
}

/** @param {Round[]} rounds @param {(round: Round) => number} ratioOf */
function median(rounds, ratioOf) {
  return quantile(rounds.map(ratioOf), 0.5).toFixed(2);
}
