import { once } from 'node:events';
import { createServer } from 'node:net';
import { cleanUp } from './cleanup.js';

/**
 * A download host that accepts connections and never answers, for a process without a MongoDB and without a proxy.
 * @returns {Promise<{ environment: Record<string, string>, called: Promise<import('node:net').Socket> }>} for the
 *   process, and the connection that it opens
 */
export async function startSilentHost() {
  const server = createServer((socket) => {
    cleanUp(() => socket.destroy());
    // A killed client resets its connection.
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
