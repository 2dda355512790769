import { readFile, readdir } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { parse } from 'yaml';
import { startApp } from '../src/bench/app-process.js';
import { runArtillery, summariseReport } from '../src/bench/artillery.js';
import { readWorkload } from '../src/predict/workload.js';

const FOLDER = 'loadtests';
const files = (await readdir(FOLDER)).filter((name) => name.endsWith('.yaml'));

/** @type {Awaited<ReturnType<typeof startApp>>} */
let app;
beforeAll(async () => {
  app = await startApp({ MONGO_URL: String(process.env.TEST_MONGO_URL), MONGO_POOLSIZE: '20', SLOW_MS: '200' });
});
afterAll(() => app.stop());

test('the promised scenarios are there', () => {
  expect(files).toEqual(expect.arrayContaining(
    ['burst.yaml', 'fast-only.yaml', 'mixed.yaml', 'ramp.yaml', 'slow-only.yaml', 'users-and-admins.yaml']));
});

describe.each(files)('%s', (name) => {
  const file = path.join(FOLDER, name);

  test('says what it teaches, has thresholds, and can be sent elsewhere', async () => {
    const text = await readFile(file, 'utf8');
    expect(text).toMatch(/^#.+\n(#.*\n)*# What it teaches: /);
    const { config } = parse(text);
    expect(config.plugins.ensure.thresholds.length).toBeGreaterThan(0);
    expect(config.environments).toMatchObject({ smoke: {}, remote: { target: '{{ $env.TARGET_URL }}' } });
  });

  test('can be predicted without a warning', async () => {
    expect(readWorkload(await readFile(file, 'utf8'), { file }).warnings).toEqual([]);
  });
});

test('each one passes its own thresholds as a smoke test, in seconds', async () => {
  const runs = await Promise.all(files.map(async (name) => {
    const { report, unmet } = await runArtillery(
      { scenario: path.join(FOLDER, name), target: app.url, environment: 'smoke' });
    const { requests, failures } = summariseReport(report);
    return { name, unmet, failures, sent: requests > 0 };
  }));
  expect(runs).toEqual(files.map((name) => ({ name, unmet: [], failures: 0, sent: true })));
}, 60_000);
