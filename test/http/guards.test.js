import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { once } from 'node:events';
import { request } from 'node:http';
import { connect } from 'node:net';
import { describe, expect, test } from '@jest/globals';
import { cleanUp } from 'test-support/cleanup.js';
import { until } from 'test-support/waiting.js';
import { createTestLog, serveApp, serveHandler, useControl } from '../support/serve-app.js';
import { createToken } from '../../src/base/random-token.js';
import { readJsonBody, requireSameOrigin, requireToken } from '../../src/http/request-guards.js';
import { createExpress } from '../../src/http/create-express.js';
import { answerErrors } from '../../src/http/problem.js';
import { createLogger } from '../../src/base/logger.js';
import { listen } from '../../src/http/listen.js';

/**
 * fetch does not allow these headers.
 * @param {string} url
 * @param {Record<string, string | undefined>} headers
 * @param {string} [body]
 */
async function send(url, headers, body) {
  const known = Object.fromEntries(Object.entries(headers).filter(([, value]) => value !== undefined));
  const outgoing = request(url, {
    method: 'POST',
    agent: false,
    headers: /** @type {Record<string, string>} */ (known),
  });
  outgoing.end(body);
  const [response] = await once(outgoing, 'response');
  const answer = JSON.parse(await new Response(response).text());
  return {
    status: response.statusCode,
    title: answer.title,
    detail: answer.detail,
    answer,
    headers: response.headers,
  };
}

describe('the token of the controls', () => {
  const TOKEN = 'a-token-of-our-own_1';

  /**
   * @param {Record<string, string>} settings
   */
  async function serve(settings) {
    const { log, lines } = createTestLog('trace');
    const url = (await serveApp(settings, log)).replace('0.0.0.0', '127.0.0.1');
    return { url, readLog: () => lines.join('') };
  }

  /**
   * @param {string} url
   * @param {string} [authorization]
   */
  async function order(url, authorization) {
    const headers = { Origin: url, ...(authorization && { Authorization: authorization }) };
    return (await useControl(url, 'slow-ms', { slowMs: 100 }, headers)).status;
  }

  /**
   * Does the same as a browser that knows the app by another name.
   * @param {string} url
   * @param {string} name
   * @param {string} [token]
   */
  async function orderUnder(url, name, token) {
    const host = `${name}:${new URL(url).port}`;
    const Authorization = token && `Bearer ${token}`;
    const headers = { 'Content-Type': 'application/json', Host: host, Origin: `http://${host}`, Authorization };
    return (await send(`${url}/control/slow-ms`, headers, '{"slowMs":100}')).status;
  }

  describe('CONTROLS=on', () => {
    test('on loopback refuses a foreign name that points here', async () => {
      const { url } = await serve({ CONTROLS: 'on' });
      expect(await orderUnder(url, 'rebound.example')).toBe(403);
      expect(await orderUnder(url, 'localhost')).toBe(200);
    });

    test('elsewhere accepts any host name, with the token, which is not logged', async () => {
      const { url, readLog } = await serve({ HOST: '0.0.0.0', CONTROLS: 'on', CONTROLS_TOKEN: TOKEN });
      expect(await orderUnder(url, 'lab.example')).toBe(401);
      expect(await orderUnder(url, 'lab.example', TOKEN)).toBe(200);
      expect(readLog()).not.toContain('token');
    });
  });

  describe('CONTROLS_TOKEN', () => {
    test('is required for every control, on loopback too, and never logged', async () => {
      const { url, readLog } = await serve({ CONTROLS_TOKEN: TOKEN });
      expect(await (await fetch(`${url}/pool`)).json()).toMatchObject({ controls: true, needsToken: true });
      for (const wrong of [undefined, `Bearer ${TOKEN}x`]) expect(await order(url, wrong)).toBe(401);
      expect(await order(url, `Bearer ${TOKEN}`)).toBe(200);
      expect(readLog()).toContain('listening on');
      expect(readLog()).not.toContain(TOKEN);
    });

    test('does not admit another site', async () => {
      const { url } = await serve({ CONTROLS_TOKEN: TOKEN });
      const headers = { Origin: 'https://elsewhere.example', Authorization: `Bearer ${TOKEN}` };
      const { status } = await useControl(url, 'slow-ms', { slowMs: 100 }, headers);
      expect(status).toBe(403);
    });
  });

  describe('an app that others can reach', () => {
    test('disables its controls', async () => {
      const { url, readLog } = await serve({ HOST: '0.0.0.0' });
      expect(await (await fetch(`${url}/pool`)).json()).toMatchObject({ controls: false, needsToken: false });
      expect(await order(url, `Bearer ${TOKEN}`)).toBe(403);
      expect(readLog()).not.toContain('token');
    });

    test('with CONTROLS=on creates a token at each start, and logs a link with it', async () => {
      const tokens = await Promise.all(
        [1, 2].map(async () => {
          const { url, readLog } = await serve({ HOST: '0.0.0.0', CONTROLS: 'on' });
          const [, token] = readLog().match(/http:\/\/0\.0\.0\.0:\d+\/#token=([\w-]{32})"/) ?? [];
          expect(await order(url)).toBe(401);
          expect(await order(url, `Bearer ${token}`)).toBe(200);
          return token;
        }),
      );
      expect(tokens[0]).not.toBe(tokens[1]);
    });
  });
});

describe('guards', () => {
  /**
   * @param {import('express').RequestHandler[]} guards
   * @returns {Promise<string>} URL of a server that answers with what it read
   */
  function guard(...guards) {
    const app = createExpress();
    app.use(...guards, (req, res) => res.json(req.body ?? 'passed'));
    app.use(answerErrors(createLogger('silent')));
    return serveHandler(app);
  }

  test.each([
    ['the app itself', {}, 200],
    ['the app itself, in a browser that says nothing of sites', { 'Sec-Fetch-Site': undefined }, 200],
    ['a request without an origin', { Origin: undefined }, 403],
    ['another origin', { Origin: 'http://evil.example' }, 403],
    ['a sandboxed page', { Origin: 'null' }, 403],
    ['the same host with another scheme', { Origin: 'https://127.0.0.1' }, 403],
    ['another site that names our origin', { 'Sec-Fetch-Site': 'cross-site' }, 403],
    ['another port of this machine', { 'Sec-Fetch-Site': 'same-site' }, 403],
  ])('the controls take a request of %s: %j -> %i', async (_, changes, status) => {
    const url = await guard(requireSameOrigin({ enabled: true, anyHost: false }));
    const answer = await send(url, { Origin: new URL(url).origin, 'Sec-Fetch-Site': 'same-origin', ...changes });
    expect(answer.status).toBe(status);
    if (status === 403)
      expect(answer).toMatchObject({
        title: 'The controls are disabled',
        detail: "only this app's own page may use them",
      });
  });

  test("a name other than loopback's is taken only where that is allowed, and nothing where they are off", async () => {
    const headers = { Host: 'pool.example', Origin: 'http://pool.example' };
    expect(await send(await guard(requireSameOrigin({ enabled: true, anyHost: true })), headers)).toMatchObject({
      status: 200,
    });
    expect(await send(await guard(requireSameOrigin({ enabled: true, anyHost: false })), headers)).toMatchObject({
      status: 403,
      detail: 'only a page on loopback may use them',
    });
    for (const [anyHost, reason] of /** @type {const} */ ([
      [true, 'the app does not listen on loopback'],
      [false, 'CONTROLS is off'],
    ])) {
      const off = await guard(requireSameOrigin({ enabled: false, anyHost }));
      expect(await send(off, { Origin: new URL(off).origin })).toMatchObject({
        status: 403,
        detail: `${reason}; set CONTROLS=on to allow them`,
      });
    }
  });

  test('a token is 32 characters, safe in a URL, and never the same', () => {
    const tokens = new Set(Array.from({ length: 100 }, createToken));
    expect(tokens.size).toBe(100);
    for (const token of tokens) expect(token).toMatch(/^[\w-]{32}$/);
  });

  test.each([
    ['Bearer right', 200],
    ['bearer   right', 200],
    [undefined, 401],
    ['', 401],
    ['right', 401],
    ['Bearer', 401],
    ['Bearer wrong', 401],
    ['Bearer right2', 401],
    ['Bearer right again', 401],
    ['Basic right', 401],
    ['X Bearer right', 401],
  ])('the token "right" is asked for: %j -> %i', async (authorization, status) => {
    const answer = await send(await guard(requireToken('right')), { Authorization: authorization });
    expect(answer.status).toBe(status);
    if (status === 401) {
      expect(answer.headers['www-authenticate']).toBe('Bearer');
      expect(answer).toMatchObject({
        title: 'The controls need a token',
        detail: 'use the token that the app was started with',
      });
    }
  });

  test('without a token everyone passes', async () => {
    expect(await send(await guard(requireToken(undefined)), {})).toMatchObject({ status: 200 });
  });

  test('only JSON is read, up to the limit', async () => {
    const url = await guard(...readJsonBody('20b'));
    const json = { 'Content-Type': 'application/json' };
    expect(await send(url, json, '{"a":1}')).toMatchObject({ status: 200, answer: { a: 1 } });
    expect(await send(url, { 'Content-Type': 'text/plain' }, '{"a":1}')).toMatchObject({
      status: 415,
      detail: 'Content-Type must be application/json',
    });
    expect(await send(url, json, `{"a":"${'x'.repeat(20)}"}`)).toMatchObject({ status: 413 });
    expect(await send(url, json, '{')).toMatchObject({ status: 400 });
  });
});

describe('a server that closes', () => {
  /**
   * @param {string} url
   * @param {string} [text] to begin with
   */
  async function open(url, text) {
    const socket = connect(Number(new URL(url).port), '127.0.0.1');
    cleanUp(() => socket.destroy());
    socket.on('error', () => {});
    await once(socket, 'connect');
    if (text) socket.write(text);
    return socket;
  }

  test('close waits for running requests, the last of their connections, but not for silent connections', async () => {
    /** @type {(() => void)[]} */
    const pending = [];
    const server = await listen(
      (req, res) => {
        pending.push(() => res.end('done'));
      },
      { host: '127.0.0.1', port: 0 },
    );
    const silent = [await open(server.url), await open(server.url, 'GET / HTTP/1.1\r\nHost:')];
    const answer = fetch(server.url);
    await until('the request runs', () => pending.length > 0);

    let isClosed = false;
    const closing = server.close().then(() => {
      isClosed = true;
    });
    await Promise.all(silent.map((socket) => once(socket, 'close')));
    expect(isClosed).toBe(false);
    pending[0]();
    const response = await answer;
    expect([await response.text(), response.headers.get('Connection')]).toEqual(['done', 'close']);
    await closing;
  });

  test('a slow client has 10 s for its headers and 20 s for its request, looked at each second', async () => {
    const server = await listen((req, res) => res.end('x'), { host: '127.0.0.1', port: 0 });
    cleanUp(server.close);
    /** @type {any} */
    let limits;
    const note = (/** @type {unknown} */ event) => ({ server: limits } = /** @type {any} */ (event));
    subscribe('http.server.request.start', note);
    await (await fetch(server.url)).text();
    unsubscribe('http.server.request.start', note);
    expect(limits).toMatchObject({
      headersTimeout: 10_000,
      requestTimeout: 20_000,
      connectionsCheckingInterval: 1000,
    });
  });

  test.each([
    ['headers of 20 KB', `GET / HTTP/1.1\r\nHost: a\r\nX: ${'x'.repeat(20_000)}\r\n\r\n`, /^HTTP\/1.1 431 /],
    ['what is no HTTP', '\0\0\0\0 garbage\r\n\r\n', /^HTTP\/1.1 400 /],
    ['two lengths', 'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nx', /^HTTP\/1.1 400 /],
  ])('%s are refused, and the connection is closed', async (name, text, status) => {
    const server = await listen(
      (req, res) => {
        res.end('x');
      },
      { host: '127.0.0.1', port: 0 },
    );
    cleanUp(server.close);
    const socket = await open(server.url, text);
    let said = '';
    socket.setEncoding('utf8').on('data', (chunk) => {
      said += chunk;
    });
    await once(socket, 'close');
    expect(said).toMatch(status);
  });
});
