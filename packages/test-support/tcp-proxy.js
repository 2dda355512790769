import { connect, createServer } from 'node:net';
import { listen } from './processes.js';

/** @import { Socket } from 'node:net' */

/**
 * Opens a proxy to a server on the loopback interface.
 * @param {number} farPort
 * @param {(from: Socket, to: Socket) => unknown} [forward] passes data and its end from one side to the other
 */
export async function openProxy(farPort, forward = (from, to) => from.pipe(to)) {
  /** @type {Set<Socket>} */
  const sockets = new Set();
  // One side may have ended while the other still sends.
  const options = { allowHalfOpen: true, noDelay: true };
  const server = createServer(options, (near) => {
    const far = connect({ host: '127.0.0.1', port: farPort, ...options });
    for (const [from, to] of [
      [near, far],
      [far, near],
    ]) {
      sockets.add(from);
      forward(from, to);
      // If one side breaks, the other one must notice.
      from.on('error', () => to.destroy());
      from.on('close', () => sockets.delete(from));
    }
  });
  /** Ends every connection, drops what is in flight, and refuses new connections. */
  function cut() {
    server.close();
    for (const socket of sockets) socket.destroy();
  }
  const port = await listen(server);
  return { port, cut, /** Accepts connections again, on the same port. */ restore: () => listen(server, port) };
}
