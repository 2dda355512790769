import { parsePoolSizes } from 'mongodb-pool-predictor';
import { compareResults, describeComparison } from '../report/compare-results.js';
import { escapeControls } from '../../src/base/printable.js';
import { widthOf, layOutText } from '../report/table.js';
import { readSettings } from '../../src/settings.js';
import { explainSweep, listSizes } from '../sweep/explain-sweep.js';
import { Sweep } from '../sweep/sweep-lab.js';
import { createSweepView } from '../sweep/sweep-view.js';
import { REQUIRED } from './fill-command.js';
import { requireYes } from './confirm.js';
import { parseBetween, parseUpTo } from './option-parsers.js';
import { reword } from './options.js';
import { runShown } from './run-shown.js';
import { readResult, reportResult, requireWritableResult } from './result-file.js';
import { runUntilSignal } from './signals.js';

/** @import { Command } from 'commander' */
/** @import { CommandData } from './add-command.js' */
/** @import { SweepOptions } from '../sweep/sweep-lab.js' */
/** @import { Slo } from 'mongodb-pool-predictor' */
/** @import { Variant } from '../report/result-types.js' */

const MAX_SECONDS = 3600;

/** @type {CommandData} */
export const command = {
  about:
    'load-test your own app at several pool sizes and compare. No code changes: the lab starts it with maxPoolSize ' +
    'overridden. It uses the MongoDB that the app uses; if that is not on this machine, it asks',
  usage: '[options] [scenario...] -- <command...>',
  arguments: [
    ['[scenario]', 'Artillery scenario to run; its target is ignored. Further files are merged into it'],
    ['[command...]', 'what starts your app, after --, such as node app.js'],
  ],
  options: [
    ['--pool-sizes <list>', 'e.g. 2,4,8,16', parsePoolSizes, REQUIRED],
    'environment',
    'config',
    'variables',
    [
      '--load <command>',
      "any other load generator instead of a scenario, such as 'k6 run load.js'; " +
        "it finds the app's URL in TARGET_URL and must exit with 0",
    ],
    'mongo',
    ['--target <url>', 'URL of the app (default: the first port that it opens)', parseTarget],
    reword('client', 'change and predict only the pool of this client, named as `watch` shows it'),
    reword('slo', "e.g. '/users/:id p95 < 50ms'; exit with 1 if no size meets all goals; repeatable"),
    ['--baseline <file>', 'result of an earlier sweep; exit with 1 if a route got worse beyond the noise'],
    reword('repeat', 'how many times to measure each size; the repeats are interleaved'),
    ['--warm-up <seconds>', 'how long to run the scenario before each measurement', parseBetween(0, MAX_SECONDS, 3), 3],
    ['--warm-up-paths <list>', 'warm up with these paths instead, such as /,/users/1', parsePaths],
    ['--start-timeout <seconds>', 'how long the app may take to listen', parseUpTo(MAX_SECONDS), 60],
    'outFolder',
    'json',
    reword('yes', "do not ask, even if the app's MongoDB is elsewhere"),
  ],
  example:
    "loadtests/users-and-admins.yaml --mongo embedded --pool-sizes 2,5 --slo '/fast p95 < 100ms' " +
    '-- node examples/article-app.js',
  run: (_scenario, _command, options, /** @type {Command} */ self) => runSweep(splitWords(self), options),
};

/**
 * Commander does not say which arguments stood before `--`.
 * @param {Command} self
 * @returns {{ command: string[], scenario: string[] }}
 */
function splitWords({ args, parent }) {
  const { rawArgs } = /** @type {Command & { rawArgs: string[] }} */ (parent);
  const dashes = rawArgs.indexOf('--');
  const command = dashes < 0 ? [] : rawArgs.slice(dashes + 1);
  if (command.length === 0) throw new Error('Which app? Put the command that starts it last, as in -- node app.js');
  return { command, scenario: args.slice(0, -command.length) };
}

/**
 * @param {{ command: string[], scenario: string[] }} words
 * @param {Omit<SweepOptions, 'command' | 'scenario' | 'confirmHosts'> & { repeat: number, baseline?: string,
 *   out?: string, json: boolean, yes: boolean }} options
 */
async function runSweep({ command, scenario: files }, { repeat, baseline, out, json, yes, ...options }) {
  const scenario = files.length > 0 ? files : undefined;
  if ((scenario === undefined) === (options.load === undefined)) {
    throw new Error(
      `Which load? Give either an Artillery scenario, such as loadtests/mixed.yaml, or --load COMMAND${
        scenario === undefined ? '' : ', not both'
      }`,
    );
  }
  const settings = readSettings();
  await requireWritableResult(out);
  const before = baseline === undefined ? undefined : await readBaseline(baseline, options.poolSizes);
  const width = widthOf(process.stderr);
  await runUntilSignal(async (signal) => {
    const confirmHosts = (/** @type {string[]} */ hosts) => confirmOtherHosts(hosts, { yes, signal });
    const sweep = new Sweep({ ...options, scenario, command, confirmHosts });
    const result = await runShown(
      sweep.lab,
      { repeat },
      // An embedded MongoDB is asked for by name, so MONGO_URL does not matter.
      { settings: { ...settings, mongoUrl: undefined }, signal, layOut: (line) => layOutText(line, width) },
    );
    const { advice, words } = await askAdvice(sweep, options.slo, { variants: result.variants, repeats: repeat });
    const changes = before && compareResults(before, result);
    const change = changes && describeComparison(changes, 'the baseline', 'this run');
    const whole = {
      ...result,
      ...(words.length > 0 && { advice: { ...advice, words } }),
      ...(sweep.gaps.hidden.length > 0 && { gaps: sweep.gaps }),
      ...(sweep.diagnoses.length > 0 && { doctor: { words: sweep.diagnoses } }),
      ...(change && { baseline: { ...changes, words: [change] } }),
    };
    const view = createSweepView([whole]);
    await reportResult(view, whole, {
      out,
      json,
      texts: [...sweep.gaps.words, ...sweep.diagnoses, ...words.slice(1)],
    });
    if (changes?.routes.some(({ verdict }) => verdict === 'worse')) process.exitCode = 1;
    if (options.slo && listSizes(options.slo, result.variants, 'met').length === 0) process.exitCode = 1;
  });
}

/** @param {string} file @param {number[]} poolSizes @throws {Error} if nothing of it can be compared */
async function readBaseline(file, poolSizes) {
  const { result } = await readResult(file);
  if (result.lab !== 'sweep') throw new Error(`--baseline ${file} is a result of run ${result.lab}, not of a sweep`);
  const sizes = result.variants.map(({ settings }) => settings.poolSize);
  if (!sizes.some((size) => poolSizes.includes(size)))
    throw new Error(`--baseline ${file} has other pool sizes: ${sizes.join(', ')}`);
  return result;
}

/**
 * Says what `advise` advises for a measured load, and at which sizes the goals were met.
 * @param {Sweep} sweep
 * @param {Slo[] | undefined} slos
 * @param {{ variants: Variant[], repeats: number }} measured
 */
async function askAdvice(sweep, slos, { variants, repeats }) {
  if (!slos) return { words: [] };
  try {
    const advice = await sweep.findAdvice();
    return { advice, words: explainSweep(slos, variants, { advice, repeats }) };
  } catch (error) {
    // What was measured must not be lost.
    const reason = `There is no advice: ${/** @type {Error} */ (error).message}`;
    return { words: [...explainSweep(slos, variants, { repeats }), reason] };
  }
}

/**
 * Load goes to somebody else's database only if a person says so.
 * @param {string[]} hosts
 * @param {{ yes: boolean, signal: AbortSignal }} options
 */
async function confirmOtherHosts(hosts, { yes, signal }) {
  const others = hosts.filter((host) => !isOnLoopback(host));
  if (yes || others.length === 0) return;
  process.stderr.write(
    `The app uses the MongoDB at ${escapeControls(others.join(', '))}, which is not on this machine.\n`,
  );
  await requireYes('If it may get this load', signal);
}

/**
 * A client that connects to 0.0.0.0 reaches this machine.
 * @param {string} host with its port; or the path of a socket
 */
function isOnLoopback(host) {
  return (
    /^(?:localhost|127(?:\.\d+){3}|0\.0\.0\.0|\[?::1?\]?)(?::\d+)?$/i.test(host) ||
    host.startsWith('/') ||
    host.endsWith('.sock')
  );
}

/** @param {string} text */
function parseTarget(text) {
  const { protocol = '', href = '' } = URL.canParse(text) ? new URL(text) : {};
  if (!/^https?:$/.test(protocol)) throw new Error('It must be a URL such as http://127.0.0.1:3000.');
  return href.replace(/\/$/, '');
}

/** @param {string} text */
function parsePaths(text) {
  const paths = text.split(',').map((path) => path.trim());
  if (!paths.every((path) => path.startsWith('/'))) throw new Error('Each path begins with /, such as /,/users/1.');
  return paths;
}
