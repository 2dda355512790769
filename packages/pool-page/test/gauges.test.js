import os from 'node:os';
import { afterEach, describe, expect, jest, test } from '@jest/globals';
import { Checkouts, createRequests, DURATION_BOUNDS } from 'mongodb-pool-monitor';
import parse from 'parse-prometheus-text-format';
import { createFakeClient } from 'test-support/fake-client.js';
import { createRandom } from 'test-support/random.js';
import { until } from 'test-support/waiting.js';
import { PoolMetrics } from '../src/pool-metrics.js';
import { readClient } from '../src/read-clients.js';
import { createServerGauge } from '../src/server-gauge.js';
import { Feed } from '../src/feed.js';
import { LoopDelay } from '../src/loop-delay.js';
import { SecondSummary } from '../src/second-summary.js';
import { Histogram, mergeMetrics, renderMetrics } from '../src/prometheus.js';

afterEach(() => {
  jest.restoreAllMocks();
});

describe('gauges', () => {
  /** @param {import('mongodb-pool-monitor').Gauges} gauges */
  function pickGauges({ max, total, idle, active, connecting, waiting, retiring }) {
    return { max, total, idle, active, connecting, waiting, retiring };
  }

  /**
   * The gauges as each of their readers reports them.
   * @param {ReturnType<typeof createFakeClient>} fake
   * @param {ReturnType<typeof createFakeClient>} [retired] the client it replaced
   */
  function readAll(fake, retired) {
    const monitors = [...(retired ? [retired] : []), fake].map(({ monitor }) => monitor);
    const settings = { poolSize: 1, minPoolSize: 0, maxConnecting: 2, waitQueueTimeoutMs: 0 };
    const text = new PoolMetrics(() => [fake.monitor]).render();
    /** @param {string} name @param {string} [state] */
    const metric = (name, state = '') =>
      Number(text.match(new RegExp(`^db_client_connection${name}{[^}]*${state}[^}]*} (\\d+)$`, 'm'))?.[1]);
    return {
      feed: pickGauges(readClient({ name: null, monitors, settings })),
      snapshot: pickGauges(fake.monitor.snapshot().totals),
      metrics: {
        max: metric('_max'),
        idle: metric('s', '"idle"'),
        active: metric('s', '"used"'),
        waiting: metric('_pending_requests'),
      },
    };
  }

  /** A caller waits for a connection that the driver dropped long ago, without an event. */
  function leaveOrphan() {
    const fake = createFakeClient({ max: 3, connectTimeoutMs: 1000 });
    fake.startCheckOut();
    fake.create(1);
    fake.emit('PoolCleared');
    fake.pass(2001);
    return fake;
  }

  test('no reader of the gauges counts a connection that was dropped at a clear', () => {
    const nothing = { max: 3, idle: 0, active: 0, waiting: 0 };
    // Each reader is first once, because it must not depend on another's cleanup.
    expect(readAll(leaveOrphan()).feed).toMatchObject({ ...nothing, total: 0, connecting: 0 });
    expect(leaveOrphan().monitor.snapshot().totals).toMatchObject({ ...nothing, total: 0, connecting: 0 });
    const { monitor } = leaveOrphan();
    expect(new PoolMetrics(() => [monitor]).render()).toMatch(/^db_client_connection_pending_requests{.*} 0$/m);
  });

  test('all readers agree when a clear makes idle connections stale', () => {
    const fake = createFakeClient({ max: 3 });
    for (const id of [1, 2, 3]) fake.checkOut(id, 0);
    fake.checkIn(1);
    fake.checkIn(2);
    const expectAll = (/** @type {number} */ idle) => {
      const metrics = { max: 3, idle, active: 1, waiting: 0 };
      const gauges = { ...metrics, total: 1 + idle, connecting: 0, retiring: 0 };
      expect(readAll(fake)).toEqual({ feed: gauges, snapshot: gauges, metrics });
    };
    expectAll(2);
    fake.emit('PoolCleared');
    expectAll(0);
  });

  test('the work of a replaced client counts, as retiring', () => {
    const retired = createFakeClient({ max: 5 });
    for (const id of [1, 2, 3]) retired.checkOut(id, 0);
    retired.checkIn(1);
    retired.create(4);
    const fake = createFakeClient({ max: 1 });
    fake.checkOut(1, 0);
    const { feed } = readAll(fake, retired);
    expect(feed).toEqual({ max: 1, total: 4, idle: 0, active: 3, connecting: 1, waiting: 0, retiring: 3 });
  });

  test('a closed pool has no gauges', () => {
    const fake = createFakeClient({ max: 3 });
    fake.emit('PoolClosed');
    expect(new PoolMetrics(() => [fake.monitor]).render()).not.toContain('db_client_connection_max{');
  });
});

describe("the server's load", () => {
  /** A gauge, and a server and a clock that the test controls. */
  function createBench({ isOnThisMachine = false } = {}) {
    let nowMs = 0;
    const server = { cores: /** @type {number | null} */ (2), cpuMs: 0, isReachable: true, readings: 0 };
    const gauge = createServerGauge(
      async () => {
        server.readings += 1;
        if (!server.isReachable) throw new Error('unreachable');
        return { ...server, atMs: nowMs, ticketsOut: null, ticketsTotal: null, queued: null };
      },
      { isHere: () => isOnThisMachine, now: () => nowMs },
    );
    return {
      gauge,
      server,
      /** @param {number} ms */
      pass(ms) {
        nowMs += ms;
        return gauge.refresh();
      },
    };
  }

  test('the second reading tells how many cores are busy', async () => {
    const { gauge, server, pass } = createBench();
    expect(gauge.read()).toBeNull();
    await pass(0);
    expect(gauge.read()).toEqual({ cores: 2, busyCores: null });
    server.cpuMs += 1500;
    await pass(1000);
    expect(gauge.read()).toEqual({ cores: 2, busyCores: 1.5 });
  });

  test('on its own machine, how many cores other programs keep busy is known, too', async () => {
    const machine = { atMs: 0, cpuMs: 0 };
    jest.spyOn(performance, 'now').mockImplementation(() => machine.atMs);
    const coreOf = (/** @type {number} */ user) => ({ times: { user, nice: 0, sys: 0, idle: 0, irq: 0 } });
    jest.spyOn(os, 'cpus').mockImplementation(() => /** @type {any} */ ([coreOf(machine.cpuMs), coreOf(0)]));
    const { gauge, server, pass } = createBench({ isOnThisMachine: true });
    await pass(0);
    Object.assign(machine, { atMs: 1000, cpuMs: 1500 });
    server.cpuMs += 500;
    await pass(1000);
    expect(gauge.read()).toEqual({ cores: 2, busyCores: 0.5, otherBusyCores: 1 });
    // In a container, the server has fewer cores than the machine.
    server.cores = 3;
    await pass(1000);
    expect(gauge.read()).toEqual({ cores: 3, busyCores: 0 });
  });

  test('the server is read at most once a second, and not before anyone asks', async () => {
    const { server, pass } = createBench();
    expect(server.readings).toBe(0);
    for (let refreshes = 0; refreshes < 11; refreshes++) await pass(200);
    expect(server.readings).toBe(3);
  });

  test('after a pause, and after an outage, it starts again', async () => {
    const { gauge, server, pass } = createBench();
    await pass(0);
    server.cpuMs += 1500;
    await pass(60_000);
    expect(gauge.read()).toEqual({ cores: 2, busyCores: null });

    server.isReachable = false;
    await pass(1000);
    expect(gauge.read()).toBeNull();
    server.isReachable = true;
    await pass(1000);
    expect(gauge.read()).toEqual({ cores: 2, busyCores: null });
  });

  test('nothing is known of a server that does not tell its cores', async () => {
    const { gauge, server, pass } = createBench();
    server.cores = null;
    await pass(0);
    await pass(1000);
    expect(gauge.read()).toBeNull();
  });
});

describe('the feed', () => {
  afterEach(() => {
    jest.useRealTimers();
  });

  /** A gauge with a clock that the test turns. */
  function openFeed({ fake = createFakeClient({ max: 3 }), checkouts = new Checkouts() } = {}) {
    jest.useFakeTimers({ now: 3_600_000, doNotFake: ['performance'] });
    const { monitor } = fake;
    /** @type {import('../src/live-source.js').LiveSource} */
    const source = {
      listPools: () => [{ name: null, monitors: [monitor], settings: /** @type {any} */ ({}) }],
      checkouts,
      requests: createRequests(checkouts),
      readStatus: () => ({ reachable: true, reason: null }),
      about: () => ({ features: {} }),
    };
    return new Feed(source, /** @type {any} */ ({ count: 0, send() {} }));
  }

  test('a clock that is set back leaves no second in the future', () => {
    const feed = openFeed();
    jest.advanceTimersByTime(3000);
    expect(feed.history.map(({ atMs }) => atMs)).toEqual([3_601_000, 3_602_000, 3_603_000]);
    jest.setSystemTime(5000);
    jest.advanceTimersByTime(2000);
    feed.close();
    expect(feed.history.map(({ atMs }) => atMs)).toEqual([6000, 7000]);
  });

  test('seconds are listed by number, those of the last two minutes', () => {
    const feed = openFeed();
    jest.advanceTimersByTime(125_000);
    feed.close();
    expect(feed.list({ after: 122 })).toMatchObject([{ id: 123 }, { id: 124 }, { id: 125, loopDelayMs: {}, max: 3 }]);
    expect(feed.list({ after: 0 })).toHaveLength(120);
    expect([feed.lastId, feed.countForgotten(0), feed.countForgotten(3), feed.countForgotten(90)]).toEqual([
      125, 5, 2, 0,
    ]);
  });

  test('a change stream that waits for news is no slow work in the background', () => {
    const fake = createFakeClient({ max: 3 });
    /** @type {import('mongodb-pool-monitor').CheckoutRecord['kind']} */
    let kind = 'changeStream';
    const checkouts = new Checkouts({ outside: 'background', describe: () => ({ operation: 'getMore news', kind }) });
    checkouts.watch(fake.monitor);
    const feed = openFeed({ fake, checkouts });
    fake.use(1);
    fake.startCheckOut();
    fake.checkOut(1, 0);
    jest.advanceTimersByTime(1000);
    const [{ routes, heldMs, active }] = feed.history;
    expect({ routes, heldMs, active }).toEqual({ routes: {}, heldMs: {}, active: 1 });
    kind = null;
    fake.use(2);
    fake.startCheckOut();
    fake.checkOut(2, 0);
    jest.advanceTimersByTime(1000);
    feed.close();
    expect(feed.history[1]).toMatchObject({
      routes: { background: { count: 1 } },
      heldMs: { background: expect.any(Number) },
    });
  });

  test('the delay of the event loop is what keeps timers waiting', async () => {
    const delay = new LoopDelay();
    const BLOCKED_MS = 100;
    const nobody = new Int32Array(new SharedArrayBuffer(4));
    let turns = 0;
    // A delay counts from the timer's first tick.
    await until('three turns', () => {
      Atomics.wait(nobody, 0, 0, BLOCKED_MS);
      return ++turns === 3;
    });
    const { loopBusy, loopDelayMs } = delay.read();
    delay.close();
    expect(loopDelayMs.max).toBeGreaterThan(BLOCKED_MS / 2);
    expect(loopDelayMs.max).toBeGreaterThanOrEqual(loopDelayMs.mean);
    expect(loopDelayMs.mean).toBeGreaterThan(0);
    expect(loopBusy).toBeGreaterThan(0);
  });
});

describe('a second', () => {
  /** @param {{ route?: string, status?: number, totalMs?: number, waitMs?: number, useMs?: number }} [request] */
  const ended = (request) => ({ route: '/a', status: 200, totalMs: 1, waitMs: 0, useMs: 1, ...request });

  test('a second has the requests of each route, by nearest-rank percentiles', () => {
    const summary = new SecondSummary();
    for (let ms = 1; ms <= 20; ms++) summary.add(ended({ totalMs: ms, waitMs: ms / 2, useMs: ms / 4 }));
    for (const route of ['/a', '/b']) summary.add(ended({ route, status: 503, totalMs: 5000, useMs: 0 }));
    expect(summary.summarise(1000)).toEqual({
      ratePerSec: 22,
      routes: {
        '/a': {
          count: 21,
          failures: 1,
          p50Ms: 10,
          p95Ms: 19,
          maxMs: 20,
          waitP95Ms: 9.5,
          useP50Ms: 2.5,
          useP95Ms: 4.75,
        },
        // How long a failure took is no measurement.
        '/b': { count: 1, failures: 1 },
      },
    });
  });

  test('of very many requests a sample stands for all, but all are counted', () => {
    jest.spyOn(Math, 'random').mockImplementation(createRandom(1).uniform);
    const summary = new SecondSummary();
    for (let index = 0; index < 10_000; index++) summary.add(ended({ totalMs: 100 + index / 1000 }));
    const { count, p50Ms, maxMs } = summary.summarise(1000).routes['/a'];
    expect([count, maxMs]).toEqual([10_000, 109.999]);
    expect(p50Ms).toBeGreaterThan(103);
    expect(p50Ms).toBeLessThan(107);
  });

  test('routes without end share one name', () => {
    const summary = new SecondSummary();
    for (let index = 0; index < 1000; index++) summary.add(ended({ route: `/${index}` }));
    const { routes } = summary.summarise(1000);
    expect(Object.keys(routes)).toHaveLength(51);
    expect(routes.other.count).toBe(950);
  });
});

describe('metrics', () => {
  test('labels and help are escaped, and a parser reads them back', () => {
    const route = 'a "quote", a \\ backslash\nand a line';
    const text = renderMetrics([
      { name: 'requests', help: 'One\nline', type: 'gauge', read: () => [{ labels: { route }, value: 1.5 }] },
    ]);
    expect(text).toBe(
      '# HELP requests One\\nline\n# TYPE requests gauge\n' +
        'requests{route="a \\"quote\\", a \\\\ backslash\\nand a line"} 1.5\n',
    );
    expect(parse(text)).toMatchObject([{ name: 'requests', metrics: [{ value: '1.5' }] }]);
  });

  test('a bucket counts all values up to its bound', () => {
    const histogram = new Histogram([0.1, 1], { route: '/' });
    for (const value of [0.05, 0.1, 0.5, 7]) histogram.observe(value);
    const samples = histogram.read('time').map(({ name, le, value }) => [name, le, value]);
    expect(samples).toEqual([
      ['time_bucket', '0.1', 2],
      ['time_bucket', '1', 3],
      ['time_bucket', '+Inf', 4],
      ['time_sum', undefined, 7.65],
      ['time_count', undefined, 4],
    ]);
  });

  describe('a quantile that Prometheus calculates from the buckets', () => {
    const COUNT = 1000;
    const RANKS = Array.from({ length: COUNT }, (_, index) => (index + 0.5) / COUNT);
    /** Inverse distribution functions of durations, in shares of a scale. */
    const SHAPES = /** @type {Record<string, (rank: number) => number>} */ ({
      'a queue that grows steadily': (rank) => rank,
      exponential: (rank) => -Math.log(1 - rank),
      'a fixed time, give or take a tenth': (rank) => 0.9 + 0.2 * rank,
      '9 in 10 quick, the others slow': (rank) => (rank < 0.9 ? 0.1 + 0.01 * rank : 1 + 3 * (rank - 0.9)),
    });

    /**
     * As histogram_quantile does it: linear within a bucket, from 0 in the first one.
     * https://prometheus.io/docs/prometheus/latest/querying/functions/#histogram_quantile
     * @param {number} quantile @param {number[]} values
     */
    function estimate(quantile, values) {
      const histogram = new Histogram(DURATION_BOUNDS, {});
      for (const value of values) histogram.observe(value);
      const buckets = histogram.read('time').filter(({ name }) => name === 'time_bucket');
      const rank = quantile * values.length;
      const index = buckets.findIndex(({ value }) => value >= rank);
      const [low, high] = [buckets[index - 1], buckets[index]];
      const from = Number(low?.le ?? 0);
      const below = low?.value ?? 0;
      return from + ((Number(high.le) - from) * (rank - below)) / (high.value - below);
    }

    /** @param {number} quantile @param {number[]} ascending */
    const exact = (quantile, ascending) => ascending[Math.ceil(quantile * ascending.length) - 1];

    test.each([
      ['a queue that grows steadily', 39.7, '37.7', '37.9'],
      ['exponential', 0.02, '0.0597', '0.0607'],
      ['exponential', 30, '89.6', '91.5'],
      ['a fixed time, give or take a tenth', 110, '120', '124'],
      ['9 in 10 quick, the others slow', 4, '4.59', '4.60'],
    ])('%s, scale %d s: the exact p95 is %s s, from the buckets %s s', (shape, scale, p95, estimated) => {
      const values = RANKS.map((rank) => scale * SHAPES[shape](rank));
      expect([exact(0.95, values), estimate(0.95, values)].map((each) => each.toPrecision(3))).toEqual([
        p95,
        estimated,
      ]);
    });

    test('anywhere from 1 ms to two minutes, 9 in 10 are within 14 %, and all within 28 %', () => {
      const errors = Object.values(SHAPES).flatMap((shape) =>
        Array.from({ length: 187 }, (_, step) => 0.01 * 10 ** (step / 43)).flatMap((scale) => {
          const values = RANKS.map((rank) => scale * shape(rank));
          return [0.5, 0.9, 0.95, 0.99]
            .map((quantile) => ({ found: estimate(quantile, values), wanted: exact(quantile, values) }))
            .filter(({ wanted }) => wanted >= 0.001 && wanted <= 120)
            .map(({ found, wanted }) => Math.abs(found / wanted - 1));
        }),
      );
      errors.sort((a, b) => a - b);
      expect(errors.length).toBeGreaterThan(2000);
      expect(exact(0.9, errors)).toBeLessThan(0.14);
      expect(errors.at(-1)).toBeLessThan(0.28);
    });
  });

  test('the metrics of several processes become one text, each metric in one place', () => {
    const read = (/** @type {number} */ value, /** @type {Record<string, string>} */ labels) =>
      renderMetrics([
        { name: 'up', help: 'Whether it is up', type: 'gauge', read: () => [{ labels: {}, value }] },
        { name: 'requests_total', help: 'Requests', type: 'counter', read: () => [{ labels, value: 1e-7 }] },
      ]);
    const text = mergeMetrics([
      { labels: { pid: '1' }, text: read(1, { route: 'a "}" b' }) },
      { labels: { pid: '2' }, text: '' },
      { labels: { pid: '3', thread: '4' }, text: read(0, { route: '/' }) },
    ]);
    expect(text.split('\n')).toEqual([
      '# HELP up Whether it is up',
      '# TYPE up gauge',
      'up{pid="1"} 1',
      'up{pid="3",thread="4"} 0',
      '',
      '# HELP requests_total Requests',
      '# TYPE requests_total counter',
      'requests_total{pid="1",route="a \\"}\\" b"} 1e-7',
      'requests_total{pid="3",thread="4",route="/"} 1e-7',
      '',
    ]);
    expect(mergeMetrics([])).toBe('');
  });

  test('the waits of requests are counted by route, whatever their status', () => {
    const metrics = new PoolMetrics(() => []);
    for (const [route, status, waitMs] of [
      ['/fast', 200, 0],
      ['/fast', 503, 4000],
      ['/slow', 200, 2],
    ])
      metrics.observeRequest({
        method: 'GET',
        route: String(route),
        status: Number(status),
        totalMs: 1,
        waitMs: Number(waitMs),
      });
    const sums = metrics.render().match(/^http_server_request_pool_wait_seconds_(?:sum|count).*$/gm);
    expect(sums).toEqual([
      'http_server_request_pool_wait_seconds_sum{http_route="/fast"} 4',
      'http_server_request_pool_wait_seconds_count{http_route="/fast"} 2',
      'http_server_request_pool_wait_seconds_sum{http_route="/slow"} 0.002',
      'http_server_request_pool_wait_seconds_count{http_route="/slow"} 1',
    ]);
  });

  test('an app that names each request differently does not fill the memory', () => {
    const metrics = new PoolMetrics(() => [createFakeClient({ max: 1 }).monitor]);
    for (let index = 0; index < 600; index++)
      metrics.observeRequest({ method: 'GET', route: `/${index}`, status: 200, totalMs: 1, waitMs: 1 });
    const counts = metrics.render().match(/^http_server_request_duration_seconds_count.*$/gm) ?? [];
    expect(counts.length).toBeLessThan(510);
    expect(counts.at(-1)).toBe(
      'http_server_request_duration_seconds_count' +
        '{http_request_method="_OTHER",http_route="other",http_response_status_code="200"} 100',
    );
    const waits = metrics.render().match(/^http_server_request_pool_wait_seconds_count.*$/gm) ?? [];
    expect(waits.length).toBeLessThan(510);
    expect(waits.at(-1)).toBe('http_server_request_pool_wait_seconds_count{http_route="other"} 100');
  });
});
