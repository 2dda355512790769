import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from '@jest/globals';
import { scratchFolder } from 'test-support/cleanup.js';
import { sharedMongoUrl } from 'test-support/mongod.js';
import { wasBusy } from '../../../harness/busy-machine.js';
import { summariseUse } from '../../../labs/utilisation/utilisation-figures.js';
import { expectRefused, runCli } from '../../support/run-cli.js';

test('a run says how busy the connection was and how long queries waited, and where to watch it', async () => {
  const out = await scratchFolder();
  const options = '--shares 90 --use-ms 20 --seconds 1 --parallel --json --out'.split(' ');
  const { code, stdout, stderr } = await runCli(['run', 'utilisation', ...options, out], {
    env: { MONGO_URL: sharedMongoUrl() },
  });
  expect({ code, stderr }).toMatchObject({
    code: 0,
    stderr: expect.stringMatching(/random, 90 %: watch it at http:\/\/127\.0\.0\.1:\d+\/$/m),
  });
  const [even, random] = JSON.parse(stdout).variants;
  expect(even.name).toBe('even, 90 %');
  for (const { measured } of [even, random])
    expect(measured).toMatchObject({ failures: 0, aloneMs: expect.any(Number) });
  expect(even.predicted.waitMeanMs).toBeCloseTo(0);
  expect(random.predicted.waitMeanMs).toBeGreaterThan(5);
  expect(random.measured.waitMaxMs).toBeGreaterThan(random.measured.waitMeanMs);
  expect(await readFile(path.join(out, 'utilisation.html'), 'utf8')).toContain('How busy a connection may be');
}, 60_000);

test('what two connections did, by hand', () => {
  const use = (/** @type {number} */ startMs, /** @type {number} */ waitMs) => ({
    checkOutStartedAtMs: startMs,
    checkedOutAtMs: startMs + waitMs,
    checkedInAtMs: startMs + waitMs + 100,
  });
  // Two lanes for 200 ms, of which 300 ms were used.
  expect(summariseUse([use(0, 0), use(20, 0), use(40, 60)], 2)).toEqual({
    ratePerSec: 15,
    usedShare: 0.75,
    waitMeanMs: 20,
    waitP95Ms: 60,
    waitMaxMs: 60,
  });
});

test('a run in which queries took longer than alone was on a busy machine', () => {
  const warnings = ['even, 50 %: this machine seems to be busy with something else: connections were in use for 70 %'];
  expect(wasBusy(/** @type {any} */ ({ warnings }))).toBe(true);
  expect(wasBusy(/** @type {any} */ ({ warnings: ['2 users were not sent'] }))).toBe(false);
});

test.each([
  ['--shares', '50,100', /100 is too much: from 100 % on the queue only grows/],
  ['--arrivals', 'odd', /"odd" is not one of even, random/],
])('%s %s is refused', (option, value, problem) => expectRefused(['run', 'utilisation', option, value], problem));
