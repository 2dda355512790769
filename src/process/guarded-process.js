import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

const GUARD = fileURLToPath(new URL('process-guard.js', import.meta.url));

/**
 * @typedef {object} GuardedProcess
 * @property {number} pid of the guard, which starts the command
 * @property {import('node:stream').Readable} stdout
 * @property {import('node:stream').Readable} stderr
 * @property {Promise<string>} ended how it ended, e.g. `exit code 1` or `signal SIGKILL`
 * @property {() => Promise<void>} stop ends it and whatever it started, and removes its folder; may be called twice
 */

/**
 * Starts a command that never outlives this process, nor does what it starts. A small guard process starts it, and
 * ends it when the IPC channel to us closes, however we end. Both leave the terminal's process group, so that Ctrl-C
 * reaches only us.
 * @param {string} file
 * @param {string[]} args
 * @param {object} options
 * @param {string} [options.folder] temporary; removed at the end
 * @param {number} [options.graceMs] how long all of it may take to end after SIGTERM, before it is killed; default 0
 * @param {NodeJS.ProcessEnv} [options.env]
 * @param {AbortSignal} [options.signal] stops it
 * @returns {GuardedProcess}
 * @throws the abort reason of `signal`
 */
export function startGuarded(file, args, { folder = '', graceMs = 0, env, signal }) {
  signal?.throwIfAborted();
  const guard = fork(GUARD, [folder, String(graceMs), file, ...args], {
    env,
    execArgv: [],
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    detached: process.platform !== 'win32',
  });
  let how = 'it was stopped';
  guard.once('message', (/** @type {any} */ { code, signal: name, error }) => {
    how = error ?? (name ? `signal ${name}` : `exit code ${code}`);
  });
  // Not the event 'close': Node leaves it out when the parent has disconnected.
  const ended = once(guard, 'exit').then(() => how);
  const stop = async () => {
    if (guard.connected) guard.disconnect();
    await ended;
  };
  signal?.addEventListener('abort', stop, { once: true });
  ended.then(() => signal?.removeEventListener('abort', stop));
  const { stdout, stderr } = /** @type {GuardedProcess} */ (/** @type {unknown} */ (guard));
  return { pid: Number(guard.pid), stdout, stderr, ended, stop };
}

/** An error with its causes can be long. */
const MAX_CHARACTERS = 16_384;

/**
 * Collects the last 16 kB of a stream.
 * @param {import('node:stream').Readable | null} stream
 * @returns {() => string} reads them
 */
export function collectText(stream) {
  let text = '';
  stream?.setEncoding('utf8').on('data', (chunk) => {
    text = (text + chunk).slice(-MAX_CHARACTERS);
  });
  return () => text.trim();
}
