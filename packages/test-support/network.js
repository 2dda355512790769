import { once } from 'node:events';
import { Agent, createServer as createHttpServer, get } from 'node:http';
import { createServer } from 'node:net';
import { cleanUp } from './cleanup.js';
import { listen } from './processes.js';
import { openProxy } from './tcp-proxy.js';

/** @import { RequestListener } from 'node:http' */
/** @import { Socket } from 'node:net' */
/** @typedef {Awaited<ReturnType<typeof openTcpProxy>>} TcpProxy */

/**
 * Starts an HTTP server. It ends with the test file.
 * @param {RequestListener} answer
 * @returns {Promise<string>} its URL
 */
export async function serveHttp(answer) {
  const server = createHttpServer(answer);
  cleanUp(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${await listen(server)}`;
}

/** Like openProxy. It ends with the test file. @param {Parameters<typeof openProxy>} args */
export async function openTcpProxy(...args) {
  const proxy = await openProxy(...args);
  cleanUp(proxy.cut);
  return proxy;
}

/**
 * A download host that accepts connections and never answers, for a process without a MongoDB and without a proxy.
 * @returns {Promise<{ environment: Record<string, string>, called: Promise<Socket> }>} for the process, and the
 *   connection that it opens
 */
export async function startSilentHost() {
  const server = createServer((socket) => {
    cleanUp(() => socket.destroy());
    // A killed client resets its connection.
    socket.on('error', () => {});
    socket.resume();
  });
  cleanUp(() => server.close());
  const called = once(server, 'connection').then(([socket]) => socket);
  const port = await listen(server);
  return {
    environment: {
      MONGOMS_DOWNLOAD_MIRROR: `https://127.0.0.1:${port}`,
      PATH: '',
      MONGOD_PATH: '',
      HOME: '/nonexistent',
      INIT_CWD: '/',
      HTTPS_PROXY: '',
      HTTP_PROXY: '',
      https_proxy: '',
      http_proxy: '',
    },
    called,
  };
}

/**
 * Sends a request over a keep-alive connection, and waits until the app handles it, which Node's server shows with
 * `100 Continue`.
 * @param {string} url
 * @returns {Promise<{ answered: () => boolean, answer: Promise<number | undefined> }>} the status; undefined when
 *   the connection was cut
 */
export async function holdRequest(url) {
  const request = get(url, { agent: new Agent({ keepAlive: true }), headers: { expect: '100-continue' } });
  /** @type {number | undefined} */
  let status;
  const answer = once(request, 'response').then(
    async ([response]) => {
      response.resume();
      await once(response, 'end');
      status = response.statusCode;
      return status;
    },
    () => undefined,
  );
  await Promise.race([once(request, 'continue'), answer]);
  return { answered: () => status !== undefined, answer };
}
