import { once } from 'node:events';
import { createServer } from 'node:http';

/**
 * Serve HTTP.
 *
 * @param {import('node:http').RequestListener} app
 * @param {{ host: string, port: number }} where
 * @returns {Promise<{ url: string, close: () => Promise<void> }>} `close` accepts no more and waits for the
 *   requests that run
 * @throws {Error} that names the setting, e.g. when the port is in use
 */
export async function listen(app, { host, port }) {
  const server = createServer(app).listen(port, host);
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
  return { url: `http://${name}:${address.port}`, close: () => close(server) };
}

/** @param {import('node:http').Server} server */
async function close(server) {
  server.close();
  // Node closes only the connections that are idle at this moment; those that answer now become idle later.
  const sweep = setInterval(() => server.closeIdleConnections(), 50);
  await once(server, 'close');
  clearInterval(sweep);
}
