import { describe, expect, test } from '@jest/globals';
import { replication } from '../../../src/labs/replication/replication-lab.js';
import { sharedMongoUrl } from '../../support/environment.js';
import { startMongod } from '../../support/mongod-process.js';
import { runCli } from '../../support/run-cli.js';

const standalone = await startMongod();

describe('the plan', () => {
  const all = { cases: [1, 3, 9], ops: 1000 };

  test('has the cases as they were published', async () => {
    const { variants } = await replication.plan(all);
    expect(variants).toMatchObject([
      { name: 'case 1', settings: { mode: 'mock', workers: 8 }, published: { ratePerSec: 424_251 } },
      { name: 'case 3', settings: { mode: 'direct', merge: true, shards: 1 } },
      { name: 'case 9', settings: { workers: 128, hash: 'collection', collections: 128 } },
    ]);
  });

  test('has each case with each number of workers, and shows published figures only for the published number', async () => {
    const { variants } = await replication.plan({ ...all, cases: [3], workers: [1, 8] });
    expect(variants.map(({ name, published }) => [name, published?.ratePerSec])).toEqual(
      [['case 3, 1 worker', undefined], ['case 3', 55_705]]);
  });

  test('applies hash, mode, merge and latency', async () => {
    const { variants } = await replication.plan({ ...all, hash: 'collection', mode: 'mock', merge: false, latency: true });
    expect(variants.map(({ name }) => name)).toEqual([
      'case 1, by collection, not merged', 'case 3, by collection, mock, not merged', 'case 9, mock, not merged',
      'single inserts',
    ]);
    expect(variants[1]).toMatchObject({ settings: { hash: 'collection', mode: 'mock', merge: false }, published: null });
  });

  test('has a mix of operations, one hot document and a distance', async () => {
    const { variants } = await replication.plan({ ...all, cases: [11, 12, 13] });
    expect(variants).toMatchObject([
      { name: 'case 11', settings: { mix: { inserts: 60, updates: 30, deletes: 10 } }, published: null },
      { name: 'case 12, one hot document', settings: { hot: true } },
      { name: 'case 13, 20 ms away', settings: { rttMs: 20 } },
    ]);
    const changed = await replication.plan({ ...all, cases: [3], mix: { inserts: 50, updates: 50, deletes: 0 } });
    expect(changed.variants).toMatchObject([{ name: 'case 3, 50/50/0', settings: { mix: { updates: 50 } }, published: null }]);
  });

  test('estimates minutes when each operation is written alone', async () => {
    const { variants } = await replication.plan({ ...all, cases: [7], ops: 200_000, workers: [1, 8, 64], merge: false });
    const minutes = variants.reduce((total, { estimateMs }) => total + estimateMs, 0) / 60_000;
    expect(minutes).toBeGreaterThan(3);
    expect(minutes).toBeLessThan(6);
  });
});

describe('an impossible option is an error of one line', () => {
  const url = sharedMongoUrl();

  test.each([
    ['an unreachable source', ['--source', 'mongodb://127.0.0.1:1'], /^--source: no MongoDB was found within 300 ms/],
    ['an unreachable target', ['--source', url, '--target', 'mongodb://127.0.0.1:1'], /^--target: no MongoDB was found/],
    ['a source without an oplog', ['--source', `mongodb://127.0.0.1:${standalone.port}`], /is a standalone server/],
    ['a source that is the target', ['--source', url, '--target', url], /^the target .* is the source/],
    ['an unknown case', ['--cases', '14'], /"14" is not a case from 1 to 13/],
    ['an impossible mix', ['--mix', '60/30'], /"60\/30" is not a mix of inserts, updates and deletes that adds up to 100 %/],
    ['an unknown hash', ['--hash', 'name'], /"name" is not one of id, collection/],
  ])('%s', async (_, args, message) => {
    const { code, stdout, stderr } = await runCli(['run', 'replication', '--ops', '10', ...args],
      { env: { MONGO_SERVER_SELECTION_TIMEOUT_MS: '300' } });
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr.split('\n')[0]).toMatch(message);
  });
});
