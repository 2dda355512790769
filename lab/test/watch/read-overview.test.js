import { expect, test } from '@jest/globals';
import { serveHttp } from 'test-support/network.js';
import { describeOverview } from '../../watch/overview-page.js';
import { OverviewReader } from '../../watch/read-overview.js';

test('a rate counts again soon after the clock of the app was set back', async () => {
  let pool = {};
  const url = await serveHttp((req, res) => res.end(JSON.stringify(pool)));
  const reader = new OverviewReader([{ pid: 1, threadId: 0, command: 'app.js', url, ports: [], clients: [] }]);
  const readAt = async (/** @type {number} */ atMs, /** @type {number} */ checkedOut) => {
    pool = {
      atMs,
      database: { reachable: true },
      clients: [{ max: 1, total: 1, active: 0, waiting: 0, checkedOut, queue: [] }],
    };
    return (await reader.read()).processes[0].ratePerSec;
  };
  expect(await readAt(3_600_000, 100)).toBe(null);
  expect(await readAt(3_601_000, 200)).toBe(100);
  expect(await readAt(1000, 300)).toBe(null);
  expect(await readAt(2000, 500)).toBe(200);
});

test('the overview says why the requests of the process with the longest wait waited', async () => {
  const checkouts = Array.from({ length: 40 }, (_, index) => ({
    ...{ atMs: index * 100, waitMs: 50, useMs: 5, pool: 0, route: 0, request: index, behind: [[1, 0, 900]] },
  }));
  const trace = [
    { trace: 'mongodb-pool-lab', version: 3 },
    { define: 'pool', id: 0, options: { maxPoolSize: { value: 1 } } },
    ...['/fast', '/report'].map((name, id) => ({ define: 'route', id, name })),
    { define: 'operation', id: 0, name: 'find articles' },
    ...checkouts,
  ];
  const client = { max: 1, total: 1, active: 1, waiting: 1, checkedOut: 40, queue: [{ waitMs: 40, holds: 0 }] };
  const urls = await Promise.all(
    [true, false].map((isWaiting) =>
      serveHttp((req, res) => {
        if (req.url === '/pool/trace')
          return res.end(isWaiting ? trace.map((line) => `${JSON.stringify(line)}\n`).join('') : '{}');
        return res.end(
          JSON.stringify({
            atMs: 1,
            database: { reachable: true },
            clients: isWaiting ? [client] : [{ ...client, queue: [] }],
          }),
        );
      }),
    ),
  );
  const processes = urls.map((url, pid) => ({ pid, threadId: 0, command: 'app.js', url, ports: [], clients: [] }));
  const why =
    'The last minute: Requests wait 50 ms on average, because /report (find articles) holds the only connection.';
  for (const [count, start] of /** @type {const} */ ([
    [1, ''],
    [2, 'Process 0: '],
  ]))
    expect(describeOverview('app.js', await new OverviewReader(processes.slice(0, count)).read()).trouble).toBe(
      start + why,
    );
});
