import { expect, test } from '@jest/globals';
import { serveHttp } from 'test-support/network.js';
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
