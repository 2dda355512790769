import { once } from 'node:events';

/** @import { RequestListener } from 'node:http' */
/** @import { AddressInfo } from 'node:net' */

/** Importing node:http evaluates every export; WebSocket alone loads megabytes. */
const { createServer } = process.getBuiltinModule('node:http');

/**
 * Creates the monitor's own server. It keeps no process alive.
 *
 * @param {RequestListener} answer
 */
export function createOwnServer(answer) {
  const server = createServer(answer);
  server.on('connection', (socket) => socket.unref());

  return {
    /** @param {unknown} other */
    is: (other) => other === server,
    /**
     * @param {string} host
     * @param {number} port 0: any free one
     * @returns {Promise<string>} URL
     * @throws {Error} if the port is in use, or the host is not of this machine
     */
    async listen(host, port) {
      // In a cluster, workers would share a port that is not exclusive.
      server.listen({ port, host, exclusive: true }).unref();
      await once(server, 'listening');
      return `http://${host.includes(':') ? `[${host}]` : host}:${/** @type {AddressInfo} */ (server.address()).port}/`;
    },
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}
