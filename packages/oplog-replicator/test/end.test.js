import { once } from 'node:events';
import { createServer } from 'node:net';
import { expect, test } from '@jest/globals';
import { End } from '../src/end.js';
import { isTransient } from '../src/errors.js';
import { cleanUp } from '../../../test/support/cleanup.js';

const MAX_SILENCE_MS = 300;

/** @param {string} url @param {number} [maxSilenceMs] */
function openEnd(url, maxSilenceMs = MAX_SILENCE_MS) {
  const end = new End(url, { role: 'target', maxSilenceMs });
  cleanUp(() => end.close());
  return end;
}

test('a command to a silent server ends, and so does closing', async () => {
  const silent = createServer((socket) => { cleanUp(() => socket.destroy()); }).listen(0, '127.0.0.1');
  cleanUp(() => silent.close());
  await once(silent, 'listening');
  const { port } = /** @type {import('node:net').AddressInfo} */ (silent.address());
  const end = openEnd(`mongodb://127.0.0.1:${port}`);
  const failure = await end.reach().catch((error) => error);
  expect(failure.message).toMatch(/^the target 127\.0\.0\.1:\d+: no answer within 300 ms/);
  expect(isTransient(failure)).toBe(true);
  await end.close();
});

test('a command may take long while the server executes it', async () => {
  const end = openEnd(String(process.env.TEST_MONGO_URL));
  const slow = { aggregate: 1, cursor: {}, pipeline: [
    { $documents: [{}] }, { $project: { slept: { $function: { body: 'function () { sleep(1000); }', args: [], lang: 'js' } } } }] };
  await expect(end.command('admin', slow)).rejects.toThrow('no answer within 300 ms');
  let asked = 0;
  const isRunning = async () => {
    asked++;
    return true;
  };
  expect(await end.command('admin', slow, { isRunning })).toMatchObject({ ok: 1 });
  expect(asked).toBeGreaterThan(1);
});

test('an error names its end', async () => {
  const end = openEnd(String(process.env.TEST_MONGO_URL), 10_000);
  await expect(end.command('admin', { nonsense: 1 })).rejects.toThrow(
    /^the target 127\.0\.0\.1:\d+: no such command: 'nonsense'/);
});
