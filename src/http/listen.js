import { once } from 'node:events';
import { createServer } from 'node:http';

/**
 * Our clients send a few hundred bytes. A client that takes longer only occupies a socket. Node's defaults would allow
 * one minute for the headers and five for the request, and check every 30 seconds.
 */
const LIMITS = { headersTimeout: 10_000, requestTimeout: 20_000, connectionsCheckingInterval: 1000 };

const SWEEP_MS = 50;

/** A connection opened just before the shutdown has this long to send its request. */
const GRACE_MS = 500;

/** @typedef {Map<import('node:net').Socket, import('node:http').ServerResponse | null>} LastResponses by connection */

/**
 * @param {import('node:http').RequestListener} app
 * @param {{ host: string, port: number }} where
 * @returns {Promise<{ url: string, close: () => Promise<void> }>} `close` refuses new connections and waits for running
 *   requests, but not for connections that never send one
 * @throws {Error} naming the setting, for example if the port is in use
 */
export async function listen(app, { host, port }) {
  const server = createServer(LIMITS, app);
  const responses = keepLastResponses(server);
  server.listen(port, host);
  try {
    await once(server, 'listening');
  } catch (cause) {
    const { code, message } = /** @type {NodeJS.ErrnoException} */ (cause);
    throw new Error(
      code === 'EADDRINUSE'
        ? describeBusyPort(`PORT=${port}`, host)
        : `HOST=${host} PORT=${port}: can't listen there (${message})`,
      { cause },
    );
  }
  const address = /** @type {import('node:net').AddressInfo} */ (server.address());
  const name = address.family === 'IPv6' ? `[${host}]` : host;
  return { url: `http://${name}:${address.port}`, close: () => close(server, responses) };
}

/** @param {string} choice the option or setting with the port @param {string} host */
export function describeBusyPort(choice, host) {
  return `${choice} is in use on ${host}: stop what listens there, or choose another port (0 takes any free one)`;
}

/**
 * The last response on each open connection. Those before it are complete: a connection has one at a time.
 * @param {import('node:http').Server} server
 */
function keepLastResponses(server) {
  /** @type {LastResponses} */
  const responses = new Map();
  server.on('connection', (socket) => {
    responses.set(socket, null);
    socket.once('close', () => responses.delete(socket));
  });
  server.on('request', ({ socket }, res) => {
    if (responses.has(socket)) responses.set(socket, res);
  });
  return responses;
}

/** @param {import('node:http').Server} server @param {LastResponses} responses */
async function close(server, responses) {
  const closingAt = performance.now();
  server.close();
  const sweep = setInterval(() => {
    // Node's close() only ends connections that are idle at that moment. Others become idle later.
    server.closeIdleConnections();
    // A client that asks again as soon as it is answered would keep its connection, and so the server, open.
    for (const last of responses.values()) if (last && !last.headersSent) last.setHeader('Connection', 'close');
    if (performance.now() < closingAt + GRACE_MS) return;
    // To Node a connection without a complete request is not idle, and a closing server applies no timeouts.
    for (const [socket, last] of responses) if (!last || last.closed) socket.destroy();
  }, SWEEP_MS);
  await once(server, 'close');
  clearInterval(sweep);
}
