import { beforeAll, describe, expect, test } from '@jest/globals';
import parse from 'parse-prometheus-text-format';
import { until } from 'test-support/waiting.js';
import { serveApp } from '../support/serve-app.js';

const url = await serveApp({});

test('/pool has the limits, with how many connections the driver opens at once, and says what is installed', async () => {
  expect(await (await fetch(`${url}/pool`)).json()).toMatchObject({
    max: 100,
    min: 0,
    maxConnecting: 2,
    features: { loadTests: true, predictions: true },
  });
});

test('/pool has the settings that decide how long requests wait', async () => {
  const settingsOf = async (/** @type {string} */ app) => (await (await fetch(`${app}/pool`)).json()).settings;
  expect(await settingsOf(url)).toEqual({
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
  expect(await (await fetch(`${url}/pool`)).json()).toMatchObject({ slowMs: 300, slowQuery: 'sleep' });
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
const ask = (query) => fetch(`${url}/pool/checkouts${query}`);

test('/pool/checkouts lists the checkouts after an id, and the last id', async () => {
  await fetch(`${url}/fast`);
  const { checkouts, lastId } = await (await ask('')).json();
  expect(checkouts.at(-1)).toMatchObject({ id: lastId, route: '/fast', outcome: 'checkedIn', reason: null });
  await fetch(`${url}/fast`);
  const later = await (await ask(`?after=${lastId}`)).json();
  expect(later).toMatchObject({ checkouts: [{ id: lastId + 1 }], lastId: lastId + 1, forgotten: 0 });
  expect(await (await ask(`?after=${lastId + 1}`)).json()).toEqual({ checkouts: [], lastId: lastId + 1, forgotten: 0 });
});

const NO_IDS = ['', '-1', '1.5', '1e3', '0x10', ' 5', '5x', '9'.repeat(16), '1&after=2', '%00'];
test.each(NO_IDS)('after=%s is refused', async (after) => {
  const response = await ask(`?after=${after}`);
  expect(response.status).toBe(400);
  expect(await response.json()).toMatchObject({
    detail: 'after must be the id in checkouts to start after, a whole number',
  });
});

describe('/metrics', () => {
  /** @type {string} */
  let url;
  beforeAll(async () => {
    url = await serveApp({ MONGO_POOLSIZE: '1', MONGO_WAIT_QUEUE_TIMEOUT_MS: '100', SLOW_MS: '200' });
  });

  async function scrape() {
    const response = await fetch(`${url}/metrics`);
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
      'db_client_connection_count GAUGE',
      'db_client_connection_create_time_seconds HISTOGRAM',
      'db_client_connection_idle_max GAUGE',
      'db_client_connection_idle_min GAUGE',
      'db_client_connection_max GAUGE',
      'db_client_connection_pending_requests GAUGE',
      'db_client_connection_timeouts_total COUNTER',
      'db_client_connection_use_time_seconds HISTOGRAM',
      'db_client_connection_wait_time_seconds HISTOGRAM',
      'http_server_request_duration_seconds HISTOGRAM',
    ]);
    for (const { help } of families) expect(help).toMatch(/^[A-Z].+[^.]$/);
  });

  test('the metrics count what happened, with the same sums as the monitor', async () => {
    const before = await scrape();
    expect(valueOf(before, 'db_client_connection_timeouts_total{.*}')).toBe(0);
    const [slow, other] = await Promise.all([fetch(`${url}/slow`), fetch(`${url}/slow`), fetch(`${url}/livez`)]);
    expect([slow.status, other.status].toSorted()).toEqual([200, 503]);

    const { wait, use, connect } = await (await fetch(`${url}/pool`)).json();
    const text = await scrape();
    expect(valueOf(text, 'db_client_connection_timeouts_total{.*}')).toBe(1);
    expect(valueOf(text, 'db_client_connection_max{.*}')).toBe(1);
    expect(valueOf(text, 'db_client_connection_count{.*="idle"}')).toBe(1);
    for (const [name, summary] of Object.entries({ wait, use, create: connect })) {
      const metric = `db_client_connection_${name}_time_seconds`;
      expect(valueOf(text, `${metric}_count{.*}`)).toBe(summary.count);
      expect((valueOf(text, `${metric}_sum{.*}`) * 1000) / summary.sumMs).toBeCloseTo(1, 2);
      expect(valueOf(text, `${metric}_bucket{le="60",.*}`)).toBe(summary.count);
    }
    expect(valueOf(text, 'http_server_request_duration_seconds_count{.*"/slow".*"200"}')).toBe(1);
    expect(valueOf(text, 'http_server_request_duration_seconds_count{.*"/slow".*"503"}')).toBe(1);
  });
});
