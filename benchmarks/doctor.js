// Does the doctor name the cause? An app on a real MongoDB gets one injected cause after another (doctor/cases.js),
// with sizes, times and loads drawn from the seed; even seeds send an open loop, odd ones a closed loop. Each run is
// recorded for some seconds and diagnosed. The rules, fixed before anything was measured:
// - A verdict is right if its cause is the one that was injected, and not another one of the same kind. Of two clients,
//   it names the one whose pool is full.
// - At least 95 % of the verdicts on injected causes are right.
// - No healthy run (`none`) is called a problem.
// - In each run, the waits of all causes add up to all waits in the pool, within 2 %.
// Exits with 1 if one is broken.
//
//   node benchmarks/doctor.js [--seeds 3] [--first-seed 1] [--only fullPool,none] [--keep FOLDER]
import { Command } from 'commander';
import { MongoClient } from 'mongodb';
import { createRandom, diagnose } from 'mongodb-pool-predictor';
import { readTrace } from 'mongodb-pool-predictor/node';
import { parsePositive } from '../lab/cli/option-parsers.js';
import { CASES, drawCase, isRight } from './doctor/cases.js';
import { recordCase } from './doctor/run-case.js';
import { onlyOption, openBench } from './parts/recording-bench.js';

const RIGHT_SHARE = 0.95;
const WAITS_WITHIN = 0.02;

const { seeds, firstSeed, only, keep } = new Command('doctor.js')
  .description('Injects causes of waits, and checks what the doctor says.')
  .option('--seeds <n>', 'runs of each cause', parsePositive, 3)
  .option('--first-seed <n>', 'of the first run', parsePositive, 1)
  .option(...onlyOption('causes', Object.keys(CASES)))
  .option('--keep <folder>', 'keep the traces there')
  .parse()
  .opts();
const { say, signal, folder, mongoUrl, close } = await openBench('doctor', keep);
try {
  const { host } = new URL(mongoUrl.replace('mongodb:', 'http:'));
  const client = await MongoClient.connect(mongoUrl);
  await client.db('doctor').collection('articles').insertOne({ title: 'one' });
  await client.close();
  const rows = [];
  for (const cause of only) {
    const runs = [];
    for (let seed = firstSeed; seed < firstSeed + seeds; seed++) {
      runs.push(await runOnce(cause, seed, Number(host.split(':')[1])));
      const { said, isRight: isFound, off } = runs[runs.length - 1];
      say(
        `${cause} ${seed}: ${isFound ? 'right' : `WRONG, ${said}`}, ${(100 * off).toFixed(2)} % of the waits missing`,
      );
    }
    rows.push({
      cause,
      runs: runs.length,
      right: runs.filter(({ isRight }) => isRight).length,
      accused: runs.filter(({ isProblem }) => isProblem).length,
      'other verdicts': [...new Set(runs.filter(({ isRight }) => !isRight).map(({ said }) => said))].join(', '),
      'waits off by, %': Number((100 * Math.max(...runs.map(({ off }) => off))).toFixed(2)),
    });
  }
  // eslint-disable-next-line no-console
  console.table(rows);
  const injected = rows.filter(({ cause }) => cause !== 'none');
  const total = injected.reduce((sum, { runs }) => sum + runs, 0);
  const right = injected.reduce((sum, row) => sum + row.right, 0);
  process.stdout.write(`${right} of ${total} verdicts are right.\n`);
  const isMet =
    right >= RIGHT_SHARE * total &&
    rows.every((row) => row.cause !== 'none' || row.accused === 0) &&
    rows.every((row) => row['waits off by, %'] <= 100 * WAITS_WITHIN);
  if (!isMet) process.exitCode = 1;
} finally {
  await close();
}

/** @param {string} cause @param {number} seed @param {number} mongoPort */
async function runOnce(cause, seed, mongoPort) {
  const random = createRandom(seed).uniform;
  const injected = drawCase(cause, random);
  const file = await recordCase(injected, {
    mongoPort,
    isOpen: seed % 2 === 0,
    random,
    folder,
    name: `${cause}-${seed}`,
    signal,
  });
  const { verdict, causes, totals } = diagnose(await readTrace(file));
  const attributed = causes
    .filter((each) => each.cause !== 'concurrencyLimit')
    .reduce((sum, { waitedMs }) => sum + waitedMs, 0);
  return {
    said: verdict.cause,
    isRight: isRight(/** @type {any} */ (verdict), { cause: injected.expected ?? cause, client: injected.client }),
    isProblem: verdict.isProblem,
    off: Math.abs(attributed / (totals.poolWaitedMs || 1) - 1) * Number(totals.poolWaitedMs > 0),
  };
}
