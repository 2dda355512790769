import { once } from 'node:events';
import { createServer } from 'node:http';
import { namesLoopback, secure, sendProblem } from 'mongodb-pool-page';

/** @import { IncomingMessage, ServerResponse } from 'node:http' */

/**
 * Opens a small server on loopback.
 *
 * @param {(path: string, res: ServerResponse, req: IncomingMessage) => unknown} answer
 * @param {object} options
 * @param {number} options.port 0 takes any free one
 * @param {string} [options.option] where the port came from, for the error
 * @param {string[]} [options.methods] that it answers
 * @returns {Promise<{ url: string, close: () => void }>}
 * @throws {Error} if the port is in use
 */
export async function openLoopbackServer(answer, { port, option = 'port', methods = ['GET', 'HEAD'] }) {
  const server = createServer((req, res) => {
    secure(res);
    if (!namesLoopback(req.headers.host))
      sendProblem(res, 403, 'Forbidden', 'only under the name of this machine: 127.0.0.1 or localhost');
    else if (!methods.includes(String(req.method)))
      sendProblem(res.setHeader('Allow', methods.join(', ')), 405, 'Method Not Allowed');
    else Promise.resolve(answer(String(req.url).split('?')[0], res, req)).catch(() => res.destroy());
  });
  server.listen(port, '127.0.0.1');
  await once(server, 'listening').catch((cause) => {
    throw new Error(
      `${option} ${port} can't be used: ` +
        `${cause.code === 'EADDRINUSE' ? 'something already listens there' : cause.message}`,
      { cause },
    );
  });
  return {
    url: `http://127.0.0.1:${/** @type {import('node:net').AddressInfo} */ (server.address()).port}/`,
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}
