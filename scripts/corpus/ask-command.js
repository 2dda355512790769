import { runProgram } from '../../lab/cli/program.js';
import { keepFacts } from './facts.js';

const said = { stdout: '', stderr: '' };

/** Keeps what this thread prints, for `askCommand`. */
export function captureOutput() {
  for (const name of /** @type {const} */ (['stdout', 'stderr'])) {
    process[name].write = (/** @type {string | Uint8Array} */ text) => {
      said[name] += text;
      return true;
    };
  }
}

/**
 * Asks `pool-lab` in this thread, whose output must be captured.
 *
 * @param {import('./recordings.js').Question} question
 * @returns {Promise<{ answer: object, text: string }>} the facts of its JSON; text: what a terminal shows beside that
 */
export async function askCommand({ command, args }) {
  Object.assign(said, { stdout: '', stderr: '' });
  process.exitCode = 0;
  await runProgram([command, ...args, '--json']);
  const facts = said.stdout === '' ? { error: said.stderr.trim() } : keepFacts(JSON.parse(said.stdout));
  return { answer: { exitCode: process.exitCode, ...facts }, text: said.stderr };
}
