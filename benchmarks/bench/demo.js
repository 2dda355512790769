import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { collectText } from '../../src/process/guarded-process.js';

/** @import { BenchmarkPart, PartContext } from '../parts/run-parts.js' */

const CLI = fileURLToPath(new URL('../../lab/cli.js', import.meta.url));
const WANTED_RATIO = 1.0015;
/** Seconds. */
const WANTED = { sequential: 54, parallel: 31 };

/** @type {BenchmarkPart} */
export const PART = { name: 'demo', about: 'how exact the demo is, and how long it takes', run };

/** @param {PartContext} context each run takes two minutes, so a fifth of them do */
async function run({ signal, say, runs }) {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'bench-demo-'));
  /** @type {object[]} */
  const rows = [];
  try {
    for (let number = 1; number <= Math.ceil(runs / 5); number += 1) {
      for (const mode of /** @type {const} */ (['sequential', 'parallel'])) {
        say(`demo: ${mode}, run ${number}`);
        const options = [
          '--json',
          '--out',
          path.join(folder, `${mode}-${number}`),
          ...(mode === 'parallel' ? ['--parallel'] : []),
        ];
        const { output, wallMs } = await runCommand(['run', 'mixed', ...options], signal);
        const ratios = JSON.parse(output).variants.map(
          (/** @type {any} */ { name, measured, exact }) => `${name}: ${(measured.maxMs / exact.maxMs).toFixed(4)}`,
        );
        rows.push({ figure: `demo, ${mode}: max to exact`, here: ratios.join(', '), 'at most': WANTED_RATIO });
        rows.push({ figure: `demo, ${mode}: wall time, s`, here: (wallMs / 1000).toFixed(1), 'at most': WANTED[mode] });
      }
    }
    return [{ title: `The demo, Node ${process.versions.node}`, rows }];
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** @param {string[]} args of the command @param {AbortSignal} signal */
async function runCommand(args, signal) {
  const startedAtMs = performance.now();
  const child = spawn(process.execPath, [CLI, ...args], {
    signal,
    killSignal: 'SIGTERM',
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const readStderr = collectText(child.stderr);
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (text) => {
    output += text;
  });
  const [code] = await once(child, 'close');
  if (code !== 0) throw new Error(`pool-lab ${args.join(' ')}: exit code ${code}\n${readStderr()}`);
  return { output, wallMs: performance.now() - startedAtMs };
}
