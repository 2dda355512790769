import { expect, test } from '@jest/globals';
import { readAttachSettings } from '../../src/attach/attach-settings.js';

test('nothing is set', () => {
  expect(readAttachSettings({})).toEqual({
    port: 0,
    serverTiming: false,
    maxPoolSize: undefined,
    onlyClient: undefined,
    shortRoutes: false,
    otel: false,
    reportTo: undefined,
  });
});

test('all are set', () => {
  expect(
    readAttachSettings({
      POOL_MONITOR_PORT: '9100',
      POOL_MONITOR_SERVER_TIMING: 'on',
      POOL_MONITOR_MAX_POOL_SIZE: '4',
      POOL_MONITOR_CLIENT: 'web',
      POOL_MONITOR_ROUTES: 'short',
      POOL_MONITOR_OTEL: 'on',
      POOL_MONITOR_REPORT_TO: 'http://127.0.0.1:4000/',
    }),
  ).toEqual({
    port: 9100,
    serverTiming: true,
    maxPoolSize: 4,
    onlyClient: 'web',
    shortRoutes: true,
    otel: true,
    reportTo: 'http://127.0.0.1:4000/',
  });
});

test.each([
  ['POOL_MONITOR_PORT', 'port', [0, 65_535]],
  ['POOL_MONITOR_MAX_POOL_SIZE', 'maxPoolSize', [1, 100_000]],
])('%s can have its least and its largest value', (name, key, values) => {
  for (const value of values) expect(readAttachSettings({ [name]: String(value) })).toMatchObject({ [key]: value });
});

test.each(['http://localhost:1/', 'http://[::1]:4000/reports/x'])('%s is on loopback', (url) => {
  expect(readAttachSettings({ POOL_MONITOR_REPORT_TO: url }).reportTo).toBe(url);
});

const NUMBER = 'must be a whole number from';
const LOOPBACK = 'must be an http:// URL on loopback, with a port';

test.each([
  ['POOL_MONITOR_PORT', '70000', `${NUMBER} 0 to 65535`],
  ['POOL_MONITOR_PORT', '65536', `${NUMBER} 0 to 65535`],
  ['POOL_MONITOR_PORT', '80x', `${NUMBER} 0 to 65535`],
  ['POOL_MONITOR_PORT', ' 80', `${NUMBER} 0 to 65535`],
  ['POOL_MONITOR_PORT', '80 ', `${NUMBER} 0 to 65535`],
  ['POOL_MONITOR_SERVER_TIMING', 'yes', 'must be one of off, on'],
  ['POOL_MONITOR_ROUTES', 'none', 'must be one of full, short'],
  ['POOL_MONITOR_OTEL', '1', 'must be one of off, on'],
  ['POOL_MONITOR_MAX_POOL_SIZE', '0', `${NUMBER} 1 to 100000`],
  ['POOL_MONITOR_MAX_POOL_SIZE', '100001', `${NUMBER} 1 to 100000`],
  ['POOL_MONITOR_REPORT_TO', 'http://example.com:80/', LOOPBACK],
  ['POOL_MONITOR_REPORT_TO', 'http://127.0.0.1.example.com:80/', LOOPBACK],
  ['POOL_MONITOR_REPORT_TO', 'http://example.com/?http://127.0.0.1:80/', LOOPBACK],
  ['POOL_MONITOR_REPORT_TO', 'http://127.0.0.1/', LOOPBACK],
  ['POOL_MONITOR_REPORT_TO', 'http://127a0b0c1:80/', LOOPBACK],
])('%s=%s is refused', (name, value, rule) => {
  expect(() => readAttachSettings({ [name]: value })).toThrow(new Error(`${name}=${value} ${rule}`));
});
