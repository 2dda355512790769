import { once } from 'node:events';
import net from 'node:net';

/** @returns {Promise<number>} a port on loopback that nothing listens on now */
export async function findFreePort() {
  const server = net.createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
  server.close();
  await once(server, 'close');
  return port;
}
