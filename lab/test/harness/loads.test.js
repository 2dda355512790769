import { once } from 'node:events';
import { createServer } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from '@jest/globals';
import { cleanUp } from 'test-support/cleanup.js';
import { foreseeLostUsers } from '../../harness/loads/artillery-load.js';
import { runClosedLoop } from '../../harness/loads/closed-loop.js';
import { drawRequests, sendRequests } from '../../harness/loads/open-loop.js';
import { runHttpLoad } from '../../harness/loads/http.js';
import { serveHandler } from '../../../test/support/serve-app.js';
import { LoadWindow } from '../../harness/loads/load-window.js';

describe('a closed loop', () => {
  test('as many tasks run at once as there are workers, each once, and all are counted', async () => {
    /** @type {number[]} */
    const seen = [];
    let running = 0;
    let most = 0;
    const figures = await runClosedLoop({
      workers: 3,
      total: 20,
      task: async (index, worker) => {
        expect(worker).toBeLessThan(3);
        seen.push(index);
        most = Math.max(most, ++running);
        await sleep(2);
        running--;
      },
    });
    expect(most).toBe(3);
    expect(seen).toEqual([...seen.keys()]);
    expect(figures.count).toBe(20);
    expect(figures.p50Ms).toBeGreaterThan(1);
    expect(figures.maxMs).toBeGreaterThanOrEqual(figures.p99Ms);
  });

  test('no task begins once the time is up, and those that run count', async () => {
    const figures = await runClosedLoop({ workers: 2, total: 1000, withinMs: 300, task: () => sleep(400) });
    expect(figures.count).toBe(2);
    expect(figures.maxMs).toBeGreaterThan(390);
  });

  test('a task that fails ends the loop with its error, after those that run', async () => {
    let finished = 0;
    await expect(
      runClosedLoop({
        workers: 2,
        total: 100,
        task: async (index) => {
          if (index === 1) throw new Error('one failed');
          await new Promise(setImmediate);
          finished++;
        },
      }),
    ).rejects.toThrow('one failed');
    expect(finished).toBe(1);
  });

  test('no task begins after an abort', async () => {
    const controller = new AbortController();
    let begun = 0;
    await expect(
      runClosedLoop(
        {
          workers: 1,
          total: 100,
          task: async () => {
            begun++;
            controller.abort(new Error('enough'));
          },
        },
        { signal: controller.signal },
      ),
    ).rejects.toThrow('enough');
    expect(begun).toBe(1);
  });
});

describe('an open loop', () => {
  /** @param {import('node:http').RequestListener} answer */
  async function serve(answer) {
    const server = createServer(answer).listen(0, '127.0.0.1');
    await once(server, 'listening');
    cleanUp(() => {
      server.closeAllConnections();
      server.close();
    });
    return `http://127.0.0.1:${/** @type {import('node:net').AddressInfo} */ (server.address()).port}`;
  }

  test('requests are drawn once, by weight, and are the same each time', () => {
    const workload = {
      phases: [{ durationMs: 1000, arrivalCount: 100 }],
      scenarios: ['/fast', '/slow'].map((route, index) => ({
        weight: index === 0 ? 3 : 1,
        steps: [{ kind: /** @type {const} */ ('request'), route }],
      })),
    };
    const requests = drawRequests(workload);
    expect(requests.map(({ atMs }) => atMs)).toEqual(Array.from({ length: 100 }, (_, index) => (index + 1) * 10));
    const slow = requests.filter(({ route }) => route === '/slow').length;
    expect(slow).toBeGreaterThan(10);
    expect(slow).toBeLessThan(45);
    expect(drawRequests(workload)).toEqual(requests);
  });

  test('requests are sent when they are due, whether or not those before are answered', async () => {
    /** @type {string[]} */
    const order = [];
    /** @type {import('node:http').ServerResponse[]} */
    const held = [];
    const url = await serve((req, res) => {
      order.push(String(req.url));
      held.push(res);
      // Nobody is answered until all have come.
      if (held.length === due.length) for (const each of held) each.writeHead(each === held[0] ? 503 : 200).end();
    });
    const due = [{ route: '/soon', atMs: 0 }, ...new Array(18).fill({ route: '/later', atMs: 300 })];
    sleep(100).then(() => order.push('100 ms'));
    const answers = await sendRequests(due, { url, patienceMs: 60_000, signal: new AbortController().signal });
    expect(answers).toMatchObject(due.map((each) => ({ ...each, status: each.atMs === 0 ? 503 : 200 })));
    expect(order).toContain('100 ms');
    expect(order.indexOf('100 ms')).toBeLessThan(order.indexOf('/later'));
  });

  test('who gets no answer in time gives up, and has waited so long', async () => {
    const url = await serve(() => {});
    const [answer] = await sendRequests([{ route: '/slow', atMs: 0 }], {
      url,
      patienceMs: 80,
      signal: new AbortController().signal,
    });
    expect(answer).toMatchObject({ route: '/slow', status: 0 });
    expect(answer.tookMs).toBeGreaterThanOrEqual(75);
  });

  test('an interrupted load ends at once with the reason', async () => {
    const controller = new AbortController();
    const url = await serve(() => controller.abort(new Error('enough')));
    const due = [
      { route: '/fast', atMs: 0 },
      { route: '/fast', atMs: 60_000 },
    ];
    await expect(sendRequests(due, { url, patienceMs: 60_000, signal: controller.signal })).rejects.toThrow('enough');
  });
});

/** @typedef {import('mongodb-pool-predictor').Workload['phases'][number]} Phase */

const uniform = [{ durationMs: 10_000, arrivalCount: 3000 }];

const poisson = [{ durationMs: 10_000, arrivalRate: 300, mode: /** @type {const} */ ('poisson') }];

test.each(
  /** @type {[Phase[], number, string | undefined][]} */ ([
    [[], 1, undefined],
    [uniform, 1, undefined],
    [[{ ...poisson[0], mode: /** @type {const} */ ('uniform') }], 1, undefined],
    [[{ ...poisson[0], arrivalRate: 99 }], 1, undefined],
    [poisson, 4, undefined],
    [[{ ...poisson[0], arrivalRate: 100 }], 1, 'up to 100 users per second in a worker thread'],
    [poisson, 1, 'will send about 8 % fewer'],
    [poisson, 2, 'will send about 4 % fewer'],
  ]),
)('Artillery is expected to lose users of %j with %i workers: %s', (phases, workers, warning) => {
  expect(foreseeLostUsers({ phases }, workers)).toEqual(warning ? [expect.stringContaining(warning)] : []);
});

describe('an HTTP load', () => {
  test('all that counts comes over connections that the warm-up opened', async () => {
    /** @type {Set<unknown>} */
    const connections = new Set();
    const url = await serveHandler((req, res) => {
      connections.add(req.socket);
      res.end('{}');
    });
    const { measured, failed } = await runHttpLoad({ url, connections: 32, warmUpMs: 150, durationMs: 150 });
    expect(failed).toBeUndefined();
    expect(measured).toMatchObject({ failures: 0, reopened: 0, tookMs: 150 });
    expect(measured.requests).toBeGreaterThan(0);
    expect(measured.ratePerSec).toBeCloseTo(measured.requests / 0.15, 3);
    expect(connections.size).toBe(32);
  });

  const NONE = { errors: 0, timeouts: 0, non2xx: 0 };

  /** A window of 100 ms after a warm-up of 50 ms, for two connections, and a clock that the test sets. */
  function createScene() {
    let nowMs = 0;
    let ended = 0;
    const loadWindow = new LoadWindow({
      connections: 2,
      warmUpMs: 50,
      durationMs: 100,
      onEnd: () => {
        ended += 1;
      },
      now: () => nowMs,
    });
    return {
      fail: (/** @type {Error} */ error) => loadWindow.fail(error),
      measure: (/** @type {typeof NONE} */ totals) => loadWindow.measure(totals),
      /** @param {number} atMs @param {string} connection @param {number} latencyMs @param {number} [status] */
      answerAt(atMs, connection, latencyMs, status = 200) {
        nowMs = atMs;
        loadWindow.answer(connection, status, latencyMs);
      },
      ended: () => ended,
    };
  }

  test('answers count once the warm-up is over and every connection was answered, for so long', () => {
    const { answerAt, measure, ended } = createScene();
    answerAt(10, 'a', 1000);
    answerAt(60, 'a', 1000);
    answerAt(70, 'b', 1000);
    answerAt(80, 'a', 2);
    answerAt(170, 'b', 4);
    expect(ended()).toBe(0);
    answerAt(171, 'a', 1000);
    expect(ended()).toBe(1);
    expect(measure(NONE)).toEqual({
      measured: {
        requests: 2,
        failures: 0,
        errors: 0,
        timeouts: 0,
        non2xx: 0,
        reopened: 0,
        tookMs: 100,
        ratePerSec: 20,
        avgMs: 3,
        stdevMs: 1,
        p50Ms: 2,
        p95Ms: 4,
        p99Ms: 4,
        maxMs: 4,
      },
    });
  });

  test('each kind of failure is counted, and is no latency', () => {
    const { answerAt, fail, measure } = createScene();
    answerAt(60, 'a', 1, 503);
    answerAt(60, 'b', 1);
    answerAt(70, 'a', 1, 503);
    answerAt(80, 'opened anew', 3);
    fail(new Error('read ECONNRESET'));
    fail(new Error('request timed out'));
    const { measured, failed } = measure({ errors: 2, timeouts: 1, non2xx: 2 });
    expect(measured).toMatchObject({
      requests: 1,
      failures: 5,
      errors: 1,
      timeouts: 1,
      non2xx: 2,
      reopened: 1,
      maxMs: 3,
    });
    expect(failed).toBe('2 x HTTP 503, 1 x connection opened again, 1 x read ECONNRESET, 1 x request timed out');
  });

  test('a warm-up that does not reach every connection is no measurement', () => {
    const { answerAt, measure } = createScene();
    answerAt(60, 'a', 1);
    answerAt(70, 'a', 1);
    const { measured, failed } = measure(NONE);
    expect(measured.requests).toBe(0);
    expect(failed).toMatch(/warm-up: 1 of 2 connections were answered/);
  });
});
