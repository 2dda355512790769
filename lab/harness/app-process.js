import { fileURLToPath } from 'node:url';
import { forkScript } from './forked-process.js';

const SERVER = fileURLToPath(new URL('../../src/server.js', import.meta.url));

/**
 * Starts the demo app as a separate process on a free loopback port.
 * @param {Record<string, string>} settings environment variables, e.g. `{ MONGO_POOLSIZE: '3' }`
 * @param {object} [options]
 * @param {string} [options.script] path of another app, which sends `{ url }` when it listens
 * @param {string[]} [options.args]
 * @param {AbortSignal} [options.signal] ends the process
 * @returns {Promise<{ url: string, pid: number, signal: AbortSignal, ask: (question: string) => Promise<any>,
 *   stop: () => Promise<void> }>} `signal` is aborted when the app ends or `options.signal` is aborted. `ask` is for an
 *   app that answers messages. `stop` throws if the app ended by itself
 * @throws {Error} with the app's stderr, if it ends before it listens
 */
export async function startApp(settings, { script = SERVER, ...options } = {}) {
  const { message, stop, died, pid, ask } = await forkScript(script, {
    name: 'the app',
    // When this process is killed, the app must not outlive it by more than a few seconds.
    env: { HOST: '127.0.0.1', PORT: '0', LOG_LEVEL: 'warn', SHUTDOWN_TIMEOUT_MS: '3000', ...settings },
    ...options,
  });
  const ended = new AbortController();
  let isStopping = false;
  died.then((error) => !isStopping && ended.abort(error));
  const signal = AbortSignal.any([ended.signal, ...(options.signal ? [options.signal] : [])]);
  return {
    url: message.url,
    pid,
    signal,
    ask,
    async stop() {
      isStopping = true;
      await stop();
      // An app that died is the cause of whatever else went wrong.
      if (!options.signal?.aborted) ended.signal.throwIfAborted();
    },
  };
}
