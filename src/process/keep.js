import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

const KEEPER = fileURLToPath(new URL('keeper.js', import.meta.url));

/**
 * @typedef {object} Kept
 * @property {import('node:stream').Readable} stdout
 * @property {import('node:stream').Readable} stderr
 * @property {Promise<string>} ended how it ended, e.g. `exit code 1` or `signal SIGKILL`
 * @property {() => Promise<void>} stop kills it and removes its folder; may be called twice
 */

/**
 * Run a command that knows nothing of us, so that it never outlives this process: a small process of ours starts it,
 * and kills it when the channel to us closes, however we end. Both are away from the terminal's process group: Ctrl-C is
 * ours to handle.
 *
 * @param {string} file
 * @param {string[]} args
 * @param {object} options
 * @param {string} options.folder its temporary one
 * @param {NodeJS.ProcessEnv} [options.env]
 * @param {AbortSignal} [options.signal] stops it
 * @returns {Kept}
 * @throws what `signal` was aborted with
 */
export function keepRunning(file, args, { folder, env, signal }) {
  signal?.throwIfAborted();
  const keeper = fork(KEEPER, [folder, file, ...args], {
    env, execArgv: [], stdio: ['ignore', 'pipe', 'pipe', 'ipc'], detached: process.platform !== 'win32',
  });
  let how = 'it was stopped';
  keeper.once('message', (/** @type {any} */ { code, signal: name, error }) => {
    how = error ?? (name ? `signal ${name}` : `exit code ${code}`);
  });
  // Not the event 'close': Node leaves it out when the parent has disconnected.
  const ended = once(keeper, 'exit').then(() => how);
  const stop = async () => {
    if (keeper.connected) keeper.disconnect();
    await ended;
  };
  signal?.addEventListener('abort', stop, { once: true });
  ended.then(() => signal?.removeEventListener('abort', stop));
  const { stdout, stderr } = /** @type {Kept} */ (/** @type {unknown} */ (keeper));
  return { stdout, stderr, ended, stop };
}
