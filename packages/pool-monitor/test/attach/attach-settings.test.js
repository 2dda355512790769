import { expect, test } from '@jest/globals';
import { readAttachSettings } from '../../src/attach/attach-settings.js';

const TOKEN = 'a-token-of-16-ch';

test('nothing is set', () => {
  expect(readAttachSettings({})).toEqual({
    host: '127.0.0.1',
    loopbackOnly: true,
    token: undefined,
    port: 0,
    serverTiming: false,
    maxPoolSize: undefined,
    onlyClient: undefined,
    shortRoutes: false,
    otel: false,
    history: undefined,
    reportTo: undefined,
  });
});

test('all are set', () => {
  expect(
    readAttachSettings({
      POOL_MONITOR_HOST: '0.0.0.0',
      POOL_MONITOR_TOKEN: TOKEN,
      POOL_MONITOR_PORT: '9100',
      POOL_MONITOR_SERVER_TIMING: 'on',
      POOL_MONITOR_MAX_POOL_SIZE: '4',
      POOL_MONITOR_CLIENT: 'web',
      POOL_MONITOR_ROUTES: 'short',
      POOL_MONITOR_OTEL: 'on',
      POOL_MONITOR_LOG: 'shop.jsonl',
      POOL_MONITOR_LOG_MB: '1',
    }),
  ).toEqual({
    host: '0.0.0.0',
    loopbackOnly: false,
    token: TOKEN,
    port: 9100,
    serverTiming: true,
    maxPoolSize: 4,
    onlyClient: 'web',
    shortRoutes: true,
    otel: true,
    history: { file: 'shop.jsonl', maxBytes: 2 ** 20 },
    reportTo: undefined,
  });
});

test('whoever gets reports finds the page on this machine, without a token', () => {
  const env = { POOL_MONITOR_REPORT_TO: 'http://127.0.0.1:4000/', POOL_MONITOR_HOST: '::', POOL_MONITOR_TOKEN: TOKEN };
  expect(readAttachSettings(env)).toMatchObject({
    reportTo: 'http://127.0.0.1:4000/',
    host: '127.0.0.1',
    loopbackOnly: true,
    token: undefined,
  });
});

test.each(['localhost', '::1', '127.0.0.1'])('on %s, nobody needs a token', (host) => {
  expect(readAttachSettings({ POOL_MONITOR_HOST: host })).toMatchObject({ host, loopbackOnly: true });
});

test.each(['0.0.0.0', '::', '10.0.0.7', '127.0.0.1.example.com', '127x0y0z1'])('%s is refused without one', (host) => {
  expect(() => readAttachSettings({ POOL_MONITOR_HOST: host })).toThrow(
    new Error(`POOL_MONITOR_HOST=${host} opens the page to the network, so it needs POOL_MONITOR_TOKEN`),
  );
});

test('a history takes 16 MB unless a setting says otherwise', () => {
  expect(readAttachSettings({ POOL_MONITOR_LOG: 'x' }).history).toEqual({ file: 'x', maxBytes: 16 * 2 ** 20 });
});

test('a token that could be guessed is refused, and not shown', () => {
  for (const token of ['short', 'with a space in it', `${TOKEN}!`])
    expect(() => readAttachSettings({ POOL_MONITOR_TOKEN: token })).toThrow(
      new Error('POOL_MONITOR_TOKEN must be at least 16 letters, digits, - or _'),
    );
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
  ['POOL_MONITOR_LOG_MB', '0.5', `${NUMBER} 1 to 10000`],
  ['POOL_MONITOR_REPORT_TO', 'http://example.com:80/', LOOPBACK],
  ['POOL_MONITOR_REPORT_TO', 'http://127.0.0.1.example.com:80/', LOOPBACK],
  ['POOL_MONITOR_REPORT_TO', 'http://example.com/?http://127.0.0.1:80/', LOOPBACK],
  ['POOL_MONITOR_REPORT_TO', 'http://127.0.0.1/', LOOPBACK],
  ['POOL_MONITOR_REPORT_TO', 'http://127a0b0c1:80/', LOOPBACK],
])('%s=%s is refused', (name, value, rule) => {
  expect(() => readAttachSettings({ [name]: value })).toThrow(new Error(`${name}=${value} ${rule}`));
});
