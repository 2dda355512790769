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
 * @param {string} options.name what it is called in errors, e.g. `the app`
 * @param {string[]} [options.args]
 * @param {Record<string, string>} [options.env] added to this environment
 * @param {AbortSignal} [options.signal] ends the process
 * @returns {Promise<{ message: any, pid: number, stop: () => Promise<void>, child: ChildProcess,
 *   died: Promise<Error> }>} `died` says how it ended, and what it said on stderr
 * @throws {Error} with what the process said on stderr, or what `signal` was aborted with
 */
export async function forkScript(script, { name, args = [], env = {}, signal }) {
  signal?.throwIfAborted();
  const child = fork(script, args, { env: childEnvironment(env), stdio: ['ignore', 'ignore', 'pipe', 'ipc'] });
  const complaint = collectText(child.stderr);
  const ended = once(child, 'exit');
  const kill = () => child.kill('SIGKILL');
  signal?.addEventListener('abort', kill);
  ended.then(() => signal?.removeEventListener('abort', kill));

  let problem = `${name} did not start`;
  const died = ended.then(([code, signalName]) => (
    new Error(`${problem}: ${complaint() || (signalName ? `signal ${signalName}` : `exit code ${code}`)}`)));

  const outcome = await Promise.race([once(child, 'message'), died]);
  signal?.throwIfAborted();
  if (outcome instanceof Error) throw outcome;
  problem = `${name} ended by itself`;
  return { message: outcome[0], pid: Number(child.pid), stop: () => endProcess(child, ended), child, died };
}
