import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import { cleanUp } from './cleanup.js';

/**
 * A TCP relay in front of a server, to cut its line without stopping it. It ends with the test file.
 *
 * @param {number} targetPort on the loopback interface
 * @returns {Promise<{ port: number, cut: () => void, restore: () => Promise<void> }>} `cut` ends every connection
 *   and refuses new ones
 */
export async function startRelay(targetPort) {
  /** @type {Set<import('node:net').Socket>} */
  const sockets = new Set();
  const server = createServer((near) => {
    const far = connect(targetPort, '127.0.0.1');
    for (const [socket, other] of [[near, far], [far, near]]) {
      sockets.add(socket);
      socket.pipe(other);
      // A broken line is what the relay is for.
      socket.on('error', () => {});
      socket.on('close', () => {
        sockets.delete(socket);
        other.destroy();
      });
    }
  });
  const open = async (/** @type {number} */ port) => {
    server.listen(port, '127.0.0.1');
    await once(server, 'listening');
    return /** @type {import('node:net').AddressInfo} */ (server.address()).port;
  };
  const port = await open(0);
  const cut = () => {
    server.close();
    for (const socket of sockets) socket.destroy();
  };
  cleanUp(cut);
  return {
    port,
    cut,
    async restore() {
      await open(port);
    },
  };
}
