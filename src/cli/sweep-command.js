import { Command, InvalidArgumentError } from 'commander';
import { parsePoolSizes, parseSlo } from 'mongodb-pool-predictor';
import { runLab } from '../harness/run-lab.js';
import { explainAdvice } from '../predictions/explain-advice.js';
import { escapeControls, wrap } from '../printable.js';
import { renderTable, WIDEST_TEXT } from '../report/table.js';
import { readSettings } from '../settings.js';
import { meetsGoals } from '../sweep/sweep-goals.js';
import { createSweep } from '../sweep/sweep-lab.js';
import { createSweepView } from '../sweep/sweep-view.js';
import { requireYes } from './confirm.js';
import { collect, orInvalid, parseText, parseUpTo } from './option-parsers.js';
import { createProgressBar } from './progress-bar.js';
import { defaultFolder, saveResult } from './result-file.js';
import { abortOnSignal } from './signals.js';
import { widthOf } from './terminal-width.js';

/** @import { SweepOptions } from '../sweep/sweep-lab.js' */
/** @import { Slo } from 'mongodb-pool-predictor' */

const MAX_SECONDS = 3600;

/** `pool-lab sweep ... -- node app.js` */
export function createSweepCommand() {
  return new Command('sweep')
    .usage('[options] -- <command...>')
    .description('run your own app at several pool sizes, play a load, and compare. The app stays as it is: the lab starts it and '
      + 'replaces the maxPoolSize of its clients. It uses the MongoDB that the app uses; if that is not on this machine, it asks')
    .argument('<command...>', 'what starts your app, after --, such as node app.js')
    .requiredOption('--pool-sizes <list>', 'e.g. 2,4,8,16', orInvalid(parsePoolSizes))
    .option('--scenario <file>', 'Artillery scenario to play; its target is ignored')
    .option('--environment <name>', 'environment of the scenario')
    .option('--load <command>', "any other load generator, such as 'k6 run load.js'; it finds the app's URL in TARGET_URL and must exit with 0", orInvalid(parseText))
    .option('--target <url>', 'URL of the app (default: the first port that it opens)', orInvalid(parseTarget))
    .option('--slo <goal>', "e.g. '/users/:id p95 < 50ms'; exit with 1 if no size meets all goals; repeatable", collect(parseSlo))
    .option('--repeat <n>', 'how many times to measure each size; the repeats are interleaved', parseUpTo(1000), 1)
    .option('--warm-up <seconds>', 'how long to play the scenario before each measurement', orInvalid(parseSeconds), 3)
    .option('--warm-up-paths <list>', 'paths to request then instead, such as /,/users/1', orInvalid(parsePaths))
    .option('--start-timeout <seconds>', 'how long the app may take to listen', parseUpTo(MAX_SECONDS), 60)
    .option('--out <dir>', 'folder for the report and the result (default: a new folder in results/)')
    .option('--json', 'print the result as one JSON object on stdout', false)
    .option('--yes', "do not ask, even if the app's MongoDB is elsewhere", false)
    .action(runSweep);
}

/**
 * @param {string[]} command
 * @param {Omit<SweepOptions, 'command' | 'agree'> & { repeat: number, out?: string, json: boolean, yes: boolean }} options
 */
async function runSweep(command, { repeat, out, json, yes, ...options }) {
  if ((options.scenario === undefined) === (options.load === undefined)) {
    throw new Error('Which load? Give one of --scenario FILE and --load COMMAND');
  }
  const settings = readSettings();
  const width = widthOf(process.stderr);
  const progress = createProgressBar(process.stderr);
  const { signal, release } = abortOnSignal();
  try {
    const { lab, findAdvice } = createSweep({ ...options, command, agree: (hosts) => agree(hosts, { yes, signal }) });
    const result = await runLab(lab, { repeat }, {
      settings, signal, report: (line) => progress.report(escapeControls(wrap(line, Math.min(width, WIDEST_TEXT)))), onStep: progress.step,
    });
    progress.stop();
    const { advice, words } = await askAdvice(findAdvice, options.slo, result.variants);
    const whole = { ...result, ...(words.length > 0 && { advice: { ...advice, words } }) };
    const view = createSweepView([whole]);
    // Printed before it is saved: a full disk must not cost the measurements.
    process.stderr.write(`\n${[renderTable(view, whole, { width }), ...words.slice(1).map((text) => escapeControls(wrap(text, Math.min(width, WIDEST_TEXT))))]
      .join('\n\n')}\n\n`);
    if (json) process.stdout.write(`${JSON.stringify(whole)}\n`);
    const files = await saveResult(view, whole, out ?? defaultFolder(result));
    process.stderr.write(`Report: ${files.report}\nResult: ${files.result}\n`);
    const isMet = !options.slo || result.variants.some((variant) => meetsGoals(options.slo ?? [], variant));
    if (!isMet || result.variants.some(({ error }) => error)) process.exitCode = 1;
  } finally {
    progress.stop();
    release();
  }
}

/**
 * What was measured, and what `advise` says of it.
 * @param {ReturnType<typeof createSweep>['findAdvice']} findAdvice
 * @param {Slo[] | undefined} slos
 * @param {import('../report/result-types.js').Variant[]} variants
 */
async function askAdvice(findAdvice, slos, variants) {
  if (!slos) return { words: [] };
  const sizes = variants.filter((variant) => meetsGoals(slos, variant)).map(({ settings }) => settings.poolSize);
  const measured = `Measured: ${slos.length === 1 ? 'the goal is' : 'all goals are'} met ${
    sizes.length > 0 ? `at pool size ${sizes.join(', ')}` : 'at none of these pool sizes'}.`;
  try {
    const advice = await findAdvice();
    return { advice, words: advice ? [measured, `For this load, advise says: ${explainAdvice(advice)[0]}`, ...explainAdvice(advice).slice(1)] : [measured] };
  } catch (error) {
    // What was measured must not be lost.
    return { words: [measured, `There is no advice: ${/** @type {Error} */ (error).message}`] };
  }
}

/**
 * Load goes to somebody else's database only if a person says so.
 * @param {string[]} hosts
 * @param {{ yes: boolean, signal: AbortSignal }} options
 */
async function agree(hosts, { yes, signal }) {
  const others = hosts.filter((host) => !isOnLoopback(host));
  if (yes || others.length === 0) return;
  process.stderr.write(`The app uses the MongoDB at ${escapeControls(others.join(', '))}, which is not on this machine.\n`);
  await requireYes('If it may get this load', signal);
}

/** A client that connects to 0.0.0.0 reaches this machine. @param {string} host with its port; or the path of a socket */
function isOnLoopback(host) {
  return /^(?:localhost|127(?:\.\d+){3}|0\.0\.0\.0|\[?::1?\]?)(?::\d+)?$/i.test(host) || host.startsWith('/') || host.endsWith('.sock');
}

/** @param {string} text */
function parseTarget(text) {
  const { protocol = '', href = '' } = URL.canParse(text) ? new URL(text) : {};
  if (!/^https?:$/.test(protocol)) throw new Error('It must be a URL such as http://127.0.0.1:3000.');
  return href.replace(/\/$/, '');
}

/** @param {string} text */
function parseSeconds(text) {
  const seconds = text.trim() === '' ? NaN : Number(text);
  if (!(seconds >= 0 && seconds <= MAX_SECONDS)) throw new InvalidArgumentError(`It must be a number from 0 to ${MAX_SECONDS}.`);
  return seconds;
}

/** @param {string} text */
function parsePaths(text) {
  const paths = text.split(',').map((path) => path.trim());
  if (!paths.every((path) => path.startsWith('/'))) throw new Error('Each path begins with /, such as /,/users/1.');
  return paths;
}
