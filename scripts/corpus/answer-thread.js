// A thread that asks `pool-lab` about recordings, one after the other. A process for each command would load the same
// modules again and again.
import { parentPort } from 'node:worker_threads';
import { runProgram } from '../../lab/cli/program.js';
import { keepFacts } from './facts.js';

const said = { stdout: '', stderr: '' };
for (const name of /** @type {const} */ (['stdout', 'stderr'])) {
  process[name].write = (/** @type {string | Uint8Array} */ text) => {
    said[name] += text;
    return true;
  };
}

parentPort?.on('message', async (/** @type {import('./recordings.js').Question[]} */ questions) => {
  /** @type {Record<string, object>} */
  const answers = {};
  /** @type {Record<string, string>} */
  const texts = {};
  for (const { command, args } of questions) {
    Object.assign(said, { stdout: '', stderr: '' });
    process.exitCode = 0;
    await runProgram([command, ...args, '--json']);
    const facts = said.stdout === '' ? { error: said.stderr.trim() } : keepFacts(JSON.parse(said.stdout));
    answers[command] = { exitCode: process.exitCode, ...facts };
    // Beside JSON, what a terminal shows goes to stderr.
    texts[command] = said.stderr;
  }
  parentPort?.postMessage({ answers, texts });
});
