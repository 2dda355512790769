import { once } from 'node:events';

/** @import { RequestListener } from 'node:http' */
/** @import { AddressInfo } from 'node:net' */

/** Importing node:http evaluates every export; WebSocket alone loads megabytes. */
const { createServer } = process.getBuiltinModule('node:http');
const LOOPBACK = '127.0.0.1';

/**
 * Creates the monitor's own server. It listens on loopback only, and keeps no process alive.
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
     * @param {number} port 0: any free one
     * @returns {Promise<string>} URL
     * @throws {Error} if the port is in use
     */
    async listen(port) {
      // In a cluster, workers would share a port that is not exclusive.
      server.listen({ port, host: LOOPBACK, exclusive: true }).unref();
      await once(server, 'listening');
      return `http://${LOOPBACK}:${/** @type {AddressInfo} */ (server.address()).port}/`;
    },
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}
