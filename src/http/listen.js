import { once } from 'node:events';
import { createServer } from 'node:http';

/**
 * Our clients send a few hundred bytes. A client that takes longer only holds a socket. Node's defaults would allow one
 * minute for the headers and five for the request, and check every 30 seconds.
 */
const LIMITS = { headersTimeout: 10_000, requestTimeout: 20_000, connectionsCheckingInterval: 1000 };

const SWEEP_MS = 50;

/** A connection opened just before the shutdown has this long to send its request. */
const GRACE_MS = 500;

/** @typedef {Map<import('node:net').Socket, number>} OpenRequests by connection */

/**
 * @param {import('node:http').RequestListener} app
 * @param {{ host: string, port: number }} where
 * @returns {Promise<{ url: string, close: () => Promise<void> }>} `close` refuses new connections and waits for running
 *   requests, but not for connections that never send one
 * @throws {Error} naming the setting, for example if the port is in use
 */
export async function listen(app, { host, port }) {
  const server = createServer(LIMITS, app);
  const requests = countRequests(server);
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
  return { url: `http://${name}:${address.port}`, close: () => close(server, requests) };
}

/** @param {import('node:http').Server} server @returns {OpenRequests} */
function countRequests(server) {
  /** @type {OpenRequests} */
  const requests = new Map();
  server.on('connection', (socket) => {
    requests.set(socket, 0);
    socket.once('close', () => requests.delete(socket));
  });
  /** @type {(socket: import('node:net').Socket, change: number) => void} */
  const count = (socket, change) => {
    const before = requests.get(socket);
    if (before !== undefined) requests.set(socket, before + change);
  };
  server.on('request', ({ socket }, res) => {
    count(socket, 1);
    res.once('close', () => count(socket, -1));
  });
  return requests;
}

/** @param {import('node:http').Server} server @param {OpenRequests} requests */
async function close(server, requests) {
  const closingAt = performance.now();
  server.close();
  const sweep = setInterval(() => {
    // Node's close() only ends connections that are idle at that moment. Others become idle later.
    server.closeIdleConnections();
    if (performance.now() < closingAt + GRACE_MS) return;
    // To Node a connection without a complete request is not idle, and a closing server applies no timeouts.
    for (const [socket, count] of requests) if (count === 0) socket.destroy();
  }, SWEEP_MS);
  await once(server, 'close');
  clearInterval(sweep);
}
