import { once } from 'node:events';
import { Agent, request } from 'node:http';
import { connect } from 'node:net';
import fc from 'fast-check';
import { createLogger } from '../../../src/logger.js';
import { readSettings } from '../../../src/settings.js';
import { start } from '../../../src/start.js';
import { changesOf, mutationsOf, oddValues, sentencesOf, texts } from '../arbitraries.js';
import { require } from '../outcome.js';

const GETS = [
  '/', '/slow', '/fast', '/livez', '/readyz', '/pool', '/pool/checkouts', '/pool/events', '/metrics', '/dashboard/main.js', '/predict/simulate.js',
  '/control/token', '/nowhere',
];
const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'OPTIONS', 'PATCH', 'TRACE', 'PROPFIND', 'QUERY'];
const ORDERS = {
  'token': {}, 'pool-size': { poolSize: 3 }, 'slow-ms': { slowMs: 1 }, 'traffic': { route: '/fast', count: 1 }, 'load-test': {},
};
const TOKEN = 'a-token-of-our-own_1';
/** What the parser of HTTP lets through in a value, and in a path. */
const headerText = texts.map((text) => text.replaceAll(/[^\t\x20-\x7e\x80-\xff]/g, '').trim());
const pathText = sentencesOf(['/', '..', '%2e%2e%2f', '%00', '%ff', '%', '?', '&', '=', 'after', '[', ']', 'index.html', '.env', '\\', ';', '*', '5'], 8)
  .map((text) => text.replaceAll(/[^\x21-\x7e\x80-\xff]/g, '').replaceAll('#', ''));
const headers = fc.dictionary(
  fc.oneof(fc.constantFrom('Host', 'Origin', 'Accept', 'Accept-Encoding', 'Content-Encoding', 'Content-Type', 'Expect', 'Range', 'If-Modified-Since',
    'If-None-Match', 'Authorization', 'Cookie', 'Connection', 'Upgrade', 'X-Forwarded-Host', 'Sec-Fetch-Site', 'Last-Event-ID'),
  texts.map((text) => text.replaceAll(/[^\w-]/g, '')).filter((text) => !/^(|content-length|transfer-encoding|__proto__)$/i.test(text))),
  fc.oneof(fc.constantFrom('gzip', 'br', 'null', 'bytes=0-5', 'bytes=9-1', '100-continue', 'application/json; charset=utf-7', 'text/plain', 'upgrade', 'h2c'), headerText),
  { maxKeys: 4 });
const bodies = fc.oneof({ weight: 1, arbitrary: fc.uint8Array({ maxLength: 1500 }).map((bytes) => Buffer.from(bytes)) },
  { weight: 3, arbitrary: oddValues.map((value) => Buffer.from(JSON.stringify(value))) });

/** @typedef {{ method: string, path: string, headers: Record<string, string>, body?: Buffer }} Question */

/** The app, with nothing to wait for. @param {{ mongoUrl: string }} surroundings */
async function openApp({ mongoUrl }) {
  /** @type {(() => unknown)[]} */
  const closers = [];
  const environment = { MONGO_URL: mongoUrl, MONGO_POOLSIZE: '5', PORT: '0', SLOW_MS: '1', CONTROLS_TOKEN: TOKEN };
  const url = await start(readSettings(environment, 'no .env file'), {
    log: createLogger('silent'), closers, signal: new AbortController().signal,
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

/** @typedef {Awaited<ReturnType<typeof openApp>>} App */

/** @type {Promise<App> | undefined} */
let shared;

/** One app for all that changes nothing; it ends with the thread. @type {typeof openApp} */
async function openSharedApp(surroundings) {
  shared ??= openApp(surroundings);
  return { ...await shared, close: async () => {} };
}

/** @type {Record<string, import('../targets.js').Target>} */
export const http = {
  ...Object.fromEntries(GETS.map((path) => [`requests of ${path}`, {
    arbitrary: fc.record({
      method: fc.oneof({ weight: 3, arbitrary: fc.constant('GET') }, { weight: 1, arbitrary: fc.constantFrom(...METHODS) }),
      path: fc.oneof(fc.constant(path), pathText.map((text) => path + text)), headers, body: fc.option(bodies, { nil: undefined }),
    }),
    open: openSharedApp,
    check: ask,
  }])),
  ...Object.fromEntries(Object.entries(ORDERS).map(([name, order]) => [`orders to /control/${name}`, {
    arbitrary: fc.record({
      method: fc.constant('POST'), path: fc.constant(`/control/${name}`), headers,
      body: fc.oneof(bodies, changesOf([order]).map((value) => Buffer.from(JSON.stringify(value)))),
      fromPage: fc.boolean(),
    }),
    open: openApp,
    check: ({ fromPage, ...question }, app) => ask({
      ...question,
      headers: fromPage ? { ...question.headers, ...pageHeaders(app) } : question.headers,
    }, app),
  }])),
  'bytes to the port': {
    arbitrary: fc.oneof(
      { weight: 4, arbitrary: mutationsOf([
        'GET /pool?after=1 HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n',
        'POST /control/traffic HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n',
        'GET /livez HTTP/1.0\r\n\r\nGET /livez HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\n\r\nabc',
        'GET http://elsewhere.example/fast HTTP/1.1\r\nHost: elsewhere.example\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n',
      ], sentencesOf(['\r\n', '\n', '\r', ' ', ':', '\0', 'GET', 'CONNECT', '*', 'HTTP/1.1', 'HTTP/9.9', 'Host: x', 'Content-Length: 5', 'x'.repeat(20_000)], 4)).map(
        (text) => Buffer.from(text, 'latin1')) },
      { weight: 1, arbitrary: fc.uint8Array({ maxLength: 500 }).map((bytes) => Buffer.from(bytes)) }),
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
  return { Host: new URL(url).host, Origin: url, 'Sec-Fetch-Site': 'same-origin', 'Content-Type': 'application/json', Authorization: `Bearer ${TOKEN}` };
}

/**
 * Whatever a client does, it is told what it did wrong, and nothing about the app's inside.
 * @param {Question} question
 * @param {App} app
 */
async function ask({ method, path, headers: given, body = Buffer.alloc(0) }, { url, agent }) {
  const asking = request(url, { method, path, headers: { ...given, 'Content-Length': body.length }, agent, timeout: 10_000 });
  asking.end(body);
  asking.once('timeout', () => asking.destroy(new Error('no answer within 10 s')));
  const [event] = await Promise.race([
    once(asking, 'response'), once(asking, 'upgrade').then(([response]) => [response]),
  ]);
  const { statusCode, headers: { 'content-type': type = '' } } = event;
  require(statusCode < 500, `it answered ${statusCode}`);
  if (type.startsWith('text/event-stream')) {
    asking.destroy();
    return;
  }
  let answer = '';
  for await (const chunk of event.setEncoding('utf8')) answer += chunk;
  if (statusCode < 400) return;
  require(!/^\s+at |node_modules/m.test(answer) && !answer.includes(process.cwd()), `it tells of its inside: ${answer}`);
  if (type.includes('json') && method !== 'HEAD') require(JSON.parse(answer).status === statusCode, `its problem says ${answer}`);
}

/**
 * @param {Buffer} bytes
 * @param {number} port
 * @returns {Promise<string>} the beginning of what came back
 */
async function sendBytes(bytes, port) {
  const socket = connect(port, '127.0.0.1');
  socket.on('error', () => {});
  socket.end(bytes);
  const answer = await Promise.race([once(socket, 'data'), once(socket, 'close')]);
  socket.destroy();
  return Buffer.isBuffer(answer[0]) ? answer[0].toString('latin1') : '';
}
