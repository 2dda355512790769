import { execFile } from 'node:child_process';
import { cp, lstat, readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { PoolClient } from 'mongodb-pool-page/client';
import { scratchFolder } from 'test-support/cleanup.js';
import { sharedMongoUrl } from 'test-support/mongod.js';
import { parse } from 'yaml';
import { runArtillery, summariseReport } from '../src/load-tests/artillery.js';
import { serveApp, useControl } from './support/serve-app.js';
import { startApp } from './support/start-app.js';

const files = (await readdir('loadtests')).filter((name) => name.endsWith('.yaml'));

describe('the scenarios', () => {
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
});

describe('the image', () => {
  /** @param {string} folder @returns {Promise<number>} bytes */
  async function sizeOnDisk(folder) {
    const entries = await readdir(folder, { recursive: true, withFileTypes: true });
    const stats = await Promise.all(entries.map(({ parentPath, name }) => lstat(path.join(parentPath, name))));
    return stats.reduce((sum, { blocks }) => sum + blocks * 512, 0);
  }

  test("the Dockerfile's install runs the app, without Artillery and the lab", async () => {
    const folder = await scratchFolder();
    const dockerfile = await readFile('Dockerfile', 'utf8');
    for (const [, files] of dockerfile.matchAll(/^COPY (.+) \S+$/gm)) {
      for (const file of files.split(' ')) await cp(file, path.join(folder, file), { recursive: true });
    }
    const [, ...args] = String(dockerfile.match(/^RUN (npm ci .*)$/m)?.[1]).split(' ');
    await promisify(execFile)('npm', [...args, '--prefer-offline'], {
      cwd: folder,
      shell: process.platform === 'win32',
    });
    expect(await sizeOnDisk(path.join(folder, 'node_modules'))).toBeLessThan(60e6);
    const installed = await readdir(path.join(folder, 'node_modules'));
    expect(installed).toEqual(expect.arrayContaining(['express', 'mongodb', 'mongodb-pool-page']));
    expect(
      installed.filter((name) => ['artillery', 'jest', 'commander', 'mongodb-pool-lab-cli'].includes(name)),
    ).toEqual([]);

    const app = startApp({ MONGO_URL: sharedMongoUrl() }, { server: path.join(folder, 'src/server.js'), cwd: folder });
    const url = await app.url;
    expect((await fetch(`${url}/fast`)).status).toBe(200);
    expect(await (await fetch(`${url}/pool`)).json()).toMatchObject({
      features: { loadTests: false, predictions: true },
    });
    app.child.disconnect();
    expect(await app.ended).toMatchObject({ code: 0, stderr: '' });
  });
});

describe('the controls', () => {
  /** @type {string} */
  let url;
  beforeAll(async () => {
    url = await serveApp({ MONGO_POOLSIZE: '1' });
  });
  /** @param {string} control @param {unknown} body */
  const post = (control, body) => useControl(url, control, body);

  test('the app runs mixed.yaml against itself, one load test at a time, and streams its progress', async () => {
    await post('slow-ms', { slowMs: 200 });
    const first = await post('load-test', {});
    expect(first).toMatchObject({
      status: 202,
      body: { state: 'running', scenario: 'mixed.yaml', poolSize: 1, slowMs: 200, changes: [] },
    });
    expect(await post('load-test', {})).toMatchObject({
      status: 409,
      body: { detail: expect.stringMatching(/load test/) },
    });
    const started = await readLoadTest(({ progress }) => progress >= 0.1);
    expect(started).toMatchObject({ state: 'running', exact: { maxMs: 200 }, leftMs: expect.any(Number) });

    expect(await post('pool-size', { poolSize: 5 })).toMatchObject({ status: 200 });
    await readLoadTest(({ changes }) => changes.length >= 1);
    expect(await post('slow-ms', { slowMs: 200 })).toMatchObject({ status: 200 });
    expect(await post('slow-ms', { slowMs: 100 })).toMatchObject({ status: 200 });
    const changed = await readLoadTest(({ changes }) => changes.length >= 2);
    expect(changed).toMatchObject({
      state: 'running',
      poolSize: 1,
      slowMs: 200,
      exact: null,
      changes: [
        { poolSize: 5, slowMs: 200 },
        { poolSize: 5, slowMs: 100 },
      ],
    });
    const [{ afterMs: resizedMs }, { afterMs: shortenedMs }] = changed.changes;
    expect(resizedMs).toBeGreaterThan(0);
    expect(shortenedMs).toBeGreaterThanOrEqual(resizedMs);
  });

  /** @param {(loadTest: import('../src/load-tests/load-test-runner.js').LoadTest) => boolean} matches */
  async function readLoadTest(matches) {
    for await (const loadTest of new PoolClient(url).events('load-test')) {
      if (matches(loadTest)) return loadTest;
      if (loadTest.state !== 'running') throw new Error(`not seen before the load test ended: ${matches}`);
    }
    throw new Error('the stream ended');
  }
});
