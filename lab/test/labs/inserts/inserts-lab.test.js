import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdir, readFile } from 'node:fs/promises';
import { describe, expect, test } from '@jest/globals';
import { MongoClient } from 'mongodb';
import { chooseInstance } from '../../../labs/inserts/inserts-published.js';
import { inserts } from '../../../labs/inserts/inserts-lab.js';
import { describeIndexes } from '../../../labs/inserts/inserts-findings.js';
import { limitCores } from '../../../labs/inserts/limit-cores.js';
import { describeFaults, verifyInserts } from '../../../labs/inserts/verify-inserts.js';
import { layOutChart } from '../../../report/chart-data.js';
import { createSampleResult } from '../../report/sample-result.js';
import { cleanUp } from 'test-support/cleanup.js';
import { sharedMongoUrl } from 'test-support/mongod.js';
import { measureLab, optionsOf } from '../../support/measure-lab.js';

const defaults = optionsOf(inserts);
const client = new MongoClient(sharedMongoUrl());
cleanUp(() => client.close());

/** Enough for all documents on a busy machine. */
const ALL = { seconds: 100, writeConcern: 1 };

test('a run measures each case plain and gathered, and every document is stored once', async () => {
  const { variants } = await measureLab(inserts, { ...ALL, cases: ['1/1', '2/50'], docs: 60 });
  expect(variants.map(({ name }) => name)).toEqual(['1/1 plain', '1/1 gathered', '2/50 plain', '2/50 gathered']);
  for (const { measured } of variants) {
    expect(measured).toMatchObject({ count: 60, missing: 0, twice: 0, wrong: 0, cpuPercent: expect.any(Number) });
    // Each document of zeros is 1 KB, and compressed well.
    expect(Math.round(measured.dataMB * 1024)).toBe(59);
    expect(measured.diskMB).toBeGreaterThan(0);
  }
  expect(await client.db('pool_lab').listCollections({ name: 'inserts' }).toArray()).toEqual([]);
});

test('more indexes and random data: each index is built for each run, and every document is as inserted', async () => {
  const oplog = client.db('local').collection('oplog.rs');
  const [{ ts }] = await oplog.find().sort({ $natural: -1 }).limit(1).toArray();
  const options = { ...ALL, cases: ['2/20'], docs: 1100, ways: ['gathered'], data: 'random', indexes: 3 };
  const { variants } = await measureLab(inserts, options);
  expect(variants.map(({ name }) => name)).toEqual(['2/20 gathered', '2/20 gathered, 3 more indexes']);
  for (const { measured } of variants) expect(measured).toMatchObject({ count: 1100, missing: 0, twice: 0, wrong: 0 });
  // Hardly compressed.
  expect(variants[0].measured.diskMB / variants[0].measured.dataMB).toBeGreaterThan(0.7);
  const builds = await oplog.find({ ts: { $gt: ts }, 'o.createIndexes': 'inserts' }).toArray();
  // Once for the warm-up, once for the run.
  expect(builds.map(({ o }) => o.name)).toEqual(Array(2).fill(['field0_1', 'field1_1', 'field2_1']).flat());
});

const isLinux = process.platform === 'linux';

(isLinux ? test : test.skip)('the server is limited to some cores, with all its threads', async () => {
  const server = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000); console.log("runs")']);
  cleanUp(() => server.kill());
  await once(server.stdout, 'data');
  const pid = Number(server.pid);
  await limitCores(pid, 1);
  const tasks = await readdir(`/proc/${pid}/task`);
  expect(tasks.length).toBeGreaterThan(1);
  for (const task of tasks) {
    expect(await readFile(`/proc/${pid}/task/${task}/status`, 'utf8')).toMatch(/^Cpus_allowed_list:\s+0$/m);
  }
});

(isLinux ? test : test.skip)(
  'a thread that ends meanwhile does not matter; other failures say what happened',
  async () => {
    const folder = mkdtempSync(path.join(os.tmpdir(), 'taskset-'));
    cleanUp(() => rmSync(folder, { recursive: true }));
    const [taskset, tried] = ['taskset', 'tried'].map((name) => path.join(folder, name));
    const ended = `echo "taskset: failed to get pid 7's affinity: No such process" >&2; exit 1`;
    const limit = () => limitCores(process.pid, 1, taskset);
    await expect(limit()).rejects.toThrow(/^--server-cores needs taskset, of Linux: it was not found$/);
    writeFileSync(taskset, `#!/bin/sh\n[ -e ${tried} ] && exit 0; touch ${tried}; ${ended}\n`, { mode: 0o755 });
    await limit();
    expect(existsSync(tried)).toBe(true);
    writeFileSync(taskset, '#!/bin/sh\necho "not permitted" >&2; exit 1\n');
    await expect(limit()).rejects.toThrow(/^taskset could not limit the [^]*not permitted/);
  },
);

describe('verification finds', () => {
  test.each([
    ['nothing wrong', [0, 1, 2], { missing: 0, twice: 0, wrong: 0 }, undefined],
    ['missing documents', [0, 2], { missing: 1, twice: 0, wrong: 0 }, 'documents are not as inserted: 1 missing'],
    [
      'a document stored twice instead of another',
      [0, 0, 2],
      { missing: 1, twice: 1, wrong: 0 },
      'documents are not as inserted: 1 missing, 1 stored twice',
    ],
    ['an empty collection', [], { missing: 3, twice: 0, wrong: 0 }, 'documents are not as inserted: 3 missing'],
  ])('%s', async (_, numbers, faults, words) => {
    const collection = client.db('verify').collection('inserts');
    await collection.drop();
    if (numbers.length > 0) await collection.insertMany(numbers.map((n) => ({ n, d: 'content' })));
    expect(await verifyInserts(collection, 3, ['content'])).toEqual(faults);
    expect(describeFaults(faults)).toBe(words);
  });

  test('other content', async () => {
    const collection = client.db('verify').collection('inserts');
    await collection.drop();
    await collection.insertMany([
      { n: 0, d: 'content' },
      { n: 1, d: 'contend' },
    ]);
    const faults = await verifyInserts(collection, 2, ['content']);
    expect(faults).toEqual({ missing: 0, twice: 0, wrong: 1 });
    expect(describeFaults(faults)).toBe('documents are not as inserted: 1 with other content');
  });
});

test('published figures are those of the most similar machine, and of plain inserts only', async () => {
  expect([1, 2, 3, 8, 64].map((cores) => chooseInstance(cores).instance)).toEqual([
    't2.small',
    't2.medium',
    't2.medium',
    't2.2xlarge',
    'm4.4xlarge',
  ]);
  const { ratesPerSec } = chooseInstance(os.availableParallelism());
  const ratesWith = async (/** @type {'majority' | 1} */ writeConcern) =>
    (await inserts.plan({ ...defaults, writeConcern, cases: ['1/1', '3/7'] })).variants.map(
      ({ published }) => published?.ratePerSec,
    );
  expect(await ratesWith(1)).toEqual([ratesPerSec['1/1'], undefined, undefined, undefined]);
  expect(await ratesWith('majority')).toEqual([undefined, undefined, undefined, undefined]);
  for (const other of [{ data: 'random' }, { indexes: 1 }]) {
    const { variants } = await inserts.plan({ ...defaults, writeConcern: 1, ...other });
    expect(variants.filter(({ published }) => published)).toEqual([]);
  }
  const { variants } = await inserts.plan({ ...defaults, writeConcern: 1, ways: ['plain'], serverCores: [1] });
  expect(variants.map(({ published }) => published?.ratePerSec)).toEqual([2014, 24_547, 9917, 10_293]);
});

test('the findings compare more sessions and inserters, and gathered with plain', () => {
  const { ratesPerSec } = chooseInstance(8);
  /** @param {string} workload @param {string} way @param {number} ratePerSec */
  const variant = (workload, way, ratePerSec) => ({
    name: `${workload} ${way}`,
    settings: { workload, way },
    measured: { ratePerSec },
    published: way === 'plain' ? { ratePerSec: ratesPerSec[workload], cores: 8 } : null,
  });
  const result = /** @type {any} */ ({
    variants: [
      variant('1/1', 'plain', 100),
      variant('1/1', 'gathered', 99),
      variant('1/100', 'plain', 200),
      variant('1/100', 'gathered', 4000),
    ],
  });
  expect(inserts.findings?.(result)).toEqual([
    {
      claim: '1/100 / 1/1, plain',
      measured: 2,
      published: 21828 / 3727,
      reason: expect.stringMatching(/^mgo sends the next insert before the last one is answered; today's driver waits/),
    },
    { claim: '1/1: gathered / plain', measured: 0.99, published: null },
    { claim: '1/100: gathered / plain', measured: 20, published: null },
  ]);
  expect(inserts.takeaway(result)).toBe(
    '1/100 gathered was the fastest, with 4,000 documents per second, 20.0 times as many as plain. The article asks ' +
      'who reaches 100,000: not this run.',
  );
  result.variants.push(variant('100/100', 'plain', 120_000));
  result.variants.at(-1).measured.cpuPercent = 97.4;
  expect(inserts.takeaway(result)).toMatch(/100,000: this did\.$/);
  result.variants.at(-1).measured.ratePerSec = 1000;
  expect(inserts.findings?.(result).slice(1, 3)).toMatchObject([
    {
      claim: '100/100 / 1/1, plain',
      reason: expect.stringMatching(/^There, client and server had 8 cores .* 97 % of a/),
    },
    {
      claim: '100/100 / 1/100, plain',
      reason: expect.stringMatching(/on 1 core .* cost \(0\.40\), and on 8 .* \(3\.87\)/),
    },
  ]);
});

test('a finding says what more cores of the server are worth', async () => {
  const given = { ...defaults, writeConcern: 1, ways: ['plain'], cases: ['1/100'], serverCores: [1, 2] };
  const { variants } = await inserts.plan(given);
  const measured = variants.map((variant, index) => ({ ...variant, measured: { ratePerSec: 2000 + 600 * index } }));
  expect(inserts.findings?.(/** @type {any} */ ({ variants: measured }))).toEqual([
    { claim: '1/100 plain: 2 cores / 1 core of the server', measured: 1.3, published: 23_114 / 24_547 },
  ]);
});

test('the findings say what more indexes cost and how well documents are compressed', () => {
  /** @param {number} indexes @param {number} ratePerSec */
  const variant = (indexes, ratePerSec) => ({
    name: `1/1 plain${describeIndexes(indexes)}`,
    settings: { workload: '1/1', way: 'plain', indexes },
    measured: { ratePerSec, dataMB: 100, diskMB: 7 },
    published: null,
  });
  const result = /** @type {any} */ ({ variants: [variant(0, 1000), variant(3, 800)] });
  expect(inserts.findings?.(result)).toEqual([
    {
      claim: '1/1 plain, 3 more indexes / without (article: a few percent less)',
      measured: 0.8,
      published: null,
    },
    { claim: 'on disk / as sent, with snappy (article: "about 30 %" compressed)', measured: 0.07, published: null },
  ]);
});

test('a chart has all rates of the article, and marks the cores of this machine', async () => {
  const { variants } = await inserts.plan({ ...defaults, serverCores: [1, 2] });
  const [, spec] = inserts.charts;
  /** @param {number} cores */
  const layOut = (cores) =>
    layOutChart(spec, createSampleResult({ environment: { cores }, variants: /** @type {any} */ (variants) }));
  const { categories, series } = layOut(2);
  expect(categories.flat()).toEqual(['1 core', '2 cores, as here', '4 cores', '8 cores', '16 cores']);
  expect(series.map(({ label, values }) => [label, values[0], values[4]])).toEqual([
    ['1/1', 2014, 4629],
    ['1/100', 24_547, 19_986],
    ['100/100', 9917, 74_102],
    ['100/10000', 10_293, 69_072],
  ]);
  expect(layOut(12).categories.flat()).toContain('8 cores, nearest to here');
});

test.each([
  ['cases', '1', '"1" is not sessions/inserters; several are written 1/1,100/10000.'],
  ['ways', 'raw', '"raw" is not one of plain, gathered.'],
  ['writeConcern', '2', 'It must be majority or 1.'],
  ['data', 'ones', '"ones" is not one of zeros, random.'],
])('--%s %s is refused', (name, text, problem) => {
  expect(() => inserts.options[name].parse?.(text)).toThrow(problem);
});

test.each([
  [{ docs: 99, cases: ['1/100'] }, '--docs is 99; 1/100 needs at least 100'],
  [{ serverCores: [1, 9999] }, `--server-cores is 9999; this machine has ${os.availableParallelism()}`],
  [{ serverCores: [1], url: sharedMongoUrl() }, '--server-cores limits the embedded MongoDB only'],
])('%j is refused', async (options, problem) => {
  await expect(measureLab(inserts, options)).rejects.toThrow(problem);
});
