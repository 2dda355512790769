import { once } from 'node:events';
import { createServer } from 'node:net';

/**
 * All servers listen at once, so that no port comes twice.
 * @param {number} count
 * @returns {Promise<number[]>} ports on loopback that nothing listens on now
 */
export async function findFreePorts(count) {
  const servers = Array.from({ length: count }, () => createServer().listen(0, '127.0.0.1'));
  await Promise.all(servers.map((server) => once(server, 'listening')));
  const ports = servers.map((server) => /** @type {import('node:net').AddressInfo} */ (server.address()).port);
  await Promise.all(servers.map((server) => once(server.close(), 'close')));
  return ports;
}
