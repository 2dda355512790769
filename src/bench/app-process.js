import { fileURLToPath } from 'node:url';
import { forkScript } from './forked-process.js';

const SERVER = fileURLToPath(new URL('../server.js', import.meta.url));

/**
 * Start the demo app, or another that sends `{ url }` once it listens, as a process of its own on a free loopback port.
 *
 * @param {Record<string, string>} settings environment variables, e.g. `{ MONGO_POOLSIZE: '3' }`
 * @param {object} [options]
 * @param {string} [options.script] path of the app
 * @param {string[]} [options.args] for it
 * @param {AbortSignal} [options.signal] ends the process
 * @returns {Promise<{ url: string, pid: number, stop: () => Promise<void> }>} resolves once it listens
 * @throws {Error} with what the app said on stderr, when it ends before it listens
 */
export async function startApp(settings, { script = SERVER, ...options } = {}) {
  const { message: { url }, ...app } = await forkScript(script, {
    problem: 'the app did not start',
    env: { HOST: '127.0.0.1', PORT: '0', LOG_LEVEL: 'warn', ...settings },
    ...options,
  });
  return { url, ...app };
}
