import { once } from 'node:events';
import { createServer } from 'node:http';

/**
 * Our clients send a few hundred bytes. Whoever takes longer for that only holds a socket; Node's defaults would let
 * them do it for one minute and for five, and look only every half minute.
 */
const LIMITS = { headersTimeout: 10_000, requestTimeout: 20_000, connectionsCheckingInterval: 1000 };

const SWEEP_MS = 50;

/** A connection that was made just before the end has this long to send its request. */
const GRACE_MS = 500;

/** @typedef {Map<import('node:net').Socket, number>} Work how many requests are under way on each connection */

/**
 * Serve HTTP.
 *
 * @param {import('node:http').RequestListener} app
 * @param {{ host: string, port: number }} where
 * @returns {Promise<{ url: string, close: () => Promise<void> }>} `close` accepts no more and waits for the
 *   requests that run, not for connections that never send one
 * @throws {Error} that names the setting, e.g. when the port is in use
 */
export async function listen(app, { host, port }) {
  const server = createServer(LIMITS, app);
  const work = followWork(server);
  server.listen(port, host);
  try {
    await once(server, 'listening');
  } catch (cause) {
    const { code, message } = /** @type {NodeJS.ErrnoException} */ (cause);
    throw new Error(code === 'EADDRINUSE'
      ? `PORT=${port} is in use on ${host}: stop what listens there, or set PORT (0 takes any free port)`
      : `HOST=${host} PORT=${port}: can't listen there (${message})`, { cause });
  }
  const address = /** @type {import('node:net').AddressInfo} */ (server.address());
  const name = address.family === 'IPv6' ? `[${host}]` : host;
  return { url: `http://${name}:${address.port}`, close: () => close(server, work) };
}

/**
 * @param {import('node:http').Server} server
 * @returns {Work}
 */
function followWork(server) {
  /** @type {Work} */
  const work = new Map();
  server.on('connection', (socket) => {
    work.set(socket, 0);
    socket.once('close', () => work.delete(socket));
  });
  /** @type {(socket: import('node:net').Socket, change: number) => void} */
  const count = (socket, change) => {
    const before = work.get(socket);
    if (before !== undefined) work.set(socket, before + change);
  };
  server.on('request', ({ socket }, res) => {
    count(socket, 1);
    res.once('close', () => count(socket, -1));
  });
  return work;
}

/**
 * @param {import('node:http').Server} server
 * @param {Work} work
 */
async function close(server, work) {
  const closingAt = performance.now();
  server.close();
  const sweep = setInterval(() => {
    // Node closes only the connections that are idle at this moment; those that answer now become idle later.
    server.closeIdleConnections();
    if (performance.now() < closingAt + GRACE_MS) return;
    // One that has never sent a whole request is not idle to Node, and once the server closes no timeout ends it.
    for (const [socket, requests] of work) if (requests === 0) socket.destroy();
  }, SWEEP_MS);
  await once(server, 'close');
  clearInterval(sweep);
}
