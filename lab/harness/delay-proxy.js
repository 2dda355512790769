import { once } from 'node:events';
import { connect, createServer } from 'node:net';

/** @import { Server, Socket } from 'node:net' */

/**
 * Opens a proxy to a server, on a free loopback port. What one side sends, the other gets `delayMs` later, in order. It
 * delays and does not throttle: any amount can be in flight.
 * @param {object} options
 * @param {string} options.host of the server
 * @param {number} options.port of the server
 * @param {number} options.delayMs in each direction, so a round trip takes twice as much longer
 * @param {number} [options.connectMs] how long a new connection is held, as by TLS and a login
 * @returns {Promise<Server>} that listens
 */
export async function openDelayProxy({ host, port, delayMs, connectMs = 0 }) {
  const forward = createForward(delayMs);
  // One side may have ended while the other still sends.
  const options = { allowHalfOpen: true, noDelay: true };
  const server = createServer(options, (near) => {
    // An error destroys it.
    near.on('error', () => {});
    if (connectMs === 0) join(near);
    else setTimeout(() => near.destroyed || join(near), connectMs);
  });
  /** @param {Socket} near */
  function join(near) {
    const far = connect({ host, port, ...options });
    for (const [from, to] of [
      [near, far],
      [far, near],
    ]) {
      forward(from, to);
      // If one side breaks, the other one must notice.
      from.on('error', () => to.destroy());
    }
  }
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return server;
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
