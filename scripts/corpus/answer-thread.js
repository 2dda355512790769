// A thread that asks `pool-lab` about recordings, one after the other. A process for each command would load the same
// modules again and again.
import { parentPort } from 'node:worker_threads';
import { runProgram } from '../../lab/cli/program.js';
import { keepFacts } from './facts.js';

let stdout = '';
process.stdout.write = (/** @type {string | Uint8Array} */ text) => {
  stdout += text;
  return true;
};
process.stderr.write = () => true;

parentPort?.on('message', async (/** @type {import('./recordings.js').Question[]} */ questions) => {
  /** @type {Record<string, object>} */
  const answers = {};
  for (const { command, args } of questions) {
    stdout = '';
    process.exitCode = 0;
    await runProgram([command, ...args, '--json']);
    answers[command] = { exitCode: process.exitCode, ...(stdout && keepFacts(JSON.parse(stdout))) };
  }
  parentPort?.postMessage(answers);
});
