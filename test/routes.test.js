import { beforeAll, describe, expect, test } from '@jest/globals';
import parse from 'parse-prometheus-text-format';
import { until } from 'test-support/waiting.js';
import { openMongoGate } from './support/mongo-gate.js';
import { ask, serveApp, useControl } from './support/serve-app.js';

const gate = await openMongoGate();
const url = await serveApp({ MONGO_URL: gate.url, MONGO_POOLSIZE: '1' });
const plainUrl = await serveApp({});

describe('the controls', () => {
  /** @param {string} control @param {unknown} body @param {Record<string, string>} [headers] */
  const post = (control, body, headers) => useControl(url, control, body, headers);

  async function readPool() {
    return (await fetch(`${url}/pool`)).json();
  }

  describe('the page', () => {
    test('changes the pool size while requests run, and none of them fails', async () => {
      const requests = Array.from({ length: 20 }, () => fetch(`${url}/fast`));
      expect(await post('pool-size', { poolSize: 10 })).toMatchObject({ status: 200, body: { poolSize: 10 } });
      expect(await Promise.all(requests.map(async (each) => (await each).status))).toEqual(requests.map(() => 200));
      expect(await readPool()).toMatchObject({ max: 10 });
      await post('pool-size', { poolSize: 1 });
    });

    test('changes how long /slow takes', async () => {
      await post('slow-ms', { slowMs: 20 });
      expect(await (await fetch(`${url}/slow`)).json()).toEqual({ query: 'slow', serverMs: 20 });
    });

    test('sends vehicles, and sees which waits behind which', async () => {
      gate.hold();
      expect(await post('traffic', { route: '/slow', count: 1 })).toMatchObject({ status: 202 });
      await until('the bus is in', async () => (await readPool()).lanes[0]?.route === '/slow');
      await post('traffic', { route: '/fast', count: 10 });
      const pool = await until('the Ferraris wait', async () => {
        const now = await readPool();
        return now.waiting === 10 && now;
      });
      const [bus] = pool.lanes;
      expect(pool.queue).toHaveLength(10);
      expect(pool.queue[0]).toMatchObject({ route: '/fast', behind: [{ route: '/slow', requestId: bus.requestId }] });
      gate.release();
      await until('the queue is empty', async () => (await readPool()).waiting === 0);
    });

    test.each([
      ['pool-size', { poolSize: 0 }, /poolSize must be a whole number from 1 to 1000/],
      ['pool-size', { poolSize: '5' }, /poolSize/],
      ['pool-size', [], /poolSize/],
      ['slow-ms', { slowMs: 1.5 }, /slowMs must be a whole number from 1 to 60000/],
      ['traffic', { route: '/pool', count: 1 }, /route must be one of/],
      ['traffic', { route: '/fast', count: 1e9 }, /count/],
    ])('gets a problem that says what %s accepts instead of %j', async (control, body, detail) => {
      expect(await post(control, body)).toMatchObject({
        status: 400,
        type: expect.stringContaining('application/problem+json'),
        body: { detail: expect.stringMatching(detail) },
      });
    });

    test('gets a problem for a body that is not JSON or too long', async () => {
      expect(await post('slow-ms', '{')).toMatchObject({ status: 400 });
      expect(await post('slow-ms', { slowMs: 1, more: 'x'.repeat(2000) })).toMatchObject({ status: 413 });
    });
  });

  test('change nothing with CONTROLS=off', async () => {
    const closed = await serveApp({ CONTROLS: 'off' });
    expect(await useControl(closed, 'slow-ms', { slowMs: 1 })).toMatchObject({
      status: 403,
      body: { detail: 'CONTROLS is off; set CONTROLS=on to allow them' },
    });
    expect(await (await fetch(`${closed}/pool`)).json()).toMatchObject({ controls: false });
  });
});

describe("the live page's routes", () => {
  test('/pool has the limits, the number of connections that open at once, and what is installed', async () => {
    expect(await (await fetch(`${plainUrl}/pool`)).json()).toMatchObject({
      max: 100,
      min: 0,
      maxConnecting: 2,
      serverVersion: expect.stringMatching(/^\d+\.\d+\.\d+/),
      features: { loadTests: true, predictions: true },
    });
  });

  test('/pool has the settings that decide how long requests wait', async () => {
    const settingsOf = async (/** @type {string} */ app) => (await (await fetch(`${app}/pool`)).json()).settings;
    expect(await settingsOf(plainUrl)).toEqual({
      poolSize: 100,
      minPoolSize: 0,
      maxConnecting: 2,
      waitQueueTimeoutMs: 0,
      requestTimeoutMs: 150_000,
    });
    const divided = await serveApp({
      MONGO_POOLSIZE: '3',
      MONGO_MIN_POOLSIZE: '1',
      MONGO_MAX_CONNECTING: '4',
      MONGO_WAIT_QUEUE_TIMEOUT_MS: '500',
      SLOW_POOLSIZE: '2',
      SLOW_CONCURRENCY: '5',
      REQUEST_TIMEOUT_MS: '900',
    });
    expect(await settingsOf(divided)).toEqual({
      poolSize: 3,
      minPoolSize: 1,
      maxConnecting: 4,
      waitQueueTimeoutMs: 500,
      slowPoolSize: 2,
      slowConcurrency: 5,
      requestTimeoutMs: 900,
    });
  });

  test('/pool says what the query of /slow does', async () => {
    expect(await (await fetch(`${plainUrl}/pool`)).json()).toMatchObject({ slowMs: 300, slowQuery: 'sleep' });
  });

  test('/pool/server has the load of the server, and takes no connection from the pool', async () => {
    const full = await serveApp({ MONGO_POOLSIZE: '1', SLOW_MS: '60000' });
    const leaving = new AbortController();
    const slow = fetch(`${full}/slow`, { signal: leaving.signal }).catch(() => 'left');
    const readPool = async () => (await fetch(`${full}/pool`)).json();
    const readServer = async () => (await fetch(`${full}/pool/server`)).json();
    await until('/slow holds the only connection', async () => (await readPool()).active === 1);

    const load = await readServer();
    expect(load).toEqual({
      atMs: expect.any(Number),
      cores: expect.any(Number),
      cpuMs: expect.any(Number),
      ticketsOut: expect.any(Number),
      ticketsTotal: expect.any(Number),
      connectionLimit: expect.any(Number),
      queued: expect.any(Number),
      version: expect.stringMatching(/^\d+\.\d+\.\d+$/),
    });
    expect(load.cores).toBeGreaterThan(0);
    expect((await readServer()).atMs).toBeGreaterThan(load.atMs);
    expect(await readPool()).toMatchObject({
      total: 1,
      active: 1,
      waiting: 0,
      checkedOut: (await readPool()).checkedOut,
    });
    leaving.abort();
    expect(await slow).toBe('left');
  });

  /** @param {string} query */
  const askCheckouts = (query) => ask(`${plainUrl}/pool/checkouts${query}`);

  test('/pool/checkouts lists the checkouts after an id, and the last id', async () => {
    await fetch(`${plainUrl}/fast`);
    const { checkouts, lastId } = (await askCheckouts('')).body;
    expect(checkouts.at(-1)).toMatchObject({ id: lastId, route: '/fast', outcome: 'checkedIn', reason: null });
    await fetch(`${plainUrl}/fast`);
    const later = (await askCheckouts(`?after=${lastId}`)).body;
    expect(later).toMatchObject({ checkouts: [{ id: lastId + 1 }], lastId: lastId + 1, forgotten: 0 });
    expect((await askCheckouts(`?after=${lastId + 1}`)).body).toEqual({
      checkouts: [],
      lastId: lastId + 1,
      forgotten: 0,
    });
  });

  const NO_IDS = ['', '-1', '1.5', '1e3', '0x10', ' 5', '5x', '9'.repeat(16), '1&after=2', '%00'];
  test.each(NO_IDS)('after=%s is refused', async (after) => {
    expect(await askCheckouts(`?after=${after}`)).toMatchObject({
      status: 400,
      body: { detail: 'after must be the id in checkouts to start after, a whole number' },
    });
  });

  describe('/metrics', () => {
    /** @type {string} */
    let plainUrl;
    beforeAll(async () => {
      const settings = { MONGO_POOLSIZE: '1', MONGO_WAIT_QUEUE_TIMEOUT_MS: '100', SLOW_MS: '1' };
      plainUrl = await serveApp({ MONGO_URL: gate.url, ...settings });
    });

    async function scrape() {
      const response = await fetch(`${plainUrl}/metrics`);
      expect(response.headers.get('content-type')).toMatch(/^text\/plain; (charset=utf-8; )?version=0\.0\.4/);
      return response.text();
    }

    /**
     * The value of the only series with that name and labels.
     * @param {string} text
     * @param {string} series a pattern
     */
    function valueOf(text, series) {
      const lines = [...text.matchAll(new RegExp(`^${series} (.+)$`, 'gm'))];
      expect(lines).toHaveLength(1);
      return Number(lines[0][1]);
    }

    test('the names, types and units of metrics follow the semantic conventions and Prometheus', async () => {
      const families = parse(await scrape());
      expect(families.map(({ name, type }) => `${name} ${type}`).toSorted()).toEqual([
        'db_client_connection_create_time_seconds HISTOGRAM',
        'db_client_connection_idle_max GAUGE',
        'db_client_connection_idle_min GAUGE',
        'db_client_connection_max GAUGE',
        'db_client_connection_pending_requests GAUGE',
        'db_client_connection_timeouts_total COUNTER',
        'db_client_connection_use_time_seconds HISTOGRAM',
        'db_client_connection_wait_time_seconds HISTOGRAM',
        'db_client_connections GAUGE',
        'http_server_request_duration_seconds HISTOGRAM',
        'http_server_request_pool_wait_seconds HISTOGRAM',
      ]);
      for (const { help } of families) expect(help).toMatch(/^[A-Z].+[^.]$/);
    });

    test('the metrics count what happened, with the same sums as the monitor', async () => {
      const before = await scrape();
      expect(valueOf(before, 'db_client_connection_timeouts_total{.*}')).toBe(0);
      gate.hold();
      const answers = [fetch(`${plainUrl}/slow`), fetch(`${plainUrl}/slow`)];
      expect((await Promise.race(answers)).status).toBe(503);
      gate.release();
      expect((await Promise.all(answers)).map(({ status }) => status).toSorted()).toEqual([200, 503]);

      const { wait, use, connect } = await (await fetch(`${plainUrl}/pool`)).json();
      const text = await scrape();
      expect(valueOf(text, 'db_client_connection_timeouts_total{.*}')).toBe(1);
      expect(valueOf(text, 'db_client_connection_max{.*}')).toBe(1);
      expect(valueOf(text, 'db_client_connections{.*="idle"}')).toBe(1);
      for (const [name, summary] of Object.entries({ wait, use, create: connect })) {
        const metric = `db_client_connection_${name}_time_seconds`;
        expect(valueOf(text, `${metric}_count{.*}`)).toBe(summary.count);
        expect((valueOf(text, `${metric}_sum{.*}`) * 1000) / summary.sumMs).toBeCloseTo(1, 2);
        expect(valueOf(text, `${metric}_bucket{le="125",.*}`)).toBe(summary.count);
      }
      expect(valueOf(text, 'http_server_request_duration_seconds_count{.*"/slow".*"200"}')).toBe(1);
      expect(valueOf(text, 'http_server_request_duration_seconds_count{.*"/slow".*"503"}')).toBe(1);
    });
  });
});

describe('/slow', () => {
  /** @param {string} url */
  const readPool = async (url) => (await ask(`${url}/pool`)).body;

  describe('with SLOW_CONCURRENCY', () => {
    test('requests beyond the limit get 503 with Retry-After at once', async () => {
      const settings = { MONGO_POOLSIZE: '10', SLOW_CONCURRENCY: '2', SLOW_MS: '1' };
      const url = await serveApp({ MONGO_URL: gate.url, ...settings });
      gate.hold();
      /** @type {any[]} */
      const answers = [];
      const all = Promise.all(Array.from({ length: 6 }, async () => answers.push(await ask(`${url}/slow`))));
      await until('four are answered', () => answers.length === 4);
      expect(await readPool(url)).toMatchObject({ slowLimit: { max: 2, running: 2, refused: 4 } });
      gate.release();
      await all;
      expect(answers.map(({ status }) => status)).toEqual([503, 503, 503, 503, 200, 200]);
      expect(answers[0]).toMatchObject({
        retryAfter: '1',
        body: {
          status: 503,
          title: 'Too many of these requests at once',
          detail: '2 requests are running, the limit is 2',
        },
      });
      expect(await readPool(url)).toMatchObject({ slowLimit: { max: 2, running: 0, refused: 4 } });
      expect(await ask(`${url}/slow`)).toMatchObject({ status: 200 });
      // The refused ones never asked for a connection.
      const { checkouts } = (await ask(`${url}/pool/checkouts`)).body;
      expect(checkouts.filter((/** @type {any} */ { route }) => route === '/slow')).toHaveLength(3);
    });

    test('a client that disconnects frees its place, because its query is aborted', async () => {
      const url = await serveApp({ SLOW_CONCURRENCY: '1', SLOW_MS: '60000' });
      const leaving = new AbortController();
      const left = fetch(`${url}/slow`, { signal: leaving.signal }).catch(() => 'left');
      await until('its query runs', async () => (await readPool(url)).slowLimit.running === 1);
      leaving.abort();
      expect(await left).toBe('left');
      await until('its query is over', async () => (await readPool(url)).slowLimit.running === 0);
      expect(await readPool(url)).toMatchObject({ active: 0 });
    });
  });

  describe('with SLOW_POOLSIZE', () => {
    test('buses fill their own tunnel, Ferraris find theirs free, and /pool shows both', async () => {
      const url = await serveApp({ MONGO_URL: gate.url, MONGO_POOLSIZE: '2', SLOW_POOLSIZE: '1', SLOW_MS: '1' });
      gate.hold('mongodb-pool-lab-slow');
      const slow = [ask(`${url}/slow`), ask(`${url}/slow`)];
      const pool = await until('one bus drives and one waits', async () => {
        const now = await readPool(url);
        return now.clients[1].active === 1 && now.clients[1].waiting === 1 && now;
      });
      expect(pool).toMatchObject({
        max: 2,
        active: 0,
        waiting: 0,
        lanes: [],
        queue: [],
        clients: [
          { name: null },
          {
            name: 'slow',
            max: 1,
            lanes: [{ route: '/slow' }],
            queue: [{ route: '/slow', behind: [{ route: '/slow' }] }],
          },
        ],
      });
      expect(await ask(`${url}/fast`)).toMatchObject({ status: 200 });
      expect((await readPool(url)).clients[1]).toMatchObject({ active: 1, waiting: 1 });

      const metrics = await (await fetch(`${url}/metrics`)).text();
      const gauge = (/** @type {string} */ name) =>
        [
          ...metrics.matchAll(
            new RegExp(`^db_client_connection_${name}\\{.*pool_name="[^"/]+(/slow)?".*\\} (\\d+)$`, 'gm'),
          ),
        ].map(([, label = '', value]) => [label, Number(value)]);
      expect(gauge('max')).toEqual([
        ['', 2],
        ['/slow', 1],
      ]);
      expect(gauge('pending_requests')).toEqual([
        ['', 0],
        ['/slow', 1],
      ]);
      expect(gauge('timeouts_total')).toEqual([
        ['', 0],
        ['/slow', 0],
      ]);

      gate.release();
      await Promise.all(slow);
      const { checkouts } = (await ask(`${url}/pool/checkouts`)).body;
      const pools = ['/fast', '/slow'].map(
        (route) =>
          new Set(
            checkouts
              .filter((/** @type {any} */ checkout) => checkout.route === route)
              .map((/** @type {any} */ { pool: name }) => name),
          ),
      );
      expect(pools).toEqual([new Set([null]), new Set(['slow'])]);
      expect(await readPool(url)).toMatchObject({
        checkOutFailed: {},
        clients: [{}, { use: { count: expect.any(Number) } }],
      });
    });

    test('the page only changes the size of the other pool', async () => {
      const url = await serveApp({ MONGO_POOLSIZE: '1', SLOW_POOLSIZE: '1' });
      expect(await useControl(url, 'pool-size', { poolSize: 4 })).toMatchObject({ status: 200 });
      expect(await readPool(url)).toMatchObject({ max: 4, clients: [{ max: 4 }, { max: 1 }] });
    });
  });

  test('without those settings /pool does not mention them', async () => {
    const pool = await readPool(await serveApp());
    expect(pool.clients).toHaveLength(1);
    expect(pool).not.toHaveProperty('slowLimit');
  });
});
