import { once } from 'node:events';
import { cp } from 'node:fs/promises';
import { request } from 'node:http';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, afterEach, describe, expect, jest, test } from '@jest/globals';
import { Checkouts, createRequests } from 'mongodb-pool-monitor';
import { diagnose, readTraceText } from 'mongodb-pool-predictor';
import { scratchFolder } from 'test-support/cleanup.js';
import { createFakeClient } from 'test-support/fake-client.js';
import { serveHttp, serveHttp as serve } from 'test-support/network.js';
import { findFreePort, runNode } from 'test-support/processes.js';
import { until } from 'test-support/waiting.js';
import { createLiveView } from '../src/index.js';
import { renderRecentTrace } from '../src/recent-trace.js';
import { createEnded, createSecond } from './page/sample-pool.js';
import { ask, PoolClient } from '../src/pool-client.js';

/** @import { LiveSource } from '../src/index.js' */

const SETTINGS = { poolSize: 3, minPoolSize: 0, maxConnecting: 2, waitQueueTimeoutMs: 0 };

/** @param {Partial<LiveSource>} [overrides] @returns {LiveSource} */
function createSource(overrides) {
  const fake = createFakeClient({ max: 3 });
  fake.checkOut(1, 0);
  const checkouts = new Checkouts();
  return {
    listPools: () => [{ name: null, monitors: [fake.monitor], settings: SETTINGS }],
    checkouts,
    requests: createRequests(checkouts),
    readStatus: () => ({ reachable: true, reason: null }),
    about: () => ({ process: { pid: 1 }, features: { loadTests: false }, settings: { requestTimeoutMs: 9 } }),
    ...overrides,
  };
}
let view = createLiveView(createSource(), { loopbackOnly: true });
const url = await serveHttp((req, res) => {
  res.setHeader('Referrer-Policy', 'origin');
  if (!view.handle(req, res)) res.writeHead(404).end('not of the live view');
});

describe('the live view', () => {
  afterAll(() => view.close());
  afterEach(() => {
    jest.restoreAllMocks();
  });

  /**
   * Serves another live view while some work is done.
   * @param {Parameters<typeof createLiveView>} parts
   * @param {() => Promise<void>} work
   */
  async function withView(parts, work) {
    const before = view;
    view = createLiveView(...parts);
    try {
      await work();
    } finally {
      view.close();
      view = before;
    }
  }

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
    ['/page/uplot.js', /^text\/javascript/],
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
    // What goes on in the app changes from one answer to the next.
    const length = path.startsWith('/pool') ? /^[1-9]\d*$/ : new RegExp(`^${headers['content-length']}$`);
    expect(head).toMatchObject({
      status: 200,
      body: '',
      headers: { 'content-length': expect.stringMatching(length) },
    });
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
    const files = new URL('../page', import.meta.url);
    const extension = { files, html: 'icon.svg', style: 'style.css', module: 'state.js' };
    const { body: plain } = await get('/');
    expect(plain).toContain('<div id="app"></div>');
    expect(plain).not.toMatch(/modulepreload|\/app\//);
    expect(await get('/app/style.css')).toMatchObject({ status: 404 });
    await withView([createSource(), { extension }], async () => {
      for (const path of ['/', '/page/index.html']) {
        const { body } = await get(path);
        expect(body).toContain('<link rel="stylesheet" href="/app/style.css">');
        expect(body).toContain('<link rel="modulepreload" href="/app/state.js">');
        expect(body).toContain('<div id="app"><svg');
      }
      expect((await get('/app/style.css')).body).toBe((await get('/page/style.css')).body);
      expect(await get('/app/../package.json')).toMatchObject({ status: 404 });
    });
  });

  test('all readers have the same notes, also one that comes later', async () => {
    /** @type {((request: any) => void)[]} */
    const listeners = [];
    const { requests, ...source } = createSource();
    const onEnd = (/** @type {(request: any) => void} */ listener) => listeners.push(listener);
    const end = (/** @type {object} */ request) => {
      for (const listen of listeners) listen({ ...createEnded(), ...request });
    };
    const follow = () => {
      const events = new PoolClient(url).events('notes');
      return async () => (await events.next()).value;
    };
    const live = { ...source, requests: { ...requests, log: requests.log, onEnd } };
    await withView([live], async () => {
      const first = follow();
      expect(await first()).toEqual([]);
      end({ status: 503, totalMs: 7 });
      const notes = await first();
      expect(notes).toMatchObject([{ route: '/fast', status: 503, totalMs: 7, count: 1 }]);
      expect(await follow()()).toEqual(notes);
    });
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
    const basic = (/** @type {string} */ text) => `Basic ${Buffer.from(text).toString('base64')}`;
    const right = ['Bearer a-token-of-16-ch', basic(':a-token-of-16-ch'), basic('ann:a-token-of-16-ch')];
    const wrong = ['Bearer a-token-of-16-cH', 'Bearer', basic('a-token-of-16-ch:'), 'a-token-of-16-ch', ''];
    await withView([createSource(), { token: 'a-token-of-16-ch' }], async () => {
      const ask = (/** @type {string} */ path, /** @type {string} */ Authorization) =>
        get(path, { headers: { Host: 'shop.example', ...(Authorization && { Authorization }) } });
      for (const authorization of right) expect(await ask('/metrics', authorization)).toMatchObject({ status: 200 });
      for (const authorization of wrong)
        for (const path of ['/', '/pool', '/metrics', '/page/main.js', '/nowhere'])
          expect(await ask(path, authorization)).toMatchObject({
            status: 401,
            headers: { 'www-authenticate': expect.stringMatching(/^Basic realm=/) },
          });
    });
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

  test('/pool/trace and /pool/open have the checkouts that have not ended', async () => {
    const fake = createFakeClient({ max: 1 });
    const checkouts = new Checkouts({ now: fake.now });
    checkouts.watch(fake.monitor);
    const start = () => {
      fake.startCheckOut();
    };
    const request = (/** @type {string} */ route) => ({ requestId: route, route: () => route });
    checkouts.run(request('/slow'), start);
    fake.checkOut(1, 0);
    fake.pass(100);
    checkouts.run(request('/fast'), start);
    fake.pass(500);
    jest.spyOn(performance, 'now').mockImplementation(fake.now);
    jest.spyOn(Date, 'now').mockReturnValue(performance.timeOrigin + fake.now());
    view.close();
    const listPools = () => [{ name: null, monitors: [fake.monitor], settings: SETTINGS }];
    view = createLiveView(createSource({ listPools, checkouts }));
    const open = [
      { route: '/fast', outcome: 'waiting', checkedOutAtMs: null, heldBy: [{ route: '/slow' }] },
      { route: '/slow', outcome: 'checkedOut', connectionId: 1, heldBy: [] },
    ];
    expect(JSON.parse((await get('/pool/open')).body).checkouts).toMatchObject(open);
    const { routes, checkouts: columns } = await readTraceText((await get('/pool/trace')).body);
    const rows = [...columns.waitMs.keys()].map((row) => [
      routes[columns.routeOf[row]],
      Math.round(columns.waitMs[row]),
      Math.round(columns.useMs[row]),
      columns.behindCount[row],
    ]);
    expect(rows).toEqual([
      ['/slow', 0, 600, 0],
      ['/fast', 500, NaN, 1],
    ]);
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
});

describe("the page's files", () => {
  test('without uplot, the page gets a script in its place, and still loads', async () => {
    const folder = await scratchFolder();
    for (const name of ['src', 'page', 'package.json'])
      await cp(new URL(`../${name}`, import.meta.url), path.join(folder, name), { recursive: true });
    const file = JSON.stringify(pathToFileURL(path.join(folder, 'src/page-files.js')));
    const script = `import(${file}).then(({ PageFiles }) => {
    const res = { setHeader() {}, writeHead: () => res, end: (text) => (0, eval)(String(text)) };
    const isSent = new PageFiles().find('/page/uplot.js')({ headers: {} }, res);
    const box = {};
    const plot = new uPlot({}, [], box);
    plot.setData([]);
    plot.setSize({});
    plot.destroy();
    process.stdout.write(JSON.stringify({ isSent, index: plot.cursor.idx ?? null, said: box.textContent }));
  });`;
    const { stdout, stderr } = await runNode(['-e', script], { cwd: folder });
    expect({ stderr, ...JSON.parse(stdout) }).toEqual({
      stderr: '',
      isSent: true,
      index: null,
      said: 'No charts: uplot is not installed beside mongodb-pool-page',
    });
  });
});

describe('the recent trace', () => {
  const NOW_MS = 1_000_000;
  const POOL = {
    name: null,
    servers: ['db:1'],
    options: { maxPoolSize: { value: 2, from: /** @type {const} */ ('code') } },
  };
  const BEHIND = { route: '/report', operation: 'find articles', kind: null, requests: [900, 901] };

  /** A checkout that waited 50 ms. @param {number} startedAtMs @param {number} [request] */
  const serveAt = (startedAtMs, request = 0) => ({
    ...{ pool: null, server: 'db:1', route: '/fast', request, operation: 'find users', heldBy: [BEHIND] },
    ...{ checkOutStartedAtMs: startedAtMs, checkedOutAtMs: startedAtMs + 50, checkedInAtMs: startedAtMs + 55 },
    ...{ endedAtMs: startedAtMs + 55, outcome: 'checkedIn' },
  });

  /**
   * Requests until now, each of which waited 50 ms.
   * @param {number} count @param {number} everyMs @param {object[]} open checkouts that have not ended
   * @param {object[]} before checkouts before them
   */
  function createSource(count, everyMs, open, before) {
    const served = Array.from({ length: count }, (_, index) => serveAt(NOW_MS - everyMs * (count - index), index));
    const checkouts = [...before.map((each) => ({ ...serveAt(0), ...each })), ...served].map((each, index) => ({
      ...each,
      id: index + 1,
    }));
    const requests = served.map(({ request, endedAtMs }) => ({
      ...{ id: request + 1, request, endedAtMs, totalMs: 55, status: 200, route: '/fast' },
    }));
    const listOf = (/** @type {{ id: number }[]} */ all) => ({
      lastId: all.length,
      list: (/** @type {{ after: number }} */ { after }) => all.filter(({ id }) => id > after),
    });
    const unended = { checkedOutAtMs: null, endedAtMs: NOW_MS, outcome: 'waiting' };
    return /** @type {any} */ ({
      checkouts: {
        ...listOf(checkouts),
        events: { list: () => [] },
        listOpen: () => open.map((each, index) => ({ ...serveAt(0, 1000 + index), ...unended, ...each })),
      },
      requests: { log: listOf(requests) },
    });
  }

  /**
   * @param {number} count @param {import('../universal/feed-shapes.js').Second[]} [seconds] @param {number} [everyMs]
   * @param {{ open?: object[], before?: object[] }} [others]
   */
  async function readRecent(count, seconds = [], everyMs = 100, { open = [], before = [] } = {}) {
    const pools = { clients: [POOL], seconds, max: 2 };
    const text = renderRecentTrace(createSource(count, everyMs, open, before), pools, NOW_MS);
    return text === null ? null : readTraceText(text);
  }

  test('the last minute is a trace that says why requests waited', async () => {
    const trace = await readRecent(800, [createSecond({ atMs: NOW_MS - 500, max: 2 })]);
    if (!trace) throw new Error('there is no trace');
    expect(trace.checkouts.length).toBe(600);
    expect(diagnose(trace).verdict).toMatchObject({
      cause: 'fullPool',
      meanWaitMs: expect.closeTo(50),
      facts: { maxPoolSize: 2, holders: [{ route: '/report', operation: 'find articles' }] },
    });
  });

  test('it has the clients that the app created in it, and those before', async () => {
    const site = { place: 'app.js:4', hosts: 'db:1', created: 90, closed: 30, connections: 60 };
    const listClientSites = () => [{ ...site, minuteAgo: { created: 20, closed: 5 } }];
    // Each has changed the sum of the sizes.
    const pools = { clients: [POOL], seconds: [createSecond({ atMs: NOW_MS - 500, max: 6000 })], max: 2 };
    const text = renderRecentTrace({ ...createSource(20, 100, [], []), listClientSites }, pools, NOW_MS);
    const { seconds, checkouts } = await readTraceText(String(text));
    expect(checkouts.length).toBe(20);
    const { connections, ...before } = { ...site, created: 20, closed: 5 };
    expect(seconds.clients).toMatchObject([before, { ...site, connections }]);
  });

  test('it begins after the pool got its size', async () => {
    const seconds = [3, 2, 1].map((ago) => createSecond({ atMs: NOW_MS - ago * 1000, max: ago === 3 ? 1 : 2 }));
    expect((await readRecent(100, seconds))?.checkouts.length).toBe(20);
    expect(await readRecent(100, seconds.slice(0, 1))).toBeNull();
  });

  test('of a busy minute it has only as much as a page needs, and no request without its checkouts', async () => {
    const trace = await readRecent(2500, [], 1);
    if (!trace) throw new Error('there is no trace');
    expect(trace.checkouts.length).toBeGreaterThan(1900);
    expect(trace.checkouts.length).toBeLessThanOrEqual(2000);
    expect(trace.requests.startedMs.filter((ms) => ms >= 0).length).toBe(trace.checkouts.length);
  });

  const waitsFor = (/** @type {number} */ ms) => ({ checkOutStartedAtMs: NOW_MS - ms });

  test('those that have not ended are in it, and say why they wait', async () => {
    const holder = { checkedOutAtMs: NOW_MS - 3000, checkOutStartedAtMs: NOW_MS - 3000, outcome: 'checkedOut' };
    const trace = await readRecent(10, [], 100, {
      open: [4000, 3000, 2000, 1000, 900, 800].map(waitsFor).concat(holder),
    });
    if (!trace) throw new Error('there is no trace');
    const { totals, verdict } = diagnose(trace);
    expect(totals).toMatchObject({ checkouts: 17, stillWaiting: 6, stillWaitedMs: 11_700, refused: 0 });
    expect(verdict).toMatchObject({ cause: 'fullPool', facts: { holders: [{ route: '/report' }] } });
  });

  test('where somebody waited a minute ago, it begins with that queue', async () => {
    const before = [80, 75, 70].map((ago) => ({
      ...{ checkOutStartedAtMs: NOW_MS - ago * 1000, checkedOutAtMs: NOW_MS - (ago - 15) * 1000 },
      ...{ checkedInAtMs: NOW_MS - (ago - 16) * 1000, endedAtMs: NOW_MS - (ago - 16) * 1000 },
    }));
    expect((await readRecent(10, [], 100, { before }))?.checkouts.length).toBe(13);
    // The first wait was over before the second began.
    const [first, ...later] = before;
    const early = { ...first, checkOutStartedAtMs: NOW_MS - 99_000, checkedOutAtMs: NOW_MS - 98_000 };
    expect((await readRecent(10, [], 100, { before: [early, ...later] }))?.checkouts.length).toBe(12);
  });

  test('what the app did before its first request is not in it', async () => {
    const own = { request: null, route: null, checkOutStartedAtMs: NOW_MS - 5000, endedAtMs: NOW_MS - 4000 };
    expect((await readRecent(10, [], 100, { before: [own, own] }))?.checkouts.length).toBe(10);
    const later = { ...own, checkOutStartedAtMs: NOW_MS - 500, endedAtMs: NOW_MS - 400 };
    expect((await readRecent(10, [], 100, { before: [own, later] }))?.routes).toContain('the app itself');
    // An app without requests has named work, or none that counts.
    expect(await readRecent(0, [], 100, { before: [own] })).toBeNull();
    expect((await readRecent(0, [], 100, { before: [{ ...own, route: 'jobs' }] }))?.routes).toContain('jobs');
  });

  test('without a checkout there is none', async () => {
    expect(await readRecent(0)).toBeNull();
  });
});

describe('the client of /pool', () => {
  test('asks for each path of the live view, with the headers given', async () => {
    /** @type {[string | undefined, string | undefined][]} */
    const seen = [];
    const url = await serve((req, res) => {
      seen.push([req.url, req.headers.authorization]);
      const lists = { checkouts: [], requests: [{ id: 8 }], connections: [{ id: 3 }], seconds: [{ id: 4 }] };
      res.end(JSON.stringify({ max: 3, cores: 2, ...lists, lastId: 8, forgotten: 1 }));
    });
    const client = new PoolClient(url, { headers: { Authorization: 'Basic x' } });

    expect(await client.snapshot()).toMatchObject({ max: 3 });
    expect(await client.checkoutsSince(5)).toMatchObject({ checkouts: [], lastId: 8, forgotten: 1 });
    expect(await client.requestsSince(7)).toMatchObject({ requests: [{ id: 8 }] });
    expect(await client.connectionsSince(2)).toMatchObject({ connections: [{ id: 3 }] });
    expect(await client.secondsSince(3)).toMatchObject({ seconds: [{ id: 4 }] });
    expect(await client.serverLoad()).toMatchObject({ cores: 2 });
    expect(await client.metrics()).toContain('"cores":2');
    expect(seen).toEqual(
      [
        '/pool',
        '/pool/checkouts?after=5',
        '/pool/requests?after=7',
        '/pool/connections?after=2',
        '/pool/seconds?after=3',
        '/pool/server',
        '/metrics',
      ].map((path) => [path, 'Basic x']),
    );
  });

  test.each([
    [
      503,
      { title: 'MongoDB is unreachable', detail: 'connect ECONNREFUSED' },
      'answered 503: MongoDB is unreachable: connect ECONNREFUSED',
    ],
    [404, { title: 'Not Found' }, 'answered 404: Not Found'],
    [502, 'Bad Gateway', 'answered 502'],
    [200, null, 'did not answer with a JSON object'],
    [200, { checkouts: [] }, 'did not answer with a list of checkouts'],
  ])('the status %i with %j is an error that says so', async (status, body, problem) => {
    const url = await serve((req, res) => res.writeHead(status).end(JSON.stringify(body)));
    await expect(new PoolClient(url).checkoutsSince(0)).rejects.toThrow(
      new RegExp(`^${url}: GET /pool/checkouts(\\?after=0)? ${problem}$`),
    );
  });

  test('nobody listening, a lost connection and silence are errors that name the URL, but no password', async () => {
    const port = await findFreePort();
    await expect(new PoolClient(`http://127.0.0.1:${port}`).snapshot()).rejects.toThrow(
      `http://127.0.0.1:${port} does not answer GET /pool (connect ECONNREFUSED 127.0.0.1:${port})`,
    );
    const lost = await serve((req, res) => {
      res.writeHead(200, { 'Content-Length': 10 }).write('{');
      setImmediate(() => res.destroy());
    });
    await expect(new PoolClient(lost).snapshot()).rejects.toThrow(/ does not answer GET \/pool \(other side closed\)/);
    const silent = await serve(() => {});
    for (const asked of [
      new PoolClient(silent, { timeoutMs: 100 }).snapshot(),
      new PoolClient(silent, { timeoutMs: 100 }).events('pool').next(),
    ])
      await expect(asked).rejects.toThrow(/ does not answer GET \/pool\S* \(waited 0\.1 s\)$/);
    const post = ask('http://user:secret@127.0.0.1:1/a?b=c', async () => {}, { method: 'POST' });
    await expect(post).rejects.toThrow(/^http:\/\/127\.0\.0\.1:1 does not answer POST \/a\?b=c \((?!.*secret)/);
  });

  test('a redirection is an error unless it is asked for: it could lead to any server', async () => {
    /** @type {(string | undefined)[]} */
    const asked = [];
    const there = await serve((req, res) => {
      asked.push(req.url);
      res.end('{"max":3}');
    });
    const url = await serve((req, res) => res.writeHead(307, { Location: new URL(String(req.url), there).href }).end());
    for (const refused of [new PoolClient(url).snapshot(), new PoolClient(url).events('pool').next()])
      await expect(refused).rejects.toThrow(/^http:\S+ does not answer GET \/pool\S* \(unexpected redirect\)$/);
    expect(asked).toEqual([]);
    expect(await new PoolClient(url, { redirect: 'follow' }).snapshot()).toEqual({ max: 3 });
  });

  test('an aborted request throws the reason of its signal', async () => {
    const silent = await serve(() => {});
    const controller = new AbortController();
    const asked = [
      new PoolClient(silent).snapshot(controller.signal),
      new PoolClient(silent).events('pool', controller.signal).next(),
    ];
    controller.abort(new Error('enough'));
    for (const each of asked) await expect(each).rejects.toThrow(/^enough$/);
  });

  test('the stream has the events of one name, and ends with its reader', async () => {
    let isEnded = false;
    const url = await serve((req, res) => {
      res.on('close', () => {
        isEnded = true;
      });
      res.write('retry: 1000\n\nevent: history\ndata: {}\n\nevent: pool\nda');
      setImmediate(() => res.write('ta: {"max":3}\n\nevent: pool\ndata: {"max":4}\n\n'));
    });
    const seen = [];
    for await (const { max } of new PoolClient(url).events('pool')) if (seen.push(max) === 2) break;
    expect(seen).toEqual([3, 4]);
    await until('the app sees the end', () => isEnded);

    const refusing = await serve((req, res) => res.writeHead(503).end());
    await expect(new PoolClient(refusing).events('pool').next()).rejects.toThrow(/: GET \/pool\/events answered 503$/);
  });
});
