import { once } from 'node:events';
import { connect, createServer } from 'node:net';

/** @import { AddressInfo, Socket } from 'node:net' */

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
 * @param {number} [options.connectMs] how long a new connection is held, as by TLS and a login
 * @param {(from: Socket, to: Socket) => void} [options.forward] passes data and its end from one side to the other, in
 *   place of the delay
 * @returns {Promise<DelayProxy>}
 */
export async function openDelayProxy({
  host,
  port: farPort,
  delayMs = 0,
  connectMs = 0,
  forward = createForward(delayMs),
}) {
  /** @type {Set<Socket>} */
  const sockets = new Set();
  // One side may have ended while the other still sends.
  const options = { allowHalfOpen: true, noDelay: true };
  const server = createServer(options, (near) => {
    keep(near);
    if (connectMs === 0) join(near);
    else setTimeout(() => near.destroyed || join(near), connectMs);
  });
  /** @param {Socket} socket */
  function keep(socket) {
    sockets.add(socket);
    // An error destroys it as well.
    socket.on('error', () => {});
    socket.on('close', () => sockets.delete(socket));
  }
  /** @param {Socket} near */
  function join(near) {
    const far = connect({ host, port: farPort, ...options });
    keep(far);
    for (const [from, to] of [
      [near, far],
      [far, near],
    ]) {
      forward(from, to);
      // If one side breaks, the other one must notice.
      from.on('error', () => to.destroy());
    }
  }
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

/** @param {number} delayMs @returns {(from: Socket, to: Socket) => void} */
function createForward(delayMs) {
  const later = createDelayLine(delayMs);
  return (from, to) => {
    from.on('data', (chunk) => later(() => write(chunk)));
    from.on('end', () => later(() => to.end()));

    /** @param {Buffer} chunk */
    function write(chunk) {
      if (to.write(chunk) || from.isPaused()) return;
      from.pause();
      to.once('drain', () => from.resume());
    }
  };
}

/** Node's timers count whole milliseconds and fire up to two late, so they end this long before something is due. */
const TIMER_MS = 2;
/** Length of the short naps that the thread then takes. It looks at its sockets after each. */
const NAP_MS = 0.1;
/** What a chunk takes to come in and to go out on two idle cores. It is delivered this much earlier. */
const HOP_MS = 0.1;

/**
 * Calls functions after a delay, in order. On an idle machine it is exact to about 0.1 ms, which timers are not.
 * @param {number} delayMs
 * @returns {(call: () => void) => void}
 */
function createDelayLine(delayMs) {
  const nap = new Int32Array(new SharedArrayBuffer(4));
  /** Oldest first. @type {{ dueAtMs: number, call: () => void }[]} */
  const waiting = [];

  function callDue() {
    let leftMs = 0;
    while (waiting.length > 0 && leftMs <= 0) {
      leftMs = waiting[0].dueAtMs - performance.now();
      if (leftMs <= 0) waiting.shift()?.call();
    }
    if (leftMs > TIMER_MS + 1) setTimeout(callDue, leftMs - TIMER_MS);
    else if (leftMs > 0) {
      Atomics.wait(nap, 0, 0, Math.min(leftMs, NAP_MS));
      setImmediate(callDue);
    }
  }

  return (call) => {
    waiting.push({ dueAtMs: performance.now() + Math.max(0, delayMs - HOP_MS), call });
    if (waiting.length === 1) callDue();
  };
}
