import { once } from 'node:events';
import { createServer } from 'node:http';
import { expect, test } from '@jest/globals';
import { drawRequests, sendOpenLoad } from '../../src/harness/open-load.js';
import { cleanUp } from '../support/cleanup.js';

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
    scenarios: ['/fast', '/slow'].map((route, index) => (
      { weight: index === 0 ? 3 : 1, steps: [{ kind: /** @type {const} */ ('request'), route }] })),
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
  const answers = await sendOpenLoad(due, { url, patienceMs: 5000, signal: new AbortController().signal });
  for (const [index, { atMs }] of due.entries()) expect(cameAtMs[index] - startedAtMs).toBeGreaterThan(atMs - 2);
  expect(answers).toMatchObject([{ ...due[0], status: 200 }, { ...due[1], status: 503 }, { ...due[2], status: 200 }]);
});

test('who gets no answer in time gives up, and has waited so long', async () => {
  const url = await serve(() => {});
  const [answer] = await sendOpenLoad([{ route: '/slow', atMs: 0 }], { url, patienceMs: 80, signal: new AbortController().signal });
  expect(answer).toMatchObject({ route: '/slow', status: 0 });
  expect(answer.tookMs).toBeGreaterThanOrEqual(75);
});

test('an interrupted load ends at once with the reason', async () => {
  const controller = new AbortController();
  const url = await serve(() => controller.abort(new Error('enough')));
  const due = [{ route: '/fast', atMs: 0 }, { route: '/fast', atMs: 60_000 }];
  await expect(sendOpenLoad(due, { url, patienceMs: 60_000, signal: controller.signal })).rejects.toThrow('enough');
});
