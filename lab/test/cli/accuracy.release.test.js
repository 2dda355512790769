import path from 'node:path';
import { expect, test } from '@jest/globals';
import { scratchFolder } from 'test-support/cleanup.js';
import { sharedMongoUrl } from 'test-support/mongod.js';
import { runNode } from 'test-support/processes.js';
import { recordRealApp } from '../support/record-app.js';
import { runCli } from '../support/run-cli.js';

/** How far a figure is from another, as a share of it. @param {number} figure @param {number} other */
const distance = (figure, other) => Math.abs(figure / other - 1);

/** Runs a command that measures. @param {string[]} args @param {Record<string, string>} [env] */
async function measure(args, env) {
  const { code, stdout, stderr } = await runNode(['lab/cli.js', ...args], { env });
  expect({ code, stderr }).toEqual({ code: 0, stderr: expect.any(String) });
  return JSON.parse(stdout);
}

test('run mixed measures what the arithmetic and the prediction say', async () => {
  const out = await scratchFolder();
  const options = ['--pool-sizes', '1,5', '--slow-ms', '2500', '--parallel', '--json', '--out', out];
  const { variants } = await measure(['run', 'mixed', ...options], { MONGO_URL: sharedMongoUrl() });
  for (const [index, { measured, predicted, exact }] of variants.entries()) {
    expect(distance(measured.maxMs, predicted.maxMs)).toBeLessThan(0.1);
    // The server may answer a little early: 0.1 %, and what it was late when the app started.
    expect(measured.maxMs / exact.maxMs).toBeGreaterThan(0.99);
    expect(measured.maxMs / exact.maxMs).toBeLessThan(1.1);
    // Artillery's users arrive some milliseconds early or late.
    expect(distance(exact.maxMs, [8500, 2500][index])).toBeLessThan(0.02);
  }
});

test("sweep measures and predicts for the article's own app, unchanged: 21, 7 and 5 s", async () => {
  const options = ['--pool-sizes', '1,3,10', '--json', '--out', await scratchFolder(), 'loadtests/mixed.yaml'];
  const { variants, doctor } = await measure(
    ['sweep', ...options, '--', process.execPath, path.resolve('examples/article-app.js')],
    { MONGODB_URI: sharedMongoUrl(), SLEEP_MS: '5000' },
  );
  for (const [index, exactMs] of [21_000, 7000, 5000].entries()) {
    const { measured, predicted } = variants[index];
    expect(distance(measured.maxMs, exactMs)).toBeLessThan(0.04);
    expect(distance(predicted.maxMs, exactMs)).toBeLessThan(0.04);
  }
  // Why requests waited.
  expect(doctor.words[0]).toMatch(/^Pool size 1: .*\/slow /);
});

test('a real app under load, replayed at the same size: the recorded waits within 2 %', async () => {
  const { file } = await recordRealApp({ slowMs: 500, rounds: 4 });
  const { stdout } = await runCli(['predict', '--trace', file, '--pool-sizes', '2', '--json']);
  const [{ measured, predicted }] = JSON.parse(stdout).variants;
  expect(measured.meanWaitMs).toBeGreaterThan(100);
  expect(distance(predicted.meanWaitMs, measured.meanWaitMs)).toBeLessThan(0.02);
  for (const route of ['/slow', '/fast']) {
    for (const figure of ['p95Ms', 'maxMs'])
      expect(distance(predicted.routes[route].wait[figure], measured.routes[route].wait[figure])).toBeLessThan(0.02);
  }
});
