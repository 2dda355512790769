// A thread that asks `pool-lab` about recordings, one after the other. A process for each command would load the same
// modules again and again.
import { parentPort } from 'node:worker_threads';
import { askCommand, captureOutput } from './ask-command.js';

captureOutput();
parentPort?.on('message', async (/** @type {import('./recordings.js').Question[]} */ questions) => {
  /** @type {Record<string, object>} */
  const answers = {};
  /** @type {Record<string, string>} */
  const texts = {};
  for (const question of questions) {
    const { answer, text } = await askCommand(question);
    answers[question.command] = answer;
    texts[question.command] = text;
  }
  parentPort?.postMessage({ answers, texts });
});
