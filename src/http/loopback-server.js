import { once } from 'node:events';
import { createServer } from 'node:http';
import { namesLoopback, secure, sendProblem } from 'mongodb-pool-monitor/live';

/** @import { ServerResponse } from 'node:http' */

/**
 * A server on loopback that answers GET only.
 *
 * @param {(path: string, res: ServerResponse) => unknown} answer
 * @param {{ port: number, option: string }} options port: 0 takes any free one; option: where it came from, for the error
 * @returns {Promise<{ url: string, close: () => void }>}
 * @throws {Error} if the port is in use
 */
export async function openLoopbackServer(answer, { port, option }) {
  const server = createServer((req, res) => {
    secure(res);
    if (!namesLoopback(req.headers.host)) sendProblem(res, 403, 'Forbidden', 'only under the name of this machine: 127.0.0.1 or localhost');
    else if (req.method !== 'GET' && req.method !== 'HEAD') sendProblem(res, 405, 'Method Not Allowed');
    else Promise.resolve(answer(String(req.url).split('?')[0], res)).catch(() => res.destroy());
  });
  server.listen(port, '127.0.0.1');
  await once(server, 'listening').catch((cause) => {
    throw new Error(`${option} ${port} can't be used: ${cause.code === 'EADDRINUSE' ? 'something already listens there' : cause.message}`, { cause });
  });
  return {
    url: `http://127.0.0.1:${/** @type {import('node:net').AddressInfo} */ (server.address()).port}/`,
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}
