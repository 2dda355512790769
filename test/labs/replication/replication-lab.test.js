import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { replication } from '../../../src/labs/replication/replication-lab.js';
import { sharedMongoUrl } from '../../support/environment.js';
import { startMongod } from '../../support/mongod-process.js';
import { runCli } from '../../support/run-cli.js';
import { scratchFolder } from '../../support/scratch-folder.js';

const standalone = await startMongod();

describe('the plan', () => {
  const all = { cases: [1, 3, 9], ops: 1000 };

  test('has the cases as they were published', async () => {
    const { variants } = await replication.plan(all);
    expect(variants).toMatchObject([
      { name: 'case 1', settings: { tunnel: 'mock', workers: 8 }, published: { ratePerSec: 424_251 } },
      { name: 'case 3', settings: { tunnel: 'direct', merge: true, shards: 1 } },
      { name: 'case 9', settings: { workers: 128, hash: 'collection', collections: 128 } },
    ]);
  });

  test('has each case with each number of workers, and compares only what was published so', async () => {
    const { variants } = await replication.plan({ ...all, cases: [3], workers: [1, 8] });
    expect(variants.map(({ name, published }) => [name, published?.ratePerSec])).toEqual(
      [['case 3, 1 worker', undefined], ['case 3', 55_705]]);
  });

  test('changes what it is told to', async () => {
    const { variants } = await replication.plan({ ...all, hash: 'collection', tunnel: 'mock', merge: false, latency: true });
    expect(variants.map(({ name }) => name)).toEqual([
      'case 1, by collection, not merged', 'case 3, by collection, mock, not merged', 'case 9, mock, not merged',
      'single inserts',
    ]);
    expect(variants[1]).toMatchObject({ settings: { hash: 'collection', tunnel: 'mock', merge: false }, published: null });
  });

  test('says that it takes minutes when each operation is written by itself', async () => {
    const { variants } = await replication.plan({ ...all, cases: [7], ops: 200_000, workers: [1, 8, 64], merge: false });
    const minutes = variants.reduce((total, { estimateMs }) => total + estimateMs, 0) / 60_000;
    expect(minutes).toBeGreaterThan(3);
    expect(minutes).toBeLessThan(6);
  });
});

test('a run moves what it has written, compares it, and shows it', async () => {
  const out = await scratchFolder();
  const { code, stdout, stderr } = await runCli(
    ['run', 'replication', '--cases', '1,3,10', '--ops', '300', '--stats', '--json', '--out', out]);
  expect({ code, stderr }).toMatchObject({ code: 0, stderr: expect.stringMatching(/ops\/s .*published/s) });
  expect(stderr).toMatch(/^case 3: \d+ ops\/s · CPU \d+ % · peak RSS \d+ MB · queued 0, .* · lag \d+ ms$/m);
  const { variants } = JSON.parse(stdout);
  expect(variants.map((/** @type {any} */ { name, measured }) => [name, measured.ops])).toEqual(
    [['case 1', 300], ['case 3', 300], ['case 10', 300]]);
  expect(await readFile(path.join(out, 'replication.html'), 'utf8')).toContain('Do more workers move more?');
});

describe('what can not be is one line', () => {
  const url = sharedMongoUrl();

  test.each([
    ['a source that is not there', ['--source', 'mongodb://127.0.0.1:1'], /^--source: no MongoDB was found within 300 ms/],
    ['a target that is not there', ['--source', url, '--target', 'mongodb://127.0.0.1:1'], /^--target: no MongoDB was found/],
    ['a source without an oplog', ['--source', `mongodb://127.0.0.1:${standalone.port}`], /is a standalone server/],
    ['a source that is the target', ['--source', url, '--target', url], /^the target .* is the source/],
    ['an unknown case', ['--cases', '11'], /"11" is not a case from 1 to 10/],
    ['an unknown hash', ['--hash', 'name'], /"name" is not one of id, collection/],
  ])('%s', async (_, args, message) => {
    const { code, stdout, stderr } = await runCli(['run', 'replication', '--ops', '10', ...args],
      { env: { MONGO_SERVER_SELECTION_TIMEOUT_MS: '300' } });
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr.split('\n')[0]).toMatch(message);
  });
});
