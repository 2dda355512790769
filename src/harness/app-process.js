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
 * @returns {Promise<{ url: string, pid: number, signal: AbortSignal, stop: () => Promise<void> }>} resolves once it
 *   listens; `signal` is aborted when it ends, or the given one is. `stop` throws when it had ended by itself
 * @throws {Error} with what the app said on stderr, when it ends before it listens
 */
export async function startApp(settings, { script = SERVER, ...options } = {}) {
  const { message: { url }, stop, died, pid } = await forkScript(script, {
    name: 'the app',
    env: { HOST: '127.0.0.1', PORT: '0', LOG_LEVEL: 'warn', ...settings },
    ...options,
  });
  const gone = new AbortController();
  let isStopping = false;
  died.then((error) => !isStopping && gone.abort(error));
  const signal = AbortSignal.any([gone.signal, ...options.signal ? [options.signal] : []]);
  return {
    url,
    pid,
    signal,
    async stop() {
      isStopping = true;
      await stop();
      // Whatever else went wrong went wrong because of it.
      if (!options.signal?.aborted) gone.signal.throwIfAborted();
    },
  };
}
