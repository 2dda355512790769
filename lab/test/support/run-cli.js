import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { expect } from '@jest/globals';
import { cleanUp } from 'test-support/cleanup.js';

/** @import { CliOrder } from './cli-thread.js' */

/** No command prints this. */
const END = '\0end\0';

/** @type {Worker | undefined} */
let thread;
/** @type {Promise<unknown>} */
let last = Promise.resolve();
cleanUp(() => thread?.terminate());

/**
 * Runs `pool-lab` in a thread of this test file, which is faster than a process. Commands run one after the other.
 * @param {string[]} args
 * @param {{ env?: Record<string, string>, without?: string, interrupt?: AbortSignal }} [options] env: added to this
 *   environment; without: a package that counts as not installed; interrupt: acts like Ctrl-C, for commands that end
 *   normally after it
 * @returns {Promise<{ code: number, stdout: string, stderr: string }>}
 */
export function runCli(args, { env = {}, without, interrupt } = {}) {
  const outcome = last.then(() => run({ args, env, without, end: END }, interrupt));
  last = outcome.catch(() => {});
  return outcome;
}

/**
 * Expects that a command ends with code 1 and says why on stderr, without a result and without a stack.
 * @param {string[]} args
 * @param {RegExp} message
 * @param {{ env?: Record<string, string>, without?: string }} [options]
 */
export async function expectRefused(args, message, options) {
  const { code, stdout, stderr } = await runCli(args, options);
  expect(stderr).toMatch(message);
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
  expect(stderr).not.toMatch(/^ +at /m);
}

function startThread() {
  const env = { ...process.env };
  // Jest sets it where it has a terminal itself.
  delete env.FORCE_COLOR;
  return new Worker(new URL('cli-thread.js', import.meta.url), { stdout: true, stderr: true, env });
}

/** @param {CliOrder} order @param {AbortSignal} [interrupt] */
async function run(order, interrupt) {
  thread ??= startThread();
  const outcome = Promise.all([once(thread, 'message'), readToEnd(thread.stdout), readToEnd(thread.stderr)]);
  thread.postMessage(order);
  interrupt?.addEventListener('abort', () => thread?.postMessage({ ...order, isInterrupt: true }), { once: true });
  const [[code], stdout, stderr] = await outcome;
  return { code, stdout, stderr };
}

/** @param {import('node:stream').Readable} stream @returns {Promise<string>} the text before the next END */
function readToEnd(stream) {
  return new Promise((resolve) => {
    let said = '';
    const listen = (/** @type {string} */ chunk) => {
      said += chunk;
      if (!said.endsWith(END)) return;
      stream.off('data', listen);
      resolve(said.slice(0, -END.length));
    };
    stream.setEncoding('utf8').on('data', listen);
  });
}
