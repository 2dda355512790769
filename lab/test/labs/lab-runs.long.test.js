import { existsSync } from 'node:fs';
import { cp, mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from '@jest/globals';
import { MongoClient } from 'mongodb';
import { startApp } from '../../harness/app-process.js';
import { handles } from '../../labs/handles/handles-lab.js';
import { inserts } from '../../labs/inserts/inserts-lab.js';
import { replication } from '../../labs/replication/replication-lab.js';
import { sessions } from '../../labs/sessions/sessions-lab.js';
import { listFindings } from '../../report/findings.js';
import { renderTable } from '../../report/table.js';
import { readSettings } from '../../../src/settings.js';
import { remedies } from '../../labs/remedies/remedies-lab.js';
import { runNode } from 'test-support/processes.js';
import { cleanUp, scratchFolder } from 'test-support/cleanup.js';
import { sharedMongoUrl } from 'test-support/mongod.js';
import { measureLab } from '../support/measure-lab.js';
import { expectRefused } from '../support/run-cli.js';

test("CONTRIBUTING's lab is one folder and one line", async () => {
  const folder = await scratchFolder();
  await Promise.all(
    ['lab', 'src', 'package.json', 'loadtests'].map((name) => cp(name, path.join(folder, name), { recursive: true })),
  );
  await symlink(path.resolve('node_modules'), path.join(folder, 'node_modules'), 'junction');

  const [lab, view] = [...(await readFile('CONTRIBUTING.md', 'utf8')).matchAll(/^```js\n(.+?)^```/gms)].map(
    ([, code]) => code,
  );
  await mkdir(path.join(folder, 'lab/labs/pings'));
  await writeFile(path.join(folder, 'lab/labs/pings/pings-lab.js'), lab);
  await writeFile(path.join(folder, 'lab/labs/pings/pings-view.js'), view);
  const index = path.join(folder, 'lab/labs/index.js');
  const text = await readFile(index, 'utf8');
  await writeFile(
    index,
    `import { pings } from './pings/pings-lab.js';\n${text.replace(/(labs = \{.*?),? \}/, '$1, pings }')}`,
  );

  const cli = path.join(folder, 'lab/cli.js');
  expect((await runNode([cli, 'run'])).stdout).toMatch(/^pings: The empty query \(/m);
  expect((await runNode([cli, 'run', 'pings', '--help'])).stdout).toMatch(/--workers <list>/);
  const out = path.join(folder, 'out');
  const { code, stdout, stderr } = await runNode([cli, 'run', 'pings', '--repeat', '2', '--json', '--out', out], {
    env: { MONGO_URL: String(process.env.TEST_MONGO_URL) },
  });
  expect({ code, stderr }).toMatchObject({ code: 0, stderr: expect.stringMatching(/workers +p50 ms/) });
  expect(JSON.parse(stdout).variants).toMatchObject([
    { measured: { count: 2000 }, repeats: [{}, {}] },
    { settings: { workers: 10 } },
  ]);
  expect(await readFile(path.join(out, 'pings.html'), 'utf8')).toContain('The empty query');
});

const client = new MongoClient(sharedMongoUrl());
cleanUp(() => client.close());

test('a run of handles measures every variant over HTTP, reports ratios and leaves no data', async () => {
  const result = await measureLab(handles, {
    handles: ['one', 'several', 'processes', 'gathered', 'bare'],
    connections: [8],
    poolSize: 20,
    warmUpMs: 100,
    durationMs: 200,
  });
  for (const { measured, error } of result.variants) {
    expect(error).toBeUndefined();
    expect(measured).toMatchObject({ failures: 0, errors: 0, timeouts: 0, non2xx: 0, reopened: 0 });
    expect(measured?.requests).toBeGreaterThan(0);
  }
  const [one, several] = result.variants.map(({ measured }) => measured?.ratePerSec);
  expect(listFindings(handles, result)).toMatchObject([
    { claim: 'c8: several clients / one client, requests per second', measured: several / one, published: null },
    {},
    {},
    {},
  ]);
  expect(await client.db('pool_lab').listCollections({ name: 'handles' }).toArray()).toEqual([]);
  const table = renderTable(handles, result);
  expect(table.replaceAll('\n', ' ')).toMatch(/At 8 connections, .* answered \d+ requests per second/);
  expect(Math.max(...table.split('\n').map((line) => line.length))).toBeLessThanOrEqual(80);
});

test.each(['1', '2'])('an app of %s processes reports that it found no MongoDB', async (processes) => {
  const script = fileURLToPath(new URL('../../labs/handles/handles-server.js', import.meta.url));
  const settings = { MONGO_URL: 'mongodb://127.0.0.1:1', MONGO_SERVER_SELECTION_TIMEOUT_MS: '100' };
  await expect(startApp(settings, { script, args: ['--processes', processes] })).rejects.toThrow(
    /^the app did not start: MONGO_URL: no MongoDB was found within 100 ms: .*(\na process of the app exited)?$/,
  );
});

test('a run of remedies counts who was refused or failed, and the connections of each app', async () => {
  const options = { treated: 2, remedies: ['client', 'limit'], slowMs: 500, environment: 'smoke' };
  const result = await measureLab(remedies, options);
  expect(result.variants.map(({ name, error }) => [name, error])).toEqual(
    ['pool 2, no /slow', 'pool 2', 'second client 1+1', 'limit of 1'].map((name) => [name, undefined]),
  );
  const [alone, untreated, client, limit] = result.variants.map(({ measured }) => measured);
  expect(alone?.requests).toBe(untreated?.routes['/fast'].count);
  for (const figures of [untreated, client, limit]) {
    expect(figures).toMatchObject({ requests: 110, routes: { '/fast': { refused: 0, failures: 0 } } });
    expect(figures?.connections).toBeGreaterThanOrEqual(3);
  }
  expect(limit?.routes['/slow'].refused).toBeGreaterThan(0);
  expect(client?.routes['/slow']).toMatchObject({ refused: 0 });
  expect(listFindings(remedies, result).map(({ claim }) => claim)).toContain(
    'second client 1+1 / pool 2, no /slow: p99 of /fast',
  );
});

test('the network delay of sessions is chosen so that a query takes as long as it should', async () => {
  /** @param {number} queryMs */
  async function measure(queryMs) {
    /** @type {string[]} */
    const said = [];
    const options = { queryMs, workers: [1], queries: [1], strategies: ['fixed'] };
    const { settings } = await measureLab(sessions, options, { report: (line) => said.push(line) });
    return { rttMs: Number(settings.rttMs), said: said[0] };
  }
  const { rttMs, said } = await measure(50);
  const [nearMs, addedMs] = (said.match(/\d+\.\d+/g) ?? []).map(Number);
  expect([addedMs, nearMs + addedMs]).toEqual([expect.closeTo(rttMs, 1), expect.closeTo(50, 1)]);
  expect(await measure(0.001)).toEqual({
    rttMs: 0,
    said: expect.stringMatching(/ ms here, more than 0\.001 ms: no network delay is added\.$/),
  });
});

const onLinux = process.platform === 'linux' ? test : test.skip;

onLinux('inserts are measured in a MongoDB that is limited to a core', async () => {
  const { variants } = await measureLab(
    inserts,
    { cases: ['1/2'], docs: 50, ways: ['plain'], serverCores: [1] },
    { settings: readSettings({}, 'no .env file') },
  );
  expect(variants).toMatchObject([
    { name: '1/2 plain, 1 core', settings: { serverCores: 1 }, measured: { count: 50 } },
  ]);
});

test('--server-cores without taskset is refused before anything is measured', async () => {
  const env = { PATH: await scratchFolder(), MONGO_URL: '' };
  await expectRefused(['run', 'inserts', '--server-cores', '1'], /--server-cores needs taskset, of Linux: it was not/, {
    env,
  });
});

test('a driver of 2020 that can not be installed is named, and leaves nothing behind', async () => {
  const folder = await scratchFolder();
  const [cache, out] = [path.join(folder, 'cache'), path.join(folder, 'no-driver')];
  await expectRefused(
    ['run', 'mixed', '--driver', '3', '--environment', 'smoke', '--out', out],
    /--driver 3 needs mongodb 3\.4\.0, and npm can't install it in \S+cache: ECONNREFUSED/,
    {
      env: {
        MONGO_URL: sharedMongoUrl(),
        POOL_LAB_CACHE: cache,
        npm_config_registry: 'http://127.0.0.1:1',
        npm_config_cache: path.join(folder, 'npm'),
      },
    },
  );
  expect(await readdir(cache)).toEqual([]);
  expect(existsSync(out)).toBe(false);
});

/** @param {Record<string, unknown>} options */
const replicate = (options) => measureLab(replication, options, { settings: readSettings({}, 'no .env file') });

test('a run of replication writes each case, and compares what arrived', async () => {
  const { variants } = await replicate({ cases: [1, 3, 10, 11], ops: 300, seconds: 0 });
  expect(variants.map(({ name, measured, error }) => [name, measured?.ops, error])).toEqual([
    ['case 1', 300, undefined],
    ['case 3', 300, undefined],
    ['case 10', 300, undefined],
    ['case 11, 20 ms away', 300, undefined],
  ]);
});

test('a case is repeated until it was measured long enough; the target alone and single inserts follow', async () => {
  const { variants } = await replicate({ cases: [3], ops: 300, seconds: 1, ceiling: true, latency: true });
  const [repeated, ...ceilings] = variants;
  const single = ceilings.pop();
  expect(single).toMatchObject({ name: 'single inserts', measured: { latency: { p50Ms: expect.any(Number) } } });
  expect(single?.measured?.latency.p50Ms).toBeGreaterThan(0);

  expect(repeated.measured?.tookMs).toBeGreaterThanOrEqual(1000);
  // Once, at least the first 100 of the 300 operations warm it up.
  expect(repeated.measured?.ops).toBeGreaterThan(300);
  expect(repeated.measured?.ops % 300).toBeLessThanOrEqual(200);
  expect(ceilings.map(({ name, measured, error }) => [name, measured?.opsPerBatch, error])).toEqual([
    ['target 8 x 1', 1, undefined],
    ['target 8 x 1000', 1000, undefined],
    ['target 64 x 1', 1, undefined],
    ['target 64 x 1000', 1000, undefined],
  ]);
});
