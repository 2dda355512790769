// A thread that runs `pool-lab` commands, one at a time. A process per command would load the same modules every time.
import { parentPort } from 'node:worker_threads';
import { runProgram } from '../../cli/program.js';

/** @typedef {{ args: string[], env: Record<string, string>, end: string, isInterrupt?: boolean }} CliOrder */

const original = { ...process.env };

parentPort?.on('message', async (/** @type {CliOrder} */ order) => {
  // A thread gets no signals.
  if (order.isInterrupt) {
    process.emit('SIGINT', 'SIGINT');
    return;
  }
  for (const name of Object.keys(process.env)) if (!(name in original)) delete process.env[name];
  Object.assign(process.env, original, order.env);
  process.exitCode = 0;
  await runProgram(order.args);
  // The output and the message arrive on different channels.
  for (const stream of [process.stdout, process.stderr]) stream.write(order.end);
  parentPort?.postMessage(process.exitCode);
});
