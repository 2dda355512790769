import { once } from 'node:events';
import { request } from 'node:http';
import { expect, test } from '@jest/globals';
import { createToken, readJsonBody, requireSameOrigin, requireToken } from '../../src/http/request-guards.js';
import { createExpress } from '../../src/http/create-express.js';
import { answerErrors } from '../../src/http/problem.js';
import { createLogger } from '../../src/base/logger.js';
import { serveHandler } from '../support/serve-parts.js';

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
  return { status: response.statusCode, title: answer.title, detail: answer.detail, answer, headers: response.headers };
}

test.each([
  ['the app itself', {}, 200],
  ['the app itself, in a browser that says nothing of sites', { 'Sec-Fetch-Site': undefined }, 200],
  ['a request without an origin', { Origin: undefined }, 403],
  ['another origin', { Origin: 'http://evil.example' }, 403],
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
