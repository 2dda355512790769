import { once } from 'node:events';
import { connect, createServer } from 'node:net';

/** @import { AddressInfo, Socket } from 'node:net' */

/**
 * A timer of the platform counts in whole milliseconds and comes up to one late, or early. What is due this soon when
 * it comes goes at once, so that late and early make up for each other. Delays below 2 ms are kept only roughly.
 */
const TOLERANCE_MS = 0.75;

/**
 * @typedef {object} Hop
 * @property {number} port on the loopback interface
 * @property {() => void} cut ends every connection, with what is on its way, and refuses new ones
 * @property {() => Promise<unknown>} restore takes connections again, on the same port
 * @property {() => Promise<void>} close ends it
 */

/**
 * Stand between clients and a server, and make the way longer: what one of them sends, the other gets `delayMs` later,
 * in order. It delays and does not throttle: as much as one likes can be on its way at once. Other ways can be given.
 *
 * @param {object} way
 * @param {string} way.host of the server
 * @param {number} way.port of the server
 * @param {number} [way.delayMs] each way, so that a round trip takes twice as much longer
 * @param {(from: Socket, to: Socket) => void} [way.carry] takes to one side what the other sends, and its end
 * @returns {Promise<Hop>}
 */
export async function openDelayProxy({
  host, port: farPort, delayMs = 0, carry = (from, to) => carryLater(from, to, delayMs),
}) {
  /** @type {Set<Socket>} */
  const sockets = new Set();
  // Each side may have said all while the other still speaks.
  const options = { allowHalfOpen: true, noDelay: true };
  const server = createServer(options, (near) => {
    const far = connect({ host, port: farPort, ...options });
    for (const [from, to] of [[near, far], [far, near]]) {
      sockets.add(from);
      carry(from, to);
      // A broken line is no fault of the hop: the other side learns of it by its end.
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
function carryLater(from, to, delayMs) {
  /** What is on its way, oldest first; null is the end. @type {{ dueAtMs: number, chunk: Buffer | null }[]} */
  const underWay = [];
  let isWaiting = false;

  /** @param {Buffer | null} chunk */
  function send(chunk) {
    underWay.push({ dueAtMs: performance.now() + delayMs, chunk });
    if (!isWaiting) deliver();
  }
  function deliver() {
    isWaiting = false;
    while (underWay.length > 0 && !isWaiting) {
      const leftMs = underWay[0].dueAtMs - performance.now();
      isWaiting = leftMs > Math.min(TOLERANCE_MS, delayMs / 2);
      if (isWaiting) setTimeout(deliver, leftMs);
      else pass(underWay.shift()?.chunk);
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
