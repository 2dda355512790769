import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { childEnvironment } from '../settings.js';
import { collectText, endProcess } from './child-process.js';

const SERVER = fileURLToPath(new URL('../server.js', import.meta.url));

/**
 * Start the demo app as a process of its own, on a free loopback port.
 *
 * @param {Record<string, string>} settings environment variables, e.g. `{ MONGO_POOLSIZE: '3' }`
 * @param {object} [options]
 * @param {AbortSignal} [options.signal] ends the process
 * @returns {Promise<{ url: string, pid: number, stop: () => Promise<void> }>} resolves once it listens
 * @throws {Error} with what the app said on stderr, when it ends before it listens
 */
export async function startApp(settings, { signal } = {}) {
  const child = fork(SERVER, {
    env: childEnvironment({ HOST: '127.0.0.1', PORT: '0', LOG_LEVEL: 'warn', ...settings }),
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
  });
  const complaint = collectText(child.stderr);
  const ended = once(child, 'exit');
  const kill = () => child.kill('SIGKILL');
  signal?.addEventListener('abort', kill);
  ended.then(() => signal?.removeEventListener('abort', kill));

  const outcome = await Promise.race([once(child, 'message'), ended.then(() => undefined)]);
  signal?.throwIfAborted();
  if (!outcome) throw new Error(`the app did not start: ${complaint() || `exit code ${child.exitCode}`}`);
  const { url } = /** @type {{ url: string }} */ (outcome[0]);
  return { url, pid: Number(child.pid), stop: () => endProcess(child, ended) };
}
