import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { runArtillery } from '../../src/harness/artillery.js';
import { listen } from '../../src/http/listen.js';
import { MIXED_SCENARIO } from '../../src/labs/mixed/mixed-lab.js';
import { median } from './take-turns.js';

/** @import { Part, PartContext } from '../parts/run-parts.js' */

const CLI = fileURLToPath(new URL('../../src/cli.js', import.meta.url));
const WANTED_RATIO = 1.0015;
/** Seconds. */
const WANTED = { sequential: 54, parallel: 31 };
const WANTED_HELP_MS = 150;
const HELP_RUNS = 9;
const ARTILLERY_RUNS = 5;

/** @type {Part} */
export const PART = { name: 'demo', about: 'how exact the demo is, how long it takes, and what --help costs', run };

/** @param {PartContext} context each run takes two minutes, so a fifth of them do */
async function run({ signal, say, runs }) {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'bench-demo-'));
  /** @type {object[]} */
  const rows = [];
  try {
    for (let number = 1; number <= Math.ceil(runs / 5); number += 1) {
      for (const mode of /** @type {const} */ (['sequential', 'parallel'])) {
        say(`demo: ${mode}, run ${number}`);
        const { output, wallMs } = await runCommand(
          ['run', 'mixed', '--json', '--out', path.join(folder, `${mode}-${number}`), ...mode === 'parallel' ? ['--parallel'] : []], signal);
        const { variants } = JSON.parse(output);
        const ratios = variants.map((/** @type {any} */ { name, measured, exact }) => (
          `${name}: ${(measured.maxMs / exact.maxMs).toFixed(4)}`));
        rows.push({ 'figure': `demo, ${mode}: max to exact`, 'here': ratios.join(', '), 'at most': WANTED_RATIO });
        rows.push({ 'figure': `demo, ${mode}: wall time, s`, 'here': (wallMs / 1000).toFixed(1), 'at most': WANTED[mode] });
        // Nobody waits for the last query: it ends the load.
        const loadsMs = variants.map((/** @type {any} */ { repeats }) => repeats[0].arrivalsMs.at(-1));
        const loadMs = mode === 'parallel' ? Math.max(...loadsMs) : loadsMs.reduce((/** @type {number} */ sum, /** @type {number} */ ms) => sum + ms, 0);
        rows.push({ figure: 'of it: the load, s', here: (loadMs / 1000).toFixed(1) });
      }
    }
    /** @type {{ startMs: number, endMs: number }[]} */
    const artillery = [];
    for (let number = 1; number <= ARTILLERY_RUNS; number += 1) {
      say(`demo: Artillery alone, run ${number}`);
      artillery.push(await timeArtillery(signal));
    }
    const ofArtillery = (/** @type {'startMs' | 'endMs'} */ name) => (median(artillery.map((each) => each[name])) / 1000).toFixed(1);
    rows.push(
      { figure: 'of it: until Artillery sends its first request, for each size, s', here: ofArtillery('startMs') },
      { figure: 'of it: until Artillery ends after its last answer, for each size, s', here: ofArtillery('endMs') },
    );
    const helps = [];
    for (let number = 0; number < HELP_RUNS; number += 1) helps.push(await runCommand(['--help'], signal));
    rows.push({ 'figure': 'pool-lab --help: user time, ms', 'here': median(helps.map(({ userMs }) => userMs)).toFixed(0), 'at most': WANTED_HELP_MS });
    return [{ title: `The command, Node ${process.versions.node}`, rows }];
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/**
 * What Artillery takes for itself, with an app that answers at once.
 * @param {AbortSignal} signal
 */
async function timeArtillery(signal) {
  /** @type {number[]} */
  const answeredAtMs = [];
  const { url, close } = await listen((req, res) => {
    answeredAtMs.push(performance.now());
    res.end();
  }, { host: '127.0.0.1', port: 0 });
  try {
    const startedAtMs = performance.now();
    await runArtillery({ scenario: MIXED_SCENARIO, environment: 'smoke', target: url, signal });
    return { startMs: answeredAtMs[0] - startedAtMs, endMs: performance.now() - Number(answeredAtMs.at(-1)) };
  } finally {
    await close();
  }
}

/** Prints the processor time of a process when it ends. */
const SAY_TIME = `data:text/javascript,${encodeURIComponent(
  'process.on("exit", () => process.stderr.write(`\\nuser ${process.cpuUsage().user}\\n`))')}`;

/** @param {string[]} args of the command @param {AbortSignal} signal */
async function runCommand(args, signal) {
  const startedAtMs = performance.now();
  const child = spawn(process.execPath, ['--import', SAY_TIME, CLI, ...args], { signal, killSignal: 'SIGTERM', stdio: ['ignore', 'pipe', 'pipe'] });
  let [output, said] = ['', ''];
  child.stdout.setEncoding('utf8').on('data', (text) => { output += text; });
  child.stderr.setEncoding('utf8').on('data', (text) => { said += text; });
  const [code] = await once(child, 'close');
  if (code !== 0) throw new Error(`pool-lab ${args.join(' ')}: exit code ${code}\n${said}`);
  return { output, wallMs: performance.now() - startedAtMs, userMs: Number(/user (\d+)\n$/.exec(said)?.[1]) / 1000 };
}
