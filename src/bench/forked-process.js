import { fork } from 'node:child_process';
import { once } from 'node:events';
import { childEnvironment } from '../settings.js';
import { collectText, endProcess } from './child-process.js';

/** @import { ChildProcess } from 'node:child_process' */

/**
 * Run one of our scripts as a process of its own, and wait for the first message that it sends. It has to end when its
 * parent lets go of it.
 *
 * @param {string} script path
 * @param {object} options
 * @param {string} options.problem what to say when it ends without a message, e.g. `the app did not start`
 * @param {string[]} [options.args]
 * @param {Record<string, string>} [options.env] added to this environment
 * @param {AbortSignal} [options.signal] ends the process
 * @returns {Promise<{ message: any, pid: number, stop: () => Promise<void>, child: ChildProcess,
 *   died: Promise<Error> }>} `died` has what the process said on stderr, once it has ended
 * @throws {Error} with what the process said on stderr
 */
export async function forkScript(script, { problem, args = [], env = {}, signal }) {
  const child = fork(script, args, { env: childEnvironment(env), stdio: ['ignore', 'ignore', 'pipe', 'ipc'] });
  const complaint = collectText(child.stderr);
  const ended = once(child, 'exit');
  const kill = () => child.kill('SIGKILL');
  signal?.addEventListener('abort', kill);
  ended.then(() => signal?.removeEventListener('abort', kill));

  const died = ended.then(() => new Error(`${problem}: ${complaint() || `exit code ${child.exitCode}`}`));

  const outcome = await Promise.race([once(child, 'message'), died]);
  signal?.throwIfAborted();
  if (outcome instanceof Error) throw outcome;
  return { message: outcome[0], pid: Number(child.pid), stop: () => endProcess(child, ended), child, died };
}
