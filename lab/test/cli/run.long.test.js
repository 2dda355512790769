import { readFile, readdir } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from '@jest/globals';
import { scratchFolder } from 'test-support/cleanup.js';
import { sharedMongoUrl } from 'test-support/mongod.js';
import { runNode } from 'test-support/processes.js';

/** @param {string[]} options @param {Record<string, string>} [env] */
async function runMixed(options, env) {
  const out = path.join(await scratchFolder(), 'measured');
  const args = ['lab/cli.js', 'run', 'mixed', ...options, '--json', '--out', out];
  const { code, stdout, stderr } = await runNode(args, { env: { MONGO_URL: sharedMongoUrl(), ...env } });
  return { code, stderr, result: JSON.parse(stdout), out };
}

test.concurrent('run mixed measures and predicts each pool size, and saves report and result', async () => {
  const { code, stderr, result, out } = await runMixed(['--pool-sizes', '1,5', '--slow-ms', '2500', '--parallel']);
  expect({ code, stderr }).toEqual({ code: 0, stderr: expect.stringMatching(/pool .*ratio/) });
  const counts = {
    predicted: { requests: 10 },
    exact: { maxMs: expect.any(Number) },
    measured: { requests: 10, failures: 0, routes: { '/fast': { count: 5 }, '/slow': { count: 5 } } },
  };
  expect(result).toMatchObject({
    lab: 'mixed',
    settings: { slowMs: 2500, scenario: path.join('loadtests', 'mixed.yaml') },
    variants: [
      { name: 'pool 1', ...counts },
      { name: 'pool 5', ...counts },
    ],
  });
  const [one, five] = result.variants.map((/** @type {any} */ { measured }) => measured.pool.peakActive);
  expect(one).toBe(1);
  expect(five).toBeGreaterThan(1);
  expect(JSON.parse(await readFile(path.join(out, 'mixed.json'), 'utf8'))).toEqual(result);
  expect(await readFile(path.join(out, 'mixed.html'), 'utf8')).toMatch(/^<!doctype html>/i);
  expect(await readdir(out)).toHaveLength(2);
});

test.concurrent('failed requests are an error, with their reason', async () => {
  const options = ['--pool-sizes', '1', '--slow-ms', '1500', '--environment', 'smoke'];
  const { code, stderr, result } = await runMixed(options, { MONGO_WAIT_QUEUE_TIMEOUT_MS: '100' });
  expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringMatching(/pool 1.*\d x HTTP 503/) });
  expect(result.variants[0].measured.failures).toBeGreaterThan(0);
  expect(result.variants[0].predicted.failures).toBeGreaterThan(0);
});
