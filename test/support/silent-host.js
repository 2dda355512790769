import { once } from 'node:events';
import { createServer } from 'node:net';
import { cleanUp } from './cleanup.js';

/**
 * A download host that takes connections and never says a word, for a process that knows of no MongoDB of its own
 * and of no proxy.
 *
 * @returns {Promise<{ environment: Record<string, string>, called: Promise<import('node:net').Socket> }>} what the
 *   process has to be told, and the connection that it makes
 */
export async function startSilentHost() {
  const server = createServer((socket) => {
    cleanUp(() => socket.destroy());
    // A caller that is killed resets its line.
    socket.on('error', () => {});
    socket.resume();
  }).listen(0, '127.0.0.1');
  cleanUp(() => server.close());
  const called = once(server, 'connection').then(([socket]) => socket);
  await once(server, 'listening');
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
  return {
    environment: {
      MONGOMS_DOWNLOAD_MIRROR: `https://127.0.0.1:${port}`, PATH: '', MONGOD_PATH: '',
      HOME: '/nonexistent', INIT_CWD: '/', HTTPS_PROXY: '', HTTP_PROXY: '', https_proxy: '', http_proxy: '',
    },
    called,
  };
}
