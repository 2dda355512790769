import { once } from 'node:events';
import { request } from 'node:http';
import { afterAll, describe, expect, test } from '@jest/globals';
import { Checkouts, createRequests } from 'mongodb-pool-monitor';
import { createLiveView } from '../src/index.js';
import { createFakeClient } from 'test-support/fake-client.js';
import { serveHttp } from 'test-support/network.js';

/** @import { LiveSource } from '../src/index.js' */

/** @param {Partial<LiveSource>} [overrides] @returns {LiveSource} */
function createSource(overrides) {
  const fake = createFakeClient({ max: 3 });
  fake.checkOut(1, 0);
  const checkouts = new Checkouts();
  const settings = { poolSize: 3, minPoolSize: 0, maxConnecting: 2, waitQueueTimeoutMs: 0 };
  return {
    listPools: () => [{ name: null, monitors: [fake.monitor], settings }],
    checkouts,
    requests: createRequests(checkouts),
    readStatus: () => ({ reachable: true, reason: null }),
    about: () => ({ process: { pid: 1 }, features: { loadTests: false }, settings: { requestTimeoutMs: 9 } }),
    ...overrides,
  };
}

let view = createLiveView(createSource(), { loopbackOnly: true });
afterAll(() => view.close());
const url = await serveHttp((req, res) => {
  res.setHeader('Referrer-Policy', 'origin');
  if (!view.handle(req, res)) res.writeHead(404).end('not of the live view');
});

/**
 * As written: fetch would resolve dots and forbids Host.
 * @param {string} path
 * @param {import('node:http').RequestOptions} [options]
 */
async function get(path, options) {
  const [response] = await once(request(`${url}/`, { path, ...options }).end(), 'response');
  let body = '';
  for await (const chunk of response.setEncoding('utf8')) body += chunk;
  return { status: response.statusCode, headers: response.headers, body };
}

test.each([
  ['/', /^text\/html/],
  ['/page/main.js', /^text\/javascript/],
  ['/page/style.css', /^text\/css/],
  ['/page/icon.svg', /^image\/svg/],
  ['/page/chart.js', /^text\/javascript/],
  ['/universal/look.css', /^text\/css/],
  ['/pool', /^application\/json/],
  ['/pool?after=1', /^application\/json/],
  ['/pool/checkouts', /^application\/json/],
  ['/pool/requests', /^application\/json/],
  ['/pool/connections', /^application\/json/],
  ['/pool/seconds', /^application\/json/],
  ['/metrics', /^text\/plain; version=0\.0\.4/],
])('%s is served without a framework, and with security headers that the app has not set', async (path, type) => {
  const { status, headers, body } = await get(path);
  expect(status).toBe(200);
  expect(headers['content-type']).toMatch(type);
  expect(Buffer.byteLength(body)).toBe(Number(headers['content-length']));
  expect(headers).toMatchObject({
    'content-security-policy': expect.stringContaining("default-src 'none'"),
    'x-content-type-options': 'nosniff',
    'x-frame-options': 'DENY',
    'referrer-policy': 'origin',
  });
  const head = await get(path, { method: 'HEAD' });
  expect([head.status, head.body, head.headers['content-length']]).toEqual([200, '', headers['content-length']]);
});

test.each([
  '/nowhere',
  '/page/',
  '/page',
  '/page/none.js',
  '/page/../package.json',
  '/page/../src/feed.js',
  '/page/%2e%2e/package.json',
  '/page/..%2fpackage.json',
  '/universal/..\\package.json',
  '/page//style.css',
  '/src/feed.js',
  '/page/.hidden.js',
  '/pool/',
  '/pool/server',
  '/constructor',
  '/page/main.js/x',
  '/../package.json',
  '*',
  '',
])('%s is left to the app', async (path) => {
  expect(await get(path || '//')).toMatchObject({ status: 404, body: 'not of the live view' });
});

test('so is what does not only read', async () => {
  for (const method of ['POST', 'PUT', 'DELETE', 'OPTIONS']) {
    expect(await get('/pool', { method })).toMatchObject({ status: 404 });
  }
});

test('an app can add files to the page, and only then is there anything of it', async () => {
  const files = new URL('../page/', import.meta.url);
  const extension = { files, html: 'icon.svg', style: 'style.css', module: 'state.js' };
  const { body: plain } = await get('/');
  expect(plain).toContain('<div id="app"></div>');
  expect(plain).not.toMatch(/modulepreload|\/app\//);
  expect(await get('/app/style.css')).toMatchObject({ status: 404 });
  const before = view;
  view = createLiveView(createSource(), { extension });
  try {
    for (const path of ['/', '/page/index.html']) {
      const { body } = await get(path);
      expect(body).toContain('<link rel="stylesheet" href="/app/style.css">');
      expect(body).toContain('<link rel="modulepreload" href="/app/state.js">');
      expect(body).toContain('<div id="app"><svg');
    }
    expect((await get('/app/style.css')).body).toBe((await get('/page/style.css')).body);
    expect(await get('/app/../package.json')).toMatchObject({ status: 404 });
  } finally {
    view.close();
    view = before;
  }
});

test('a file that the browser has is not sent again', async () => {
  const { headers } = await get('/page/main.js');
  const again = await get('/page/main.js', { headers: { 'If-None-Match': String(headers.etag) } });
  expect(again).toMatchObject({ status: 304, body: '' });
});

test.each(['evil.example', 'evil.example:80', '127.0.0.1.evil.example', 'localhost.evil.example:3000'])(
  'on loopback only, a request to the host "%s" is refused: a name that was rebound',
  async (host) => {
    for (const path of ['/', '/pool', '/pool/events', '/metrics', '/nowhere']) {
      const { status, headers, body } = await get(path, { headers: { Host: host } });
      expect([status, headers['content-type']]).toEqual([403, 'application/problem+json; charset=utf-8']);
      expect(JSON.parse(body)).toMatchObject({ status: 403, title: 'Forbidden' });
    }
  },
);

test.each(['localhost', 'LOCALHOST:3000', '[::1]:3000', '127.0.0.1'])(
  'a request to the host "%s" is not',
  async (host) => {
    expect(await get('/pool', { headers: { Host: host } })).toMatchObject({ status: 200 });
  },
);

test('with a token, only a request that has it is answered, under any host name', async () => {
  const before = view;
  view = createLiveView(createSource(), { token: 'a-token-of-16-ch' });
  const basic = (/** @type {string} */ text) => `Basic ${Buffer.from(text).toString('base64')}`;
  const right = ['Bearer a-token-of-16-ch', basic(':a-token-of-16-ch'), basic('ann:a-token-of-16-ch')];
  const wrong = ['Bearer a-token-of-16-cH', 'Bearer', basic('a-token-of-16-ch:'), 'a-token-of-16-ch', ''];
  try {
    const ask = (/** @type {string} */ path, /** @type {string} */ Authorization) =>
      get(path, { headers: { Host: 'shop.example', ...(Authorization && { Authorization }) } });
    for (const authorization of right) expect(await ask('/metrics', authorization)).toMatchObject({ status: 200 });
    for (const authorization of wrong)
      for (const path of ['/', '/pool', '/metrics', '/page/main.js', '/nowhere'])
        expect(await ask(path, authorization)).toMatchObject({
          status: 401,
          headers: { 'www-authenticate': expect.stringMatching(/^Basic realm=/) },
        });
  } finally {
    view.close();
    view = before;
  }
});

test('/pool has the main pool, each client, and what the app adds', async () => {
  const pool = JSON.parse((await get('/pool')).body);
  const gauges = { name: null, max: 3, active: 1, checkedOut: 1, lanes: [{ id: 1, route: null }] };
  expect(pool).toMatchObject({
    ...gauges,
    clients: [{ ...gauges, settings: { poolSize: 3 } }],
    process: { pid: 1 },
    database: { reachable: true },
    features: { loadTests: false, predictions: expect.any(Boolean) },
    settings: { poolSize: 3, maxConnecting: 2, requestTimeoutMs: 9 },
  });
});

describe('what goes wrong in the live view', () => {
  /** @param {Partial<LiveSource>} overrides */
  function answerWith(overrides) {
    const about = () => {
      throw new Error('broken');
    };
    const failing = createLiveView(createSource({ about, ...overrides }));
    /** @type {any} */
    const res = {
      headersSent: false,
      hasHeader: () => true,
      setHeader() {},
      writeHead(/** @type {number} */ status) {
        res.status = status;
      },
      end() {},
    };
    try {
      failing.handle(/** @type {any} */ ({ method: 'GET', url: '/pool', headers: {} }), res);
    } finally {
      failing.close();
    }
    return res.status;
  }

  test('goes to onError, and never further', () => {
    /** @type {unknown[]} */
    const errors = [];
    expect(answerWith({ onError: (error) => errors.push(error) })).toBe(500);
    expect(errors).toEqual([expect.objectContaining({ message: 'broken' })]);
  });

  test('without onError it goes to the caller, as in Express', () => {
    expect(() => answerWith({})).toThrow('broken');
  });
});
