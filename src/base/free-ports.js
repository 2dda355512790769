import { once } from 'node:events';
import { createServer } from 'node:net';

/**
 * All servers listen at once, so that no port comes twice.
 * @param {number} count
 * @param {number[]} [wanted] where free
 * @returns {Promise<number[]>} ports on loopback that nothing listens on now
 */
export async function findFreePorts(count, wanted = []) {
  const servers = await Promise.all(Array.from({ length: count }, (_, index) => listen(wanted[index])));
  const ports = servers.map((server) => /** @type {import('node:net').AddressInfo} */ (server.address()).port);
  await Promise.all(servers.map((server) => once(server.close(), 'close')));
  return ports;
}

/** @param {number} [port] another one if it is in use @returns {Promise<import('node:net').Server>} */
async function listen(port = 0) {
  const server = createServer().listen(port, '127.0.0.1');
  try {
    await once(server, 'listening');
    return server;
  } catch (error) {
    if (port === 0) throw error;
    return listen();
  }
}
