// How close does the replicator get to the limit of its target? Each round measures in turn, each in a process of its own:
// the target alone (insertMany of documents made beforehand), case 3 (direct) and case 1 (mock). All use the same documents
// and the same write concern. At the end it measures single inserts without a backlog.
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
import { measureDrained } from '../src/labs/replication/measure-drained.js';
import { openStage } from '../src/labs/replication/stage.js';
import { openMongo } from '../src/mongo/open.js';
import { readSettings } from '../src/settings.js';

/** @import { CaseFigures } from '../src/labs/replication/measure-case.js' */
/** @import { Stage } from '../src/labs/replication/stage.js' */

/** @typedef {{ ceiling: number, direct: CaseFigures, mock: CaseFigures }} Round `ceiling` in documents per second */

const [MOCK, , DIRECT] = CASES.map((each) => ({ ...each, merge: true }));
/** The fastest of the batches of 1000 to 10,000 documents and 2 to 8 workers tried against a target with two cores. */
const CEILING_BATCH = 2000;
const CEILING_WORKERS = 4;
const INSERTS = 100;

if (process.send) await fillTarget();
else await measure();

/** The child: makes its documents, then inserts them on the first message. */
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
    .description('Compares the replicator with the insert rate that its target can take.')
    .option('--ops <n>', 'inserts in the oplog of the source', parsePositive, 1_000_000)
    .option('--rounds <n>', 'interleaved rounds', parsePositive, 3)
    .parse().opts();
  const report = (/** @type {string} */ line) => void process.stderr.write(`${line}\n`);
  const context = { settings: readSettings(), report, signal: new AbortController().signal };
  const source = await openMongo({ ...context.settings, mongoUrl: undefined }, context);
  const stage = await openStage({ source: source.url }, context);
  try {
    report(`Writing ${ops} inserts to the oplog of the source …`);
    await stage.fill(DIRECT, ops);
    /** @type {Round[]} */
    const figures = [];
    for (let round = 1; round <= rounds; round++) {
      const ceiling = await measureCeiling(stage, ops);
      const direct = await measureCase(stage, DIRECT, { ops });
      const mock = await measureCase(stage, MOCK, { ops });
      const problem = direct.failed ?? mock.failed;
      if (problem) throw new Error(problem);
      figures.push({ ceiling, direct: direct.measured, mock: mock.measured });
      process.stdout.write(`round ${round}: ${describeRound(figures[round - 1])}\n`);
    }
    process.stdout.write(`median: case 3 ${median(figures, ({ ceiling, direct }) => direct.ratePerSec / ceiling)} of the ceiling, `
      + `case 1 ${median(figures, ({ ceiling, mock }) => mock.ratePerSec / ceiling)}; `
      + 'after each case 3 the dbHash of target and source was the same\n');
    const { latency, idleCpuPercent } = await measureDrained(stage, DIRECT, { inserts: INSERTS });
    process.stdout.write(`${INSERTS} single inserts, 50 ms apart: latency p50 ${latency.p50Ms.toFixed(1)}, `
      + `p95 ${latency.p95Ms.toFixed(1)}, max ${latency.maxMs.toFixed(1)} ms; idle CPU ${idleCpuPercent.toFixed(1)} %\n`);
  } finally {
    await stage.close().finally(source.stop);
  }
}

/**
 * Measures the insert rate of the target without the replicator.
 * @param {Stage} stage
 * @param {number} ops
 * @returns {Promise<number>} documents per second
 */
async function measureCeiling(stage, ops) {
  await stage.clearTarget(DIRECT);
  const { namespaces: { include: [database] } } = stage.describe(DIRECT);
  const { child, died, stop } = await forkScript(fileURLToPath(import.meta.url), {
    name: "the ceiling's process", args: [stage.target.url, database, String(ops)],
  });
  try {
    child.send('go');
    const outcome = await Promise.race([once(child, 'message'), died]);
    if (outcome instanceof Error) throw outcome;
    const differing = await stage.compare(DIRECT);
    if (differing.length > 0) throw new Error(`inserts of the ceiling are missing in ${differing.join(', ')}`);
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
