import { expect, test } from '@jest/globals';
import parse from 'parse-prometheus-text-format';
import { PoolMetrics } from '../src/pool-metrics.js';
import { Histogram, renderMetrics } from '../src/prometheus.js';
import { createFakeClient } from 'test-support/fake-client.js';

test('labels and help are escaped, and a parser reads them back', () => {
  const route = 'a "quote", a \\ backslash\nand a line';
  const text = renderMetrics([
    { name: 'requests', help: 'One\nline', type: 'gauge', read: () => [{ labels: { route }, value: 1.5 }] },
  ]);
  expect(text).toBe(
    '# HELP requests One\\nline\n# TYPE requests gauge\nrequests{route="a \\"quote\\", a \\\\ backslash\\nand a line"} 1.5\n',
  );
  expect(parse(text)).toMatchObject([{ name: 'requests', metrics: [{ value: '1.5' }] }]);
});

test('a bucket counts all values up to its bound', () => {
  const histogram = new Histogram([0.1, 1], { route: '/' });
  for (const value of [0.05, 0.1, 0.5, 7]) histogram.observe(value);
  const samples = histogram.read('time').map(({ name, labels: { le }, value }) => [name, le, value]);
  expect(samples).toEqual([
    ['time_bucket', '0.1', 2],
    ['time_bucket', '1', 3],
    ['time_bucket', '+Inf', 4],
    ['time_sum', undefined, 7.65],
    ['time_count', undefined, 4],
  ]);
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
  for (let index = 0; index < 2000; index++)
    metrics.observeRequest({ method: 'GET', route: `/${index}`, status: 200, totalMs: 1, waitMs: 1 });
  const counts = metrics.render().match(/^http_server_request_duration_seconds_count.*$/gm) ?? [];
  expect(counts.length).toBeLessThan(510);
  expect(counts.at(-1)).toBe(
    'http_server_request_duration_seconds_count' +
      '{http_request_method="_OTHER",http_route="other",http_response_status_code="200"} 1500',
  );
  const waits = metrics.render().match(/^http_server_request_pool_wait_seconds_count.*$/gm) ?? [];
  expect(waits.length).toBeLessThan(510);
  expect(waits.at(-1)).toBe('http_server_request_pool_wait_seconds_count{http_route="other"} 1500');
});
