import { expect, test } from '@jest/globals';
import { readAttachSettings } from '../../src/attach/attach-settings.js';

test('nothing is set', () => {
  expect(readAttachSettings({})).toEqual({ port: 0, serverTiming: false, maxPoolSize: undefined, reportTo: undefined });
});

test('all are set', () => {
  expect(readAttachSettings({
    POOL_MONITOR_PORT: '9100', POOL_MONITOR_SERVER_TIMING: 'on', POOL_MONITOR_MAX_POOL_SIZE: '4',
    POOL_MONITOR_REPORT_TO: 'http://127.0.0.1:4000/',
  })).toEqual({ port: 9100, serverTiming: true, maxPoolSize: 4, reportTo: 'http://127.0.0.1:4000/' });
});

test.each([
  [{ POOL_MONITOR_PORT: '70000' }, 'POOL_MONITOR_PORT=70000 must be a whole number from 0 to 65535'],
  [{ POOL_MONITOR_SERVER_TIMING: 'yes' }, 'POOL_MONITOR_SERVER_TIMING=yes must be one of off, on'],
  [{ POOL_MONITOR_MAX_POOL_SIZE: '0' }, 'POOL_MONITOR_MAX_POOL_SIZE=0 must be a whole number from 1 to 100000'],
  [{ POOL_MONITOR_REPORT_TO: 'http://example.com/' }, 'POOL_MONITOR_REPORT_TO=http://example.com/ must be an http:// URL on loopback, with a port'],
])('%j is refused', (env, message) => {
  expect(() => readAttachSettings(env)).toThrow(new Error(message));
});
