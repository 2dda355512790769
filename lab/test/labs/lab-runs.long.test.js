import { cp, mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from '@jest/globals';
import { MongoClient } from 'mongodb';
import { runLab } from '../../harness/run-lab.js';
import { handles } from '../../labs/handles/handles-lab.js';
import { listFindings } from '../../report/findings.js';
import { renderTable } from '../../report/table.js';
import { readSettings } from '../../../src/settings.js';
import { isBusyMachine } from '../../labs/remedies/criterion.js';
import { remedies } from '../../labs/remedies/remedies-lab.js';
import { runNode } from 'test-support/processes.js';
import { cleanUp, scratchFolder } from 'test-support/cleanup.js';
import { sharedMongoUrl } from 'test-support/mongod.js';
import { measureUntil } from 'test-support/waiting.js';
import { runCli } from '../support/run-cli.js';

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
const options = {
  handles: ['one', 'several', 'processes', 'gathered', 'bare'],
  connections: [8],
  poolSize: 20,
  clients: 4,
  processes: 2,
  warmUpMs: 100,
  durationMs: 200,
};

test('a run measures every variant over HTTP, reports ratios and leaves no data', async () => {
  const result = await runLab(handles, options, {
    settings: readSettings({ MONGO_URL: sharedMongoUrl() }),
    signal: new AbortController().signal,
    report: () => {},
    onStep: () => {},
  });
  for (const { measured, error } of result.variants) {
    expect(error).toBeUndefined();
    expect(measured).toMatchObject({ failures: 0, errors: 0, timeouts: 0, non2xx: 0, reopened: 0 });
    expect(measured?.requests).toBeGreaterThan(8);
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

const defaults = Object.fromEntries(Object.entries(remedies.options).map(([name, option]) => [name, option.default]));

test('measured, each remedy does what it is for', async () => {
  const controller = new AbortController();
  const options = { ...defaults, treated: 2, remedies: ['client', 'limit'], slowMs: 500, environment: 'smoke' };
  /** @param {Awaited<ReturnType<typeof runLab>>} result whether customers wait for no administrator */
  const isFree = ({ variants: [, , { measured }] }) =>
    measured?.routes['/fast'].p50Ms < measured?.routes['/slow'].p50Ms / 2;
  const result = await measureUntil(
    () =>
      runLab(remedies, options, {
        settings: readSettings({ MONGO_URL: sharedMongoUrl() }),
        signal: controller.signal,
        report: () => {},
        onStep: () => {},
      }),
    isFree,
  );
  expect(isFree(result)).toBe(true);
  expect(result.variants.map(({ name, error }) => [name, error])).toEqual(
    ['pool 2, no /slow', 'pool 2', 'second client 1+1', 'limit of 1'].map((name) => [name, undefined]),
  );
  const [alone, untreated, client, limit] = result.variants.map(({ measured }) => measured);
  expect(alone?.requests).toBe(untreated?.routes['/fast'].count);
  expect(untreated?.routes['/fast'].p99Ms).toBeGreaterThan(500);
  for (const figures of [untreated, client, limit]) {
    expect(figures).toMatchObject({ requests: 110, routes: { '/fast': { refused: 0, failures: 0 } } });
    expect(figures?.connections).toBeGreaterThanOrEqual(3);
  }
  expect(limit?.routes['/slow'].refused).toBeGreaterThan(0);
  expect(client?.routes['/slow']).toMatchObject({ refused: 0 });
  // The tests beside this one may need the machine.
  const isBusy = isBusyMachine(/** @type {any} */ (alone));
  expect(remedies.takeaway(result)).toMatch(
    isBusy ? /^Other programs used this machine/ : /^With pool 2, .*Almost as good, within /,
  );
  expect(listFindings(remedies, result).map(({ claim }) => claim)).toContain(
    'second client 1+1 / pool 2, no /slow: p99 of /fast',
  );
});

test('a run replicates what it wrote, compares it, and reports it', async () => {
  const out = await scratchFolder();
  const { code, stdout, stderr } = await runCli([
    'run',
    'replication',
    '--cases',
    '1,3,10..13',
    '--ops',
    '300',
    '--seconds',
    '0',
    '--stats',
    '--json',
    '--out',
    out,
  ]);
  expect({ code, stderr }).toMatchObject({ code: 0, stderr: expect.stringMatching(/ops\/s .*published/s) });
  expect(stderr).toMatch(/^case 3: \d+ ops\/s · CPU \d+ % · peak RSS \d+ MB · backlog 0, .* · lag \d+ ms$/m);
  const { variants } = JSON.parse(stdout);
  expect(variants.map((/** @type {any} */ { name, measured }) => [name, measured.ops])).toEqual([
    ['case 1', 300],
    ['case 3', 300],
    ['case 10', 300],
    ['case 11', 300],
    ['case 12, one hot document', 300],
    ['case 13, 20 ms away', 300],
  ]);
  expect(await readFile(path.join(out, 'replication.html'), 'utf8')).toContain('Do more workers replicate more?');
});

test('a case is repeated until it was measured long enough, and so is the target without a replicator', async () => {
  const args = [
    '--cases',
    '3',
    '--ops',
    '300',
    '--seconds',
    '1',
    '--ceiling',
    '--json',
    '--out',
    await scratchFolder(),
  ];
  const { code, stdout } = await runCli(['run', 'replication', ...args]);
  const [repeated, ...ceilings] = JSON.parse(stdout).variants;
  expect(code).toBe(0);
  expect(repeated.measured.tookMs).toBeGreaterThanOrEqual(1000);
  // Once, at least the first 100 of the 300 operations warm it up.
  expect(repeated.measured.ops).toBeGreaterThan(300);
  expect(repeated.measured.ops % 300).toBeLessThanOrEqual(200);
  expect(ceilings.map((/** @type {any} */ { name, measured, error }) => [name, measured.opsPerBatch, error])).toEqual([
    ['target 8 x 1', 1, undefined],
    ['target 8 x 1000', 1000, undefined],
    ['target 64 x 1', 1, undefined],
    ['target 64 x 1000', 1000, undefined],
  ]);
});

test('with the driver of 2020 and 3 connections, the slowest request takes 9 s as in the article, not 7', async () => {
  const out = await scratchFolder();
  const args = ['run', 'mixed', '--driver', '3', '--pool-sizes', '3', '--json', '--out', out];
  const { code, stdout, stderr } = await runCli(args, { env: { MONGO_URL: sharedMongoUrl() } });
  expect({ code, stderr }).toMatchObject({ code: 0 });
  const [{ measured, published, exact }] = JSON.parse(stdout).variants;
  expect(measured).toMatchObject({ requests: 10, failures: 0 });
  // Today's driver would take `exact`. A busy machine adds some tenths.
  expect(Math.abs(measured.maxMs - published.maxMs)).toBeLessThan(published.maxMs - exact.maxMs - 1000);
});
