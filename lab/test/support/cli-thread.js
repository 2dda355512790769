// A thread that runs `pool-lab` commands, one at a time. A process per command would load the same modules every time.
import Module from 'node:module';
import { parentPort } from 'node:worker_threads';
import { runProgram } from '../../cli/program.js';

/**
 * @typedef {{ args: string[], env: Record<string, string>, end: string, without?: string, isInterrupt?: boolean }}
 *   CliOrder without: a package that counts as not installed
 */

const original = { ...process.env };
/** @type {string | undefined} */
let hidden;

// require.resolve() asks it, and Node.js has no other way to hide a package that is there.
const resolver = /** @type {{ _resolveFilename: (request: string, ...others: unknown[]) => string }} */ (
  /** @type {unknown} */ (Module)
);
const { _resolveFilename: resolve } = resolver;
resolver._resolveFilename = (request, ...others) => {
  if (hidden === undefined || request.split('/')[0] !== hidden) return resolve(request, ...others);
  throw Object.assign(new Error(`Cannot find module '${request}'`), { code: 'MODULE_NOT_FOUND' });
};

parentPort?.on('message', async (/** @type {CliOrder} */ order) => {
  // A thread gets no signals.
  if (order.isInterrupt) {
    process.emit('SIGINT', 'SIGINT');
    return;
  }
  for (const name of Object.keys(process.env)) if (!(name in original)) delete process.env[name];
  Object.assign(process.env, original, order.env);
  hidden = order.without;
  process.exitCode = 0;
  await runProgram(order.args);
  // The output and the message arrive on different channels.
  for (const stream of [process.stdout, process.stderr]) stream.write(order.end);
  parentPort?.postMessage(process.exitCode);
});
