import { once } from 'node:events';
import { connect, createServer } from 'node:net';

/** @import { AddressInfo, Socket } from 'node:net' */

/**
 * Timers count whole milliseconds and fire up to one too late, or too early. A chunk that is due within this time is
 * delivered at once, so that late and early cancel out. Delays below 2 ms are only rough.
 */
const TOLERANCE_MS = 0.75;

/**
 * @typedef {object} DelayProxy
 * @property {number} port on the loopback interface
 * @property {() => void} cut ends every connection, drops what is in flight, and refuses new connections
 * @property {() => Promise<unknown>} restore accepts connections again, on the same port
 * @property {() => Promise<void>} close
 */

/**
 * Opens a proxy to a server. What one side sends, the other gets `delayMs` later, in order. It delays and does not
 * throttle: any amount can be in flight.
 * @param {object} options
 * @param {string} options.host of the server
 * @param {number} options.port of the server
 * @param {number} [options.delayMs] in each direction, so a round trip takes twice as much longer
 * @param {(from: Socket, to: Socket) => void} [options.forward] passes data and its end from one side to the other, in
 *   place of the delay
 * @returns {Promise<DelayProxy>}
 */
export async function openDelayProxy({
  host, port: farPort, delayMs = 0, forward = (from, to) => forwardLater(from, to, delayMs),
}) {
  /** @type {Set<Socket>} */
  const sockets = new Set();
  // One side may have ended while the other still sends.
  const options = { allowHalfOpen: true, noDelay: true };
  const server = createServer(options, (near) => {
    const far = connect({ host, port: farPort, ...options });
    for (const [from, to] of [[near, far], [far, near]]) {
      sockets.add(from);
      forward(from, to);
      // If one side breaks, the other one must notice.
      from.on('error', () => to.destroy());
      from.on('close', () => sockets.delete(from));
    }
  });
  /** @param {number} port */
  async function open(port) {
    server.listen(port, '127.0.0.1');
    await once(server, 'listening');
    return /** @type {AddressInfo} */ (server.address()).port;
  }
  function cut() {
    server.close();
    for (const socket of sockets) socket.destroy();
  }
  async function close() {
    if (!server.listening) return;
    cut();
    await once(server, 'close');
  }
  const port = await open(0);
  return { port, cut, restore: () => open(port), close };
}

/** @type {(from: Socket, to: Socket, delayMs: number) => void} */
function forwardLater(from, to, delayMs) {
  /** Oldest first; null is the end. @type {{ dueAtMs: number, chunk: Buffer | null }[]} */
  const inFlight = [];
  let isWaiting = false;

  /** @param {Buffer | null} chunk */
  function send(chunk) {
    inFlight.push({ dueAtMs: performance.now() + delayMs, chunk });
    if (!isWaiting) deliver();
  }
  function deliver() {
    isWaiting = false;
    while (inFlight.length > 0 && !isWaiting) {
      const leftMs = inFlight[0].dueAtMs - performance.now();
      isWaiting = leftMs > Math.min(TOLERANCE_MS, delayMs / 2);
      if (isWaiting) setTimeout(deliver, leftMs);
      else pass(inFlight.shift()?.chunk);
    }
  }
  /** @param {Buffer | null | undefined} chunk */
  function pass(chunk) {
    if (!chunk) to.end();
    else if (!to.write(chunk)) {
      isWaiting = true;
      from.pause();
      to.once('drain', () => {
        from.resume();
        deliver();
      });
    }
  }
  from.on('data', send);
  from.on('end', () => send(null));
}
