import { once } from 'node:events';
import { Agent, request } from 'node:http';
import { connect } from 'node:net';
import fc from 'fast-check';
import { createLogger } from '../../../../src/base/logger.js';
import { readSettings } from '../../../../src/settings.js';
import { start } from '../../../../src/start.js';
import { changesOf, mutationsOf, sentencesOf } from 'test-support/fuzz-arbitraries.js';
import { require } from 'test-support/fuzz-outcome.js';
import { postsTo, requestsBelow } from '../http-requests.js';

/** @import { HttpRequest } from '../http-requests.js' */
/** @typedef {Awaited<ReturnType<typeof openApp>>} App */

// /fast and /slow add to the list of checkouts, and /pool/checkouts returns all of it.
const PATHS = [
  '/',
  '/livez',
  '/readyz',
  '/pool',
  '/pool/checkouts',
  '/pool/connections',
  '/pool/seconds',
  '/pool/server',
  '/pool/events',
  '/metrics',
  '/page/main.js',
  '/predict/simulator/simulate.js',
  '/control/token',
  '/nowhere',
  '/fast',
  '/slow',
];
const BODIES = {
  token: {},
  'pool-size': { poolSize: 3 },
  'slow-ms': { slowMs: 1 },
  traffic: { route: '/fast', count: 1 },
  'load-test': {},
};
const MESSAGES = [
  'GET /pool?after=1 HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n',
  'POST /control/traffic HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n' +
    '2\r\n{}\r\n0\r\n\r\n',
  'GET /livez HTTP/1.0\r\n\r\nGET /livez HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\n\r\nabc',
  'GET http://elsewhere.example/fast HTTP/1.1\r\nHost: elsewhere.example\r\nUpgrade: websocket\r\n' +
    'Connection: Upgrade\r\n\r\n',
];
const WORDS = [
  '\r\n',
  '\n',
  '\r',
  ' ',
  ':',
  '\0',
  'GET',
  'CONNECT',
  '*',
  'HTTP/1.1',
  'HTTP/9.9',
  'Host: x',
  'Content-Length: 5',
  'x'.repeat(20_000),
];
const TOKEN = 'a-token-of-our-own_1';
const MAX_ANSWER_MS = 10_000;

/** The app, with nothing to wait for. @param {{ mongoUrl: string }} surroundings */
async function openApp({ mongoUrl }) {
  /** @type {(() => unknown)[]} */
  const closers = [];
  const environment = { MONGO_URL: mongoUrl, MONGO_POOLSIZE: '5', PORT: '0', SLOW_MS: '1', CONTROLS_TOKEN: TOKEN };
  const url = await start(readSettings(environment, 'no .env file'), {
    log: createLogger('silent'),
    closers,
    signal: new AbortController().signal,
  });
  const agent = new Agent({ keepAlive: true });
  return {
    url,
    agent,
    async close() {
      agent.destroy();
      while (closers.length > 0) await closers.pop()?.();
    },
  };
}

/** @type {Promise<App> | undefined} */
let shared;

/** One app for all that changes nothing; it ends with the thread. @type {typeof openApp} */
async function openSharedApp(surroundings) {
  shared ??= openApp(surroundings);
  return { ...(await shared), close: async () => {} };
}

/** @type {Record<string, import('test-support/fuzz-outcome.js').FuzzTarget>} */
export const targets = {
  ...Object.fromEntries(
    PATHS.map((path) => [
      `requests of ${path}`,
      {
        arbitrary: requestsBelow(path),
        open: openSharedApp,
        check: send,
      },
    ]),
  ),
  ...Object.fromEntries(
    Object.entries(BODIES).map(([name, body]) => [
      `posts to /control/${name}`,
      {
        arbitrary: postsTo(`/control/${name}`, changesOf([body])),
        open: openApp,
        check: ({ isFromPage, ...request }, app) =>
          send(
            {
              ...request,
              headers: { ...request.headers, ...(isFromPage && pageHeaders(app)) },
            },
            app,
          ),
      },
    ]),
  ),
  'bytes to the port': {
    arbitrary: fc.oneof(
      { weight: 4, arbitrary: mutationsOf(MESSAGES, sentencesOf(WORDS, 4)).map((text) => Buffer.from(text, 'latin1')) },
      { weight: 1, arbitrary: fc.uint8Array({ maxLength: 500 }).map((bytes) => Buffer.from(bytes)) },
    ),
    open: openSharedApp,
    async check(bytes, { url }) {
      const answer = await sendBytes(bytes, Number(new URL(url).port));
      require(answer === '' || /^HTTP\/1\.1 [1-4]\d\d /.test(answer), `it answered ${answer.slice(0, 200)}`);
      require((await fetch(`${url}/livez`)).status === 200, 'it lives no more');
    },
  },
};

/** @param {App} app */
function pageHeaders({ url }) {
  return {
    Host: new URL(url).host,
    Origin: url,
    'Sec-Fetch-Site': 'same-origin',
    'Content-Type': 'application/json',
    Authorization: `Bearer ${TOKEN}`,
  };
}

/**
 * Whatever a client sends, the answer says what is wrong with it, and reveals nothing about the app.
 * @param {HttpRequest} request
 * @param {App} app
 */
async function send({ method, path, headers: given, body = Buffer.alloc(0) }, { url, agent }) {
  const headers = { ...given, 'Content-Length': body.length };
  const sending = request(url, { method, path, headers, agent, timeout: MAX_ANSWER_MS }).end(body);
  sending.once('timeout', () => sending.destroy(new Error(`no answer within ${MAX_ANSWER_MS} ms`)));
  const [response] = await once(sending, 'response');
  const {
    statusCode,
    headers: { 'content-type': type = '' },
  } = response;
  require(statusCode < 500, `it answered ${statusCode}`);
  if (type.startsWith('text/event-stream')) {
    sending.destroy();
    return;
  }
  let answer = '';
  for await (const chunk of response.setEncoding('utf8')) answer += chunk;
  if (statusCode < 400) return;
  const isInternal = /^\s+at |node_modules/m.test(answer) || answer.includes(process.cwd());
  require(!isInternal, `it reveals internals: ${answer}`);
  if (type.includes('json') && method !== 'HEAD') {
    require(JSON.parse(answer).status === statusCode, `its problem says ${answer}`);
  }
}

/** @param {Buffer} bytes @param {number} port @returns {Promise<string>} the beginning of what came back */
async function sendBytes(bytes, port) {
  const socket = connect(port, '127.0.0.1');
  socket.on('error', () => {});
  socket.end(bytes);
  const [answer] = await Promise.race([once(socket, 'data'), once(socket, 'close')]);
  socket.destroy();
  return Buffer.isBuffer(answer) ? answer.toString('latin1') : '';
}
