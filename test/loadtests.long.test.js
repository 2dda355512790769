import { readFile, readdir } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from '@jest/globals';
import { parse } from 'yaml';
import { runArtillery, summariseReport } from '../src/load-tests/artillery.js';
import { startApp } from './support/start-app.js';
import { sharedMongoUrl } from 'test-support/mongod.js';

const files = (await readdir('loadtests')).filter((name) => name.endsWith('.yaml'));

test('each one runs as a smoke test, in seconds, and its thresholds are looked at', async () => {
  const app = startApp({ MONGO_URL: sharedMongoUrl(), MONGO_POOLSIZE: '20', SLOW_MS: '200' });
  const target = await app.url;
  const runs = await Promise.all(
    files.map(async (name) => {
      const scenario = path.join('loadtests', name);
      const { report, met, unmet } = await runArtillery({ scenario, target, environment: 'smoke' });
      const { requests, failures } = summariseReport(report);
      const { thresholds, conditions } = parse(await readFile(scenario, 'utf8')).config.plugins.ensure;
      // All of them run at once here, so that a latency may miss its threshold; a condition must hold.
      expect(met).toEqual(expect.arrayContaining(conditions.map((/** @type {any} */ { expression }) => expression)));
      return {
        name,
        failures,
        sent: requests > 0,
        checks: met.length + unmet.length === thresholds.length + conditions.length,
      };
    }),
  );
  expect(runs).toEqual(files.map((name) => ({ name, failures: 0, sent: true, checks: true })));
});
