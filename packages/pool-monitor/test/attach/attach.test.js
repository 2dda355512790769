import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, test } from '@jest/globals';

/** @param {string[]} options of Node.js */
async function isUndiciLoaded(...options) {
  const script = "process.stdout.write(String(process.moduleLoadList.some((name) => name.includes('undici'))))";
  return (await promisify(execFile)(process.execPath, [...options, '-e', script])).stdout;
}

test('the app does not get the megabytes of fetch and WebSocket that it has not asked for', async () => {
  expect(await isUndiciLoaded()).toBe('false');
  expect(await isUndiciLoaded('--import', import.meta.resolve('../../src/attach/attach.js'))).toBe('false');
  expect(await isUndiciLoaded('--import', 'data:text/javascript,Headers')).toBe('true');
});
