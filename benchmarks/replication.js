// How near does the replicator come to what the target can take? Each round measures, one after the other, each in a
// process of its own: the target alone (insertMany of documents made before), case 3 (direct) and case 1 (mock); all with
// the same documents and the same write concern. Then single inserts with no backlog left.
//
//   node benchmarks/replication.js [--ops 1000000] [--rounds 3]
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { Command } from 'commander';
import { MongoClient } from 'mongodb';
import { forkScript } from '../src/bench/forked-process.js';
import { parsePositive } from '../src/cli/options.js';
import { CASES } from '../src/labs/replication/measure/cases.js';
import { listCollections, makeDocument } from '../src/labs/replication/measure/fill-source.js';
import { measureCase, WRITE_CONCERN } from '../src/labs/replication/measure/measure-case.js';
import { measureDrained } from '../src/labs/replication/measure/measure-drained.js';
import { openStage } from '../src/labs/replication/measure/stage.js';
import { openMongo } from '../src/mongo/open.js';
import { quantile } from '../src/predict/quantile.js';
import { readSettings } from '../src/settings.js';

const [MOCK, , DIRECT] = CASES.map((each) => ({ ...each, merge: true }));
/** With these a target of two processors took most: 1000 to 10,000 documents at once, 2 to 8 times, were tried. */
const CEILING_BATCH = 2000;
const CEILING_AT_ONCE = 4;
const INSERTS = 100;

if (process.send) await fillTarget();
else await measure();

/** The child: inserts what it has made before, when it is told to. */
async function fillTarget() {
  const [url, database, ops] = process.argv.slice(2);
  const client = new MongoClient(url);
  const db = client.db(database);
  const names = listCollections(DIRECT);
  const batches = [];
  for (let first = 0; first < Number(ops); first += CEILING_BATCH * names.length) {
    for (const [place, name] of names.entries()) {
      const documents = [];
      for (let index = first + place; index < Math.min(ops, first + CEILING_BATCH * names.length); index += names.length) {
        documents.push(makeDocument(index, DIRECT));
      }
      if (documents.length > 0) batches.push({ name, documents });
    }
  }
  await client.connect();
  process.send('ready');
  await once(process, 'message');
  const startedAtMs = performance.now();
  await Promise.all(Array.from({ length: CEILING_AT_ONCE }, async () => {
    for (let batch = batches.pop(); batch; batch = batches.pop()) {
      await db.collection(batch.name).insertMany(batch.documents, { ordered: false, writeConcern: WRITE_CONCERN });
    }
  }));
  process.send({ tookMs: performance.now() - startedAtMs });
  await client.close();
}

async function measure() {
  const { ops, rounds } = new Command('replication.js')
    .option('--ops <n>', 'inserts in the source\'s oplog', parsePositive, 1_000_000)
    .option('--rounds <n>', 'how often each is measured, interleaved', parsePositive, 3)
    .parse().opts();
  const surroundings = {
    settings: readSettings(), report: (line) => process.stderr.write(`${line}\n`), signal: new AbortController().signal,
  };
  const source = await openMongo({ ...surroundings.settings, mongoUrl: undefined }, surroundings);
  const stage = await openStage({ source: source.url }, surroundings);
  try {
    surroundings.report(`Writing ${ops} inserts to the source's oplog …`);
    await stage.fill(DIRECT, ops);
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
      + 'after each case 3 the target was identical to the source by dbHash\n');
    const { latency, idleCpuPercent } = await measureDrained(stage, DIRECT, { inserts: INSERTS });
    process.stdout.write(`${INSERTS} single inserts 50 ms apart were on the target after p50 ${latency.p50Ms.toFixed(1)}, `
      + `p95 ${latency.p95Ms.toFixed(1)}, max ${latency.maxMs.toFixed(1)} ms; idle CPU ${idleCpuPercent.toFixed(1)} %\n`);
  } finally {
    await stage.close().finally(source.stop);
  }
}

/**
 * @param {import('../src/labs/replication/measure/stage.js').Stage} stage
 * @param {number} ops
 * @returns {Promise<number>} documents a second
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
    if (differing.length > 0) throw new Error(`the ceiling's inserts are not all there: ${differing.join(', ')}`);
    return ops / outcome[0].tookMs * 1000;
  } finally {
    await stop();
  }
}

/** @param {{ ceiling: number, direct: any, mock: any }} figures */
function describeRound({ ceiling, direct, mock }) {
  const describe = ({ ratePerSec, cpuPercent, peakRssMB }) => `${Math.round(ratePerSec)} ops/s, `
    + `${(ratePerSec / ceiling).toFixed(2)} of the ceiling, CPU ${Math.round(cpuPercent)} %, peak RSS ${Math.round(peakRssMB)} MB`;
  return `ceiling ${Math.round(ceiling)} docs/s · case 3 ${describe(direct)} · case 1 ${describe(mock)}`;
}

/** @param {any[]} figures @param {(one: any) => number} ratioOf */
function median(figures, ratioOf) {
  return quantile(figures.map(ratioOf), 0.5).toFixed(2);
}
