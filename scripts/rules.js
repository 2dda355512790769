// How often are the published rules for a pool's size right? Tries each on 40 loads, and writes docs/rules.csv, the
// figures of docs/rules.md, and its chart.
//
// Rules, fixed before running:
// - The route of a load that waits most is the one whose p95 grows most with the fewest connections that keep up.
// - The goal is a p95 of that route within 10 % and 1 ms of its p95 without a limit on connections, with no more failed
//   requests. The best size is the smallest that meets it.
// - A size is too small if that p95 is more than twice as long as with the best size, and too large if it has more than
//   twice as many connections. Otherwise it is right.
// - At least 85 % of the measured p95 are within their predicted 90 % band.
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { Command } from 'commander';
import { abortOnSignal } from '../lab/cli/signals.js';
import { readSettings } from '../src/settings.js';
import { listLoads } from './rules/loads.js';
import { measureSizes } from './rules/measure.js';
import { drawChart, fillPage } from './rules/page.js';
import { judgeMeasured, readTable, writeTable } from './rules/table.js';
import { tryRules } from './rules/trial.js';

const [TABLE, PAGE, CHART] = ['docs/rules.csv', 'docs/rules.md', 'docs/rules.svg'];
const WANTED = 0.85;

const { measure } = new Command('npm run rules --')
  .description('try published rules for the size of a pool, and write docs/rules.csv and its page')
  .option('--measure', 'measure a tenth again on a real app and MongoDB (10 minutes); default: as in the table', false)
  .parse()
  .opts();

const say = (/** @type {string} */ line) => void process.stderr.write(`${line}\n`);
/** @type {import('./rules/trial.js').Row[]} */
const rows = [];
for (const [name, open] of Object.entries(listLoads())) {
  say(name);
  rows.push(...(await tryRules(await open())));
}
const measuredOf = await (measure ? measureNow() : readMeasured());
const all = rows.map((row) => ({ ...row, measuredMs: measuredOf(row.load, row.size) }));
await writeFile(TABLE, writeTable(all));
await writeFile(PAGE, fillPage(await readFile(PAGE, 'utf8'), all));
await writeFile(CHART, drawChart(all));
const { pairs, measured, inBand } = judgeMeasured(all);
say(`${pairs} pairs, ${measured} measured, ${inBand} in band: ${inBand >= WANTED * measured ? 'met' : 'NOT met'}`);

async function measureNow() {
  const { signal, release } = abortOnSignal();
  const folder = await mkdtemp(path.join(os.tmpdir(), 'pool-lab-rules-'));
  try {
    return await measureSizes(rows, { settings: readSettings(), signal, say, folder });
  } finally {
    await rm(folder, { recursive: true });
    release();
  }
}

async function readMeasured() {
  const stored = readTable(await readFile(TABLE, 'utf8'));
  const known = new Map(stored.map(({ load, size, measuredMs }) => [`${load} ${size}`, measuredMs]));
  return (/** @type {string} */ load, /** @type {number | null} */ size) => known.get(`${load} ${size}`) ?? null;
}
