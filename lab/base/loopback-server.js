import { once } from 'node:events';
import { createServer } from 'node:http';
import { namesLoopback, secure, sendProblem } from 'mongodb-pool-page';
import { describeBusyPort } from '../../src/http/listen.js';

/** @import { IncomingMessage, ServerResponse } from 'node:http' */

const LOOPBACK = '127.0.0.1';

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
  server.listen(port, LOOPBACK);
  await once(server, 'listening').catch((cause) => {
    const choice = `${option} ${port}`;
    throw new Error(
      cause.code === 'EADDRINUSE' ? describeBusyPort(choice, LOOPBACK) : `${choice} can't be used: ${cause.message}`,
      { cause },
    );
  });
  return {
    url: `http://${LOOPBACK}:${/** @type {import('node:net').AddressInfo} */ (server.address()).port}/`,
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}
