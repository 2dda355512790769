import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from '@jest/globals';
import { scratchFolder } from 'test-support/cleanup.js';
import { copyApps } from 'test-support/installations.js';
import { sharedMongoUrl } from 'test-support/mongod.js';
import { runNode } from 'test-support/processes.js';

const folder = await scratchFolder();
await copyApps(fileURLToPath(new URL('app', import.meta.url)), folder);

test("the app's own OpenTelemetry gets a span of the wait in the request's trace, and the pool's metrics", async () => {
  const url = sharedMongoUrl();
  const attach = import.meta.resolve('../../src/attach/attach.js');
  // The monitor comes before the SDK.
  const { stdout, stderr } = await runNode(['--import', attach, path.join(folder, 'otel-requests.mjs')], {
    env: { MONGO_URL: url, POOL_MONITOR_OTEL: 'on', NODE_OPTIONS: '' },
  });
  expect(stderr).toMatch(/^mongodb-pool-monitor: watching process \d+: http:\S+\n$/);
  const { spans, held, after } = JSON.parse(stdout);
  /** @typedef {{ name: string, parent: string }} Span */
  const request = spans.find((/** @type {Span} */ { name }) => name === 'GET /fast');
  const acquired = spans.filter(
    (/** @type {Span} */ { name, parent }) => name === 'pool.acquire' && parent === request.id,
  );
  const pool = `${new URL(url).host}/shop`;
  expect(acquired).toMatchObject([
    {
      trace: request.trace,
      attributes: {
        'db.client.connection.pool.name': pool,
        'db.query.summary': 'aggregate orders',
        'pool.wait_cause': 'pool full',
        'pool.opening_ms': 0,
        'pool.behind.routes': ['/slow'],
        'pool.behind.operations': ['find orders'],
      },
    },
  ]);
  const [{ startMs, endMs, attributes }] = acquired;
  expect(attributes['pool.wait_ms']).toBeCloseTo(endMs - startMs, 1);
  // The SDK starts a request's span at a whole millisecond.
  expect(startMs).toBeGreaterThan(request.startMs - 1);
  expect(endMs).toBeLessThan(request.endMs + 1);

  const [name, unit] = ['db.client.connection.', '{connection}'];
  expect(held).toMatchObject({
    [`${name}count ${unit}`]: [
      [pool, 'idle', 0],
      [pool, 'used', 1],
    ],
    [`${name}pending_requests {request}`]: [[pool, 1]],
    [`${name}use_time s`]: [[pool, 1]],
  });
  expect(after).toEqual({
    [`${name}count ${unit}`]: [
      [pool, 'idle', 1],
      [pool, 'used', 0],
    ],
    [`${name}idle.max ${unit}`]: [[pool, 1]],
    [`${name}idle.min ${unit}`]: [[pool, 1]],
    [`${name}max ${unit}`]: [[pool, 1]],
    [`${name}pending_requests {request}`]: [[pool, 0]],
    [`${name}wait_time s`]: [[pool, 3]],
    [`${name}use_time s`]: [[pool, 3]],
    [`${name}create_time s`]: [[pool, 1]],
    [`${name}timeouts {timeout}`]: [[pool, 0]],
  });
});
