import path from 'node:path';
import { readFile } from 'node:fs/promises';
import { describe, expect, test } from '@jest/globals';
import { MongoClient } from 'mongodb';
import { inserts } from '../../../src/labs/inserts/inserts-lab.js';
import { choosePublished } from '../../../src/labs/inserts/inserts-published.js';
import { describeFaults, verifyInserts } from '../../../src/labs/inserts/verify.js';
import { cleanUp } from '../../support/cleanup.js';
import { sharedMongoUrl } from '../../support/environment.js';
import { runCli } from '../../support/run-cli.js';
import { scratchFolder } from '../../support/scratch-folder.js';

/** @typedef {import('../../../src/report/result-types.js').Variant} Variant */

const defaults = Object.fromEntries(Object.entries(inserts.options).map(([name, option]) => [name, option.default]));

test('run inserts measures each case plain and gathered, and finds every document once', async () => {
  const out = path.join(await scratchFolder(), 'out');
  const { code, stdout, stderr } = await runCli(['run', 'inserts', '--cases', '1/1,2/50', '--docs', '300',
    '--repeat', '2', '--write-concern', '1', '--json', '--out', out], { env: { MONGO_URL: sharedMongoUrl() } });
  expect({ code, stderr }).toMatchObject({ code: 0, stderr: expect.stringMatching(/2\/50: gathered \/ plain +\d/) });
  const { variants } = JSON.parse(stdout);
  expect(variants.map((/** @type {Variant} */ { name }) => name)).toEqual(
    ['1/1 plain', '1/1 gathered', '2/50 plain', '2/50 gathered']);
  for (const { measured, repeats } of variants) {
    expect(measured).toMatchObject({ count: 600, missing: 0, twice: 0, wrong: 0 });
    expect(repeats).toHaveLength(2);
  }
  expect(await readFile(path.join(out, 'inserts.html'), 'utf8')).toContain('One document at a time');
  const client = new MongoClient(sharedMongoUrl());
  cleanUp(() => client.close());
  expect(await client.db('pool_lab').listCollections({ name: 'inserts' }).toArray()).toEqual([]);
});

describe('verification finds', () => {
  const client = new MongoClient(sharedMongoUrl());
  cleanUp(() => client.close());

  test.each([
    ['nothing wrong', [0, 1, 2], { missing: 0, twice: 0, wrong: 0 }, undefined],
    ['what is missing', [0, 2], { missing: 1, twice: 0, wrong: 0 }, 'documents are not as inserted: 1 missing'],
    ['what is there twice, in place of another', [0, 0, 2], { missing: 1, twice: 1, wrong: 0 },
      'documents are not as inserted: 1 missing, 1 stored twice'],
    ['an empty collection', [], { missing: 3, twice: 0, wrong: 0 }, 'documents are not as inserted: 3 missing'],
  ])('%s', async (_, numbers, faults, words) => {
    const collection = client.db('verify').collection('inserts');
    await collection.drop();
    if (numbers.length > 0) await collection.insertMany(numbers.map((n) => ({ n, d: 'content' })));
    expect(await verifyInserts(collection, 3, 'content')).toEqual(faults);
    expect(describeFaults(faults)).toBe(words);
  });

  test('another content', async () => {
    const collection = client.db('verify').collection('inserts');
    await collection.drop();
    await collection.insertMany([{ n: 0, d: 'content' }, { n: 1, d: 'contend' }]);
    const faults = await verifyInserts(collection, 2, 'content');
    expect(faults).toEqual({ missing: 0, twice: 0, wrong: 1 });
    expect(describeFaults(faults)).toBe('documents are not as inserted: 1 with another content');
  });
});

test('published figures are those of the machine that is most like this one, and of plain inserts alone', async () => {
  expect([1, 2, 3, 8, 64].map((cores) => choosePublished(cores).instance)).toEqual(
    ['t2.small', 't2.medium', 't2.medium', 't2.2xlarge', 'm4.4xlarge']);
  const { ratesPerSec } = choosePublished();
  const ratesWith = async (/** @type {'majority' | 1} */ writeConcern) => (
    (await inserts.plan({ ...defaults, writeConcern, cases: ['1/1', '3/7'] })).variants.map(({ published }) => published?.ratePerSec));
  expect(await ratesWith(1)).toEqual([ratesPerSec['1/1'], undefined, undefined, undefined]);
  expect(await ratesWith('majority')).toEqual([undefined, undefined, undefined, undefined]);
});

test('the findings compare more sessions and inserters, and gathered with plain', () => {
  const { ratesPerSec } = choosePublished(8);
  /** @param {string} workload @param {string} way @param {number} ratePerSec */
  const variant = (workload, way, ratePerSec) => ({
    name: `${workload} ${way}`, settings: { workload, way }, measured: { ratePerSec },
    published: way === 'plain' ? { ratePerSec: ratesPerSec[workload] } : null,
  });
  const result = /** @type {any} */ ({ variants: [
    variant('1/1', 'plain', 100), variant('1/1', 'gathered', 99), variant('1/100', 'plain', 200),
    variant('1/100', 'gathered', 4000),
  ] });
  expect(inserts.findings?.(result)).toEqual([
    { claim: '1/100 / 1/1, plain', measured: 2, published: 21828 / 3727 },
    { claim: '1/1: gathered / plain', measured: 0.99, published: null },
    { claim: '1/100: gathered / plain', measured: 20, published: null },
  ]);
  expect(inserts.takeaway(result)).toBe(
    '1/100 gathered was the fastest, with 4,000 documents per second, 20.0 times as many as plain.');
});

test.each([
  [['--cases', '1'], '"1" is not sessions/inserters; several are written 1/1,100/10000.'],
  [['--ways', 'raw'], '"raw" is not one of plain, gathered.'],
  [['--write-concern', '2'], 'It must be majority or 1.'],
  [['--docs', '99', '--cases', '1/100'], '--docs is 99; 1/100 needs at least 100'],
])('%j is refused', async (args, words) => {
  const { code, stderr } = await runCli(['run', 'inserts', ...args]);
  expect({ code, stderr }).toMatchObject({ code: 1, stderr: expect.stringContaining(words) });
});
