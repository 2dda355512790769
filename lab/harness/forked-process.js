import { fork } from 'node:child_process';
import { once } from 'node:events';
import { childEnvironment } from '../../src/process/child-environment.js';
import { collectText } from '../../src/process/guarded-process.js';

/** @import { ChildProcess } from 'node:child_process' */

/** Longer than the app's shutdown deadline. */
const END_TIMEOUT_MS = 35_000;

/**
 * Runs one of our scripts as a separate process and waits for its first message. The script must end when its parent
 * disconnects.
 * @param {string} script path
 * @param {object} options
 * @param {string} options.name for errors, e.g. `the app`
 * @param {string[]} [options.args]
 * @param {Record<string, string>} [options.env] added to this environment
 * @param {string} [options.execPath] of another Node.js
 * @param {string[]} [options.execArgv] options for Node.js itself
 * @param {AbortSignal} [options.signal] ends the process
 * @returns {Promise<{ message: any, pid: number, stop: () => Promise<void>, child: ChildProcess,
 *   died: Promise<Error>, ask: (question: string) => Promise<any> }>} `died` resolves when it ends, with its exit code
 *   or stderr; `ask` sends a message and resolves to the next one that comes back. It throws as this function does
 * @throws {Error} with the stderr of the process, or the signal's reason
 */
export async function forkScript(script, { name, args = [], env = {}, execPath, execArgv, signal }) {
  signal?.throwIfAborted();
  const child = fork(script, args, {
    execPath,
    execArgv,
    env: childEnvironment(env),
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
  });
  const readStderr = collectText(child.stderr);
  const ended = once(child, 'exit');
  const kill = () => child.kill('SIGKILL');
  signal?.addEventListener('abort', kill);
  ended.then(() => signal?.removeEventListener('abort', kill));

  let problem = `${name} did not start`;
  const died = ended.then(
    ([code, signalName]) =>
      new Error(`${problem}: ${readStderr() || (signalName ? `signal ${signalName}` : `exit code ${code}`)}`),
  );

  const receive = async () => {
    const outcome = await Promise.race([once(child, 'message'), died]);
    signal?.throwIfAborted();
    if (outcome instanceof Error) throw outcome;
    return outcome[0];
  };
  const message = await receive();
  problem = `${name} ended by itself`;
  return {
    message,
    pid: Number(child.pid),
    stop: () => endProcess(child, ended),
    child,
    died,
    ask(question) {
      child.send(question);
      return receive();
    },
  };
}

/**
 * Asks a child to end by closing its channel, which works on every platform. Kills it if it does not end.
 * @param {ChildProcess} child
 * @param {Promise<unknown>} ended
 */
async function endProcess(child, ended) {
  if (child.connected) child.disconnect();
  const timer = setTimeout(() => child.kill('SIGKILL'), END_TIMEOUT_MS);
  await ended;
  clearTimeout(timer);
}
