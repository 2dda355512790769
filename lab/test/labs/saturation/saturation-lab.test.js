import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from '@jest/globals';
import { saturation } from '../../../labs/saturation/saturation-lab.js';
import { sharedMongoUrl } from 'test-support/mongod.js';
import { runCli } from '../../support/run-cli.js';
import { scratchFolder } from 'test-support/cleanup.js';

const folder = await scratchFolder();

const POOLS = '--pool-sizes 1,2 --reference 8 --open-sizes 2'.split(' ');
const SMALL = [...POOLS, ...'--callers 6 --share 0.5 --heavy-ms 2 --measure-ms 60 --repeat 3'.split(' ')];
/** @type {any} */
const DEFAULTS = Object.fromEntries(Object.entries(saturation.options).map(([name, option]) => [name, option.default]));

/** @param {string[]} args */
async function run(args) {
  const out = path.join(folder, args.join(''));
  const { code, stdout, stderr } = await runCli(['run', 'saturation', '--json', '--out', out, ...SMALL, ...args], {
    env: { MONGO_URL: sharedMongoUrl() },
  });
  /** @type {import('../../../report/result-types.js').Result} */
  const result = stdout ? JSON.parse(stdout) : null;
  return { code, stderr, result, out };
}

test('by default it measures pools from 1 to 300, and compares the best with 100 five times', async () => {
  const { variants } = await saturation.plan(DEFAULTS);
  const closed = variants.filter(({ settings: { load, role } }) => load === 'closed' && role === 'size');
  expect(closed.map(({ settings }) => settings.poolSize)).toEqual([1, 2, 4, 8, 16, 32, 64, 100, 128, 300]);
  expect([...new Set(variants.map(({ settings }) => settings.load))]).toEqual(['closed', 0.5, 0.8, 1.1]);
  expect(variants.filter(({ once }) => !once).map(({ name }) => name)).toEqual(['compared: best', 'compared: 100']);
  expect(saturation.repeat?.default).toBe(5);
  const seconds = variants.reduce((total, { once, estimateMs }) => total + estimateMs * (once ? 1 : 5), 0) / 1000;
  expect(seconds).toBeLessThan(60);
});

test.each([
  ['--loads', 'closed,3', /"3" is neither closed nor a number above 0 and below 2/],
  ['--share', '0', /must be a number above 0 and at most 1/],
])('%s %s is refused', async (option, value, problem) => {
  const { code, stderr } = await run([option, value]);
  expect(code).toBe(1);
  expect(stderr).toMatch(problem);
});

test('a run says what pool and server did, and by how much the best size beats the large one', async () => {
  const { code, stderr, result, out } = await run(['--loads', 'closed,0.5']);
  expect({ code, stderr }).toMatchObject({
    code: 0,
    stderr: expect.stringMatching(/heavy p99, 8 \/ [12] +[\d.]+ [\d.]+ to [\d.]+/),
  });
  expect(result).toMatchObject({ lab: 'saturation', settings: { repeat: 3, reference: 8, callers: 6 }, warnings: [] });
  for (const { name, settings, measured, repeats } of result.variants) {
    expect({ name, repeats }).toMatchObject({ repeats: { length: settings.role === 'size' ? 1 : 3 } });
    expect({ name, ...measured }).toMatchObject({
      poolSize: expect.any(Number),
      ratePerSec: expect.any(Number),
      waitMs: expect.any(Number),
      useMs: expect.any(Number),
      sentPerSec: settings.load === 'closed' ? null : expect.any(Number),
      timeouts: 0,
      // A busy machine may not get to both kinds within so short a time.
      heavy: { count: expect.any(Number) },
      cheap: { count: expect.any(Number) },
      server: { cores: expect.any(Number), coresBusy: expect.any(Number) },
    });
  }
  const of = (/** @type {string} */ wanted) => result.variants.find(({ name }) => name === wanted)?.measured;
  // Half of the most that the survey saw.
  expect(of('at 0.5, 2').sentPerSec).toBeCloseTo(Math.max(of('closed, 1').ratePerSec, of('closed, 2').ratePerSec) / 2);
  // Repeats of the large pool together have some of both.
  expect(of('compared: 8')).toMatchObject({
    heavy: { p50Ms: expect.any(Number) },
    cheap: { p99Ms: expect.any(Number) },
  });
  // Six callers share one connection, or have one each.
  expect(of('closed, 1').waitMs).toBeGreaterThan(of('closed, 1').useMs);
  expect(of('compared: 8').useMs).toBeGreaterThan(of('compared: 8').waitMs);
  expect([1, 2]).toContain(of('compared: best').poolSize);
  expect(await readFile(path.join(out, 'saturation.html'), 'utf8')).toContain('More connections to a full server');
});
