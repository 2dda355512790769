import { beforeAll, expect, test } from '@jest/globals';
import parse from 'parse-prometheus-text-format';
import { serveApp } from '../support/serve-app.js';

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

test('names, types and units follow the semantic conventions and Prometheus', async () => {
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

test('they count what happened, with the same sums as the monitor', async () => {
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
    expect(valueOf(text, `${metric}_sum{.*}`) * 1000 / summary.sumMs).toBeCloseTo(1, 2);
    expect(valueOf(text, `${metric}_bucket{le="60",.*}`)).toBe(summary.count);
  }
  expect(valueOf(text, 'http_server_request_duration_seconds_count{.*"/slow".*"200"}')).toBe(1);
  expect(valueOf(text, 'http_server_request_duration_seconds_count{.*"/slow".*"503"}')).toBe(1);
});
