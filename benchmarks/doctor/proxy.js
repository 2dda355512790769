import { once } from 'node:events';
import { connect, createServer } from 'node:net';

/** @import { AddressInfo, Socket } from 'node:net' */

/**
 * @typedef {object} Faults
 * @property {number} handshakeMs how much longer a new connection takes
 * @property {number} idleMs connections for queries are ended when they have been idle this long; 0: never
 * @property {number} cutEveryMs all connections are ended this often; 0: never
 * @property {number} downMs and nobody can connect for this long afterwards
 */

/** What the driver sends on connections for queries only. */
const QUERY = Buffer.from('find\0');

/**
 * Opens a proxy to a server on this machine that does what balancers, firewalls and failing servers do.
 *
 * @param {number} port of the server
 * @param {Partial<Faults>} faults
 * @returns {Promise<{ port: number, close: () => void }>}
 */
export async function openProxy(port, { handshakeMs = 0, idleMs = 0, cutEveryMs = 0, downMs = 0 }) {
  /** @type {Set<Socket>} */
  const sockets = new Set();
  let isDown = false;
  const server = createServer({ noDelay: true }, (near) => {
    if (isDown) {
      near.resetAndDestroy();
      return;
    }
    const far = connect({ port, host: '127.0.0.1', noDelay: true });
    for (const socket of [near, far]) {
      sockets.add(socket);
      socket.on('error', () => {}).on('close', () => sockets.delete(socket));
    }
    near.on('close', () => far.destroy());
    far.on('close', () => near.destroy());
    // The driver sends its hello at once.
    near.pause();
    setTimeout(() => near.pipe(far), handshakeMs);
    far.pipe(near);
    if (idleMs > 0) endIdle(near, far, idleMs);
  });
  const timer =
    cutEveryMs > 0 &&
    setInterval(() => {
      isDown = true;
      for (const socket of sockets) socket.destroy();
      setTimeout(() => (isDown = false), downMs);
    }, cutEveryMs);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: /** @type {AddressInfo} */ (server.address()).port,
    close() {
      if (timer) clearInterval(timer);
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}

/** @param {Socket} near @param {Socket} far @param {number} idleMs */
function endIdle(near, far, idleMs) {
  /** @type {NodeJS.Timeout | undefined} */
  let timer;
  let isForQueries = false;
  near.on('data', (chunk) => {
    isForQueries ||= chunk.includes(QUERY);
    clearTimeout(timer);
  });
  far.on('data', () => {
    clearTimeout(timer);
    if (isForQueries) timer = setTimeout(() => near.end(), idleMs);
  });
}
