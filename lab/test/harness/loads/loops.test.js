import { once } from 'node:events';
import { createServer } from 'node:http';
import { describe, expect, test } from '@jest/globals';
import { foreseeLostUsers } from '../../../harness/loads/artillery-load.js';
import { runClosedLoop } from '../../../harness/loads/closed-loop.js';
import { drawRequests, sendRequests } from '../../../harness/loads/open-loop.js';
import { cleanUp } from 'test-support/cleanup.js';

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
        await new Promise((resolve) => {
          setTimeout(resolve, 2);
        });
        running--;
      },
    });
    expect(most).toBe(3);
    expect(seen).toEqual([...seen.keys()]);
    expect(figures.count).toBe(20);
    expect(figures.ratePerSec).toBeCloseTo((20 / figures.tookMs) * 1000);
    expect(figures.p50Ms).toBeGreaterThan(1);
    expect(figures.maxMs).toBeGreaterThanOrEqual(figures.p99Ms);
  });

  test('no task begins once the time is up, and those that run count', async () => {
    const figures = await runClosedLoop({
      workers: 2,
      total: 1000,
      withinMs: 30,
      task: () =>
        new Promise((resolve) => {
          setTimeout(resolve, 20);
        }),
    });
    expect(figures.count).toBeGreaterThanOrEqual(2);
    expect(figures.count).toBeLessThanOrEqual(4);
    expect(figures.ratePerSec).toBeCloseTo((figures.count / figures.tookMs) * 1000);
    expect(figures.maxMs).toBeGreaterThan(15);
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
    /** @type {number[]} */
    const cameAtMs = [];
    /** @type {import('node:http').ServerResponse[]} */
    const held = [];
    const url = await serve((req, res) => {
      cameAtMs.push(performance.now());
      held.push(res);
      // Nobody is answered until all have come.
      if (held.length === 3) for (const each of held) each.writeHead(each === held[1] ? 503 : 200).end();
    });
    const startedAtMs = performance.now();
    const due = [0, 60, 120].map((atMs) => ({ route: '/fast', atMs }));
    const answers = await sendRequests(due, { url, patienceMs: 5000, signal: new AbortController().signal });
    for (const [index, { atMs }] of due.entries()) expect(cameAtMs[index] - startedAtMs).toBeGreaterThan(atMs - 2);
    expect(answers).toMatchObject([
      { ...due[0], status: 200 },
      { ...due[1], status: 503 },
      { ...due[2], status: 200 },
    ]);
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
