import { Command } from 'commander';
import { calibrate, createCalibrationClient } from '../calibrate/calibrate.js';
import { parseReadQuery } from '../calibrate/read-query.js';
import { parseInteger } from '../harness/lab-options.js';
import { DATABASE } from '../mongo/demo-data.js';
import { WIDEST_TEXT } from '../report/table.js';
import { readSettings } from '../settings.js';
import { writeAtomically } from '../write-atomically.js';
import { describeCalibration, describePlan } from './calibration-words.js';
import { requireYes } from './confirm.js';
import { collect, orInvalid, parseText, parseUpTo } from './option-parsers.js';
import { createProgressBar } from './progress-bar.js';
import { abortOnSignal } from './signals.js';
import { widthOf } from './terminal-width.js';

/** @import { ReadQuery } from '../calibrate/read-query.js' */
/** @import { Settings } from '../settings.js' */

const MAX_SECONDS = 3600;
/** More would be a load test. */
const MAX_CONCURRENCY = 256;

/** @typedef {{ url?: string, query?: ReadQuery[], db?: string, seconds: number, maxConcurrency: number, out?: string,
 *   json: boolean, yes: boolean }} CalibrateOptions */

/** `pool-lab calibrate` */
export function createCalibrateCommand() {
  return new Command('calibrate')
    .description('measure on a MongoDB how long queries take alone, how much of that is work for its cores, and how many cores '
      + 'there are. This is a load: use a staging server. It says what it will do, and asks')
    .option('--url <url>', 'connection string of the MongoDB, instead of\nMONGO_URL; without either the lab starts its own', orInvalid(parseText))
    .option('--query <route=command>', 'a query that reads, in Extended JSON:\n\'/report={"aggregate":"orders","pipeline":[]}\';\n'
      + 'find, aggregate, count or distinct; repeatable\n(default: /fast and /slow of the demo)', collect(parseReadQuery))
    .option('--db <name>', 'database of the queries (default: that of the URL)', orInvalid(parseText))
    .option('--seconds <n>', 'time limit for all that runs on the server', parseUpTo(MAX_SECONDS), 20)
    .option('--max-concurrency <n>', `queries at once, at most; from 2 to ${MAX_CONCURRENCY}`, orInvalid(parseConcurrency), 8)
    .option('--out <file>', 'also write the result to a file, for --from')
    .option('--json', 'print the result as one JSON object on stdout', false)
    .option('--yes', 'do not ask', false)
    .action(calibrateServer);
}

/** @param {CalibrateOptions} options */
async function calibrateServer({ out, json, ...options }) {
  const settings = readSettings();
  const url = options.url ?? settings.mongoUrl;
  const { query: queries = [], db, seconds, maxConcurrency } = options;
  const repeated = queries.find(({ route }, index) => queries.findIndex((other) => other.route === route) !== index);
  if (repeated) throw new Error(`${repeated.route} has two queries: give only one`);
  const origin = options.url === undefined ? 'MONGO_URL' : '--url';
  const width = Math.min(widthOf(process.stderr), WIDEST_TEXT);
  const progress = createProgressBar(process.stderr);
  const { signal, release } = abortOnSignal();
  try {
    const target = url === undefined ? undefined : readTarget(url, { settings, maxConcurrency, origin });
    process.stderr.write(`${describePlan(
      { host: target?.host, db: db ?? target?.db ?? DATABASE, queries, seconds, maxConcurrency }, width)}\n`);
    if (target && !options.yes) await requireYes('If this server may get that load', signal);
    /** @type {number | undefined} */
    let endsAtMs;
    const calibration = await calibrate({ url, origin, queries, db, seconds, maxConcurrency }, {
      settings, signal, report: progress.report,
      onStep(name) {
        endsAtMs ??= performance.now() + seconds * 1000;
        const leftMs = Math.max(0, endsAtMs - performance.now());
        progress.step({ name, estimateMs: leftMs, leftMs, totalMs: seconds * 1000 });
      },
    });
    progress.stop();
    // Printed before it is saved: a full disk must not cost the measurements.
    process.stderr.write(`\n${describeCalibration(calibration, { width, file: out })}\n`);
    if (json) process.stdout.write(`${JSON.stringify(calibration)}\n`);
    if (out !== undefined) await writeAtomically(out, `${JSON.stringify(calibration, null, 2)}\n`);
  } finally {
    progress.stop();
    release();
  }
}

/**
 * @param {string} url
 * @param {{ settings: Settings, maxConcurrency: number, origin: string }} options
 * @returns {{ host: string, db: string }} host: without user and password
 */
function readTarget(url, options) {
  const { hosts, srvHost, dbName } = createCalibrationClient(url, options).options;
  return { host: srvHost ?? hosts.map(String).join(', '), db: dbName };
}

/** @param {string} text */
function parseConcurrency(text) {
  const number = parseInteger(text);
  if (number < 2 || number > MAX_CONCURRENCY) throw new Error(`It must be a whole number from 2 to ${MAX_CONCURRENCY}.`);
  return number;
}
