// A thread that runs `pool-lab` as often as it is told, one command at a time: a process for each would read the same
// modules again each time.
import { parentPort } from 'node:worker_threads';
import { runProgram } from '../../src/cli/program.js';

const original = { ...process.env };

parentPort?.on('message', async (/** @type {{ args: string[], env: Record<string, string>, end: string }} */ order) => {
  for (const name of Object.keys(process.env)) if (!(name in original)) delete process.env[name];
  Object.assign(process.env, original, order.env);
  process.exitCode = 0;
  await runProgram(order.args);
  // What it printed comes another way than messages do.
  for (const stream of [process.stdout, process.stderr]) stream.write(order.end);
  parentPort?.postMessage(process.exitCode);
});
