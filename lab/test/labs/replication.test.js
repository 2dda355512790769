import { describe, expect, test } from '@jest/globals';
import { BSON, MongoClient, ObjectId } from 'mongodb';
import { cleanUp } from 'test-support/cleanup.js';
import { sharedMongoUrl } from 'test-support/mongod.js';
import { takePublished } from '../../harness/lab-options.js';
import { replication } from '../../labs/replication/replication-lab.js';
import { replicationView as view } from '../../labs/replication/replication-view.js';
import { renderFindingCards } from '../../report/finding-cards.js';
import { upgradeResult } from '../../report/saved-result.js';
import { renderTable } from '../../report/table.js';
import { createSampleResult } from '../report/sample-result.js';
import { CASES, ON_TWO_CORES, parseCases } from '../../labs/replication/cases.js';
import { readSettings } from '../../../src/settings.js';
import { measureLab, optionsOf } from '../support/measure-lab.js';
import { findDifferences } from '../../labs/replication/testbed.js';
import { fillSource, listCollections, makeDocument } from '../../labs/replication/fill-source.js';

/** Only the search for it ends soon. */
const NOWHERE = 'mongodb://127.0.0.1:1/?serverSelectionTimeoutMS=100';

describe('the lab', () => {
  describe('the plan', () => {
    const all = { cases: [1, 3, 9], ops: 1000, seconds: 10, merge: /** @type {const} */ ('all') };

    test('has each case with each number of workers, and published figures only for the published number', async () => {
      const { variants } = await replication.plan({ ...all, cases: [3], workers: [1, 8] });
      expect(variants.map(({ name, published }) => [name, published?.ratePerSec])).toEqual([
        ['case 3, 1 worker', undefined],
        ['case 3', 55_705],
      ]);
      expect(variants.map((/** @type {any} */ variant) => view.charts[1].category(variant))).toEqual([
        'case 3, 1 worker',
        'case 3: direct, 8 workers',
      ]);
    });

    test('applies hash, mode, merge and latency', async () => {
      const { variants } = await replication.plan({
        ...all,
        hash: 'collection',
        mode: 'mock',
        merge: 'none',
        latency: true,
      });
      expect(variants.map(({ name }) => name)).toEqual([
        'case 1, by collection, not merged',
        'case 3, by collection, mock, not merged',
        'case 9, mock, not merged',
        'single inserts',
      ]);
      expect(variants[1]).toMatchObject({
        settings: { hash: 'collection', mode: 'mock', merge: 'none' },
        published: null,
      });
    });

    test('estimates minutes when each operation is written alone', async () => {
      const { variants } = await replication.plan({
        ...all,
        cases: [7],
        ops: 200_000,
        workers: [1, 8, 64],
        merge: 'none',
      });
      const minutes = variants.reduce((total, { estimateMs }) => total + estimateMs, 0) / 60_000;
      expect(minutes).toBeGreaterThan(3);
      expect(minutes).toBeLessThan(6);
    });
  });

  test.each([
    ['an unreachable source', NOWHERE, undefined, /^--source: no MongoDB was found within 100 ms/],
    ['an unreachable target', sharedMongoUrl(), NOWHERE, /^--target: no MongoDB was found/],
    ['a source that is the target', sharedMongoUrl(), sharedMongoUrl(), /^the target .* is the source/],
  ])('%s is refused', async (_, source, target, problem) => {
    const settings = readSettings({}, 'no .env file');
    await expect(measureLab(replication, { cases: [3], source, target }, { settings })).rejects.toThrow(problem);
  });

  test.each([
    ['hash', 'name', '"name" is not one of id, collection'],
    ['merge', 'some', '"some" is not one of all, neighbours, none'],
  ])('--%s %s is refused', (name, text, problem) => {
    expect(() => replication.options[name].parse?.(text)).toThrow(problem);
  });

  /**
   * @param {Record<number, [number, number, number?]>} figures rate, operations per batch and CPU, by case
   * @param {Record<string, unknown>} [options]
   */
  async function resultOf(figures, options) {
    const cases = Object.keys(figures).map(Number);
    const { variants } = await replication.plan({ cases, ops: 1000, seconds: 10, merge: 'all', ...options });
    return createSampleResult({
      variants: variants.map(({ name, settings, published = null }) => {
        const [ratePerSec, opsPerBatch, cpuPercent] = figures[Number(settings.case)];
        return { name, settings, published, measured: { ratePerSec, opsPerBatch, cpuPercent } };
      }),
    });
  }

  test('findings are ratios of cases, beside the published ones and those of MongoShake on 2 cores', async () => {
    const findings = view.findings?.(await resultOf({ 3: [200_000, 90], 4: [100_000, 12] }));
    expect(findings).toEqual([
      {
        claim: 'case 4 / case 3: 64 workers instead of 8',
        measured: 0.5,
        published: 186_755 / 55_705,
        peer: { label: 'MongoShake on 2 cores', ratio: expect.any(Number) },
        reason: 'Here batches have 12 operations instead of 90.',
      },
    ]);
    // There, too, more workers were slower.
    expect(findings?.[0].peer?.ratio).toBeLessThan(0.5);
    expect(view.findings?.(await resultOf({ 3: [2, 1], 4: [1, 1] }, { workers: [16] }))).toEqual([]);
  });

  test('MongoShake on 2 cores is in the terminal and in the report, with its version', async () => {
    const result = await resultOf({ 3: [200_000, 90], 4: [100_000, 12] });
    const shown = renderTable({ name: 'replication', ...view }, result);
    expect(shown).toMatch(/^ +ops\/s here and of MongoShake *\n.* here +2 cores +published/m);
    expect(shown).toMatch(/^2 cores: MongoShake \d+\.\d+\.\d+ itself, built from source/m);
    expect(shown).toMatch(/^case 4 \/ case 3: .*\n {2}MongoShake on 2 cores: 0\.\d\d\n {2}Here batches have 12 /m);
    expect(String(renderFindingCards('id', view.findings?.(result) ?? []))).toMatch(
      /<span>published 3\.35<\/span>\s*<span>MongoShake on 2 cores 0\.\d\d<\/span>/,
    );
  });

  const NO_DECODING = 'Here it costs less to discard an operation, because no field is decoded.';

  // Published: 2 / 1 is 1.28, 3 / 1 is 0.13, 4 / 3 is 3.4, 5 / 3 is 8.2, 7 / 3 is 1.13 and 9 / 3 is 5.0.
  test.each([
    ['smaller entries that are slower', {}, { 1: [100, 9], 2: [65, 99] }, undefined],
    ['smaller entries that are faster', {}, { 1: [100, 9], 2: [101, 9] }, /^There smaller entries cost less to decode/],
    ['smaller entries, as fast as there', {}, { 1: [100, 9], 2: [130, 9] }, 'About the same.'],
    ['writing, far behind a fast case 1', {}, { 1: [1e6, 9], 3: [5e4, 90] }, NO_DECODING],
    ['writing, far behind a slow case 1', {}, { 1: [100, 9], 3: [5, 90] }, undefined],
    [
      'writing in large batches',
      {},
      { 1: [100, 9], 3: [50, 90] },
      'Here a write has 90 operations; there hardly any merged.',
    ],
    ['writing one by one', { merge: 'none' }, { 1: [100, 9], 3: [50, 1] }, undefined],
    [
      'workers whose batches stay',
      { merge: 'none' },
      { 3: [4, 1], 4: [3, 1] },
      'Here 2 cores run the 64 workers; there 64 do.',
    ],
    [
      'writing that fills a core',
      { merge: 'none' },
      { 1: [100, 1], 3: [1, 1, 96] },
      /^Here writing fills the replicator's/,
    ],
    [
      'workers where a core is full',
      { merge: 'none' },
      { 3: [4, 1, 95], 4: [3, 1, 99] },
      /^Here 8 workers already fill .* from 497 to 2,256 %\.$/,
    ],
    ['workers that are far better', {}, { 3: [1, 90], 4: [9, 12] }, undefined],
    [
      'merging that is there before',
      {},
      { 3: [9, 90], 5: [9, 100] },
      /^Here case 3 already has batches of 90 operations/,
    ],
    [
      'merging that helps more',
      { merge: 'neighbours' },
      { 3: [1, 1.25], 5: [20, 800] },
      'Here batches have 800 operations instead of 1.3.',
    ],
    [
      'nothing that merges',
      { merge: 'none' },
      { 3: [9, 1], 5: [9, 1] },
      'Here each write has one operation; there neighbours merged.',
    ],
    [
      'collections with smaller batches',
      {},
      { 3: [9, 90], 7: [2, 5.5] },
      'Here batches have 5.5 operations instead of 90.',
    ],
    ['collections, slower without a cause', {}, { 3: [9, 90], 7: [2, 90] }, undefined],
    [
      'a worker for each collection',
      { merge: 'neighbours' },
      { 3: [1, 1.2], 9: [2, 9] },
      'Here 2 cores run the 128 workers; there 64 do.',
    ],
  ])('a reason is given only if it fits: %s', async (_, options, figures, reason) => {
    const [finding] = view.findings?.(await resultOf(/** @type {any} */ (figures), options)) ?? [];
    expect(finding.reason).toEqual(reason instanceof RegExp ? expect.stringMatching(reason) : reason);
  });

  test('memory is beside the published one', async () => {
    const result = await resultOf({ 3: [9, 100], 10: [9, 99] });
    result.variants.forEach(({ measured }) => Object.assign(measured ?? {}, { peakRssMB: 140 }));
    expect(view.findings?.(result).at(-1)).toEqual({
      claim: 'case 10 / case 3: memory (here the peak, published the average)',
      measured: 1,
      published: 13.8 / 1.9,
      reason: expect.stringMatching(/^There 13\.8 GB for 8 shards.*; here 140 MB for 2,/),
    });
  });

  test('MongoShake on 2 cores stands beside a case only if the case is as published', async () => {
    const columns = view.columns.filter(({ group }) => group === 'ops/s here and of MongoShake');
    const rowsOf = async (/** @type {Record<string, unknown>} */ options) =>
      (await resultOf({ 3: [200_000, 90], 11: [9, 9] }, options)).variants.map((variant) =>
        columns.map(({ value }) => value(variant)),
      );
    expect(await rowsOf({})).toEqual([
      [200_000, ON_TWO_CORES.ratesPerSec[2], 55_705],
      [9, null, undefined],
    ]);
    expect((await rowsOf({ workers: [16] }))[0]).toEqual([200_000, null, undefined]);
  });

  test('the published settings have ten cases, the ceilings of the target, and the latency', async () => {
    const preset = takePublished(replication.options, optionsOf(replication), () => false);
    const { variants } = await replication.plan(/** @type {any} */ (preset));
    expect(variants.map(({ name }) => name).slice(9)).toEqual([
      'case 10',
      'target 8 x 1',
      'target 8 x 1000',
      'target 64 x 1',
      'target 64 x 1000',
      'single inserts',
    ]);
    expect(variants.slice(10).map(({ published }) => published?.ratePerSec ?? published?.latencyBelowMs)).toEqual([
      70_000, 540_000, 80_000, 610_000, 1000,
    ]);
  });

  test('the takeaway says where more workers did worst, and why', async () => {
    const result = await resultOf({ 3: [200_000, 90], 4: [100_000, 12], 5: [300_000, 200], 6: [290_000, 80] });
    expect(view.takeaway(result)).toBe(
      'With 5 collections, 8 workers replicated 200,000 operations per second, and 64 replicated 100,000 operations ' +
        'per second. More workers were slower, because batches had 12 operations instead of 90.',
    );
    expect(view.takeaway(await resultOf({ 3: [100, 9], 4: [200, 9] }))).toBe(
      'With 5 collections, 8 workers replicated 100 operations per second, and 64 replicated ' +
        '200 operations per second.',
    );
    expect(view.takeaway(await resultOf({ 1: [1e6, 9], 3: [200_000, 90] }))).toBe(
      'In case 1, 1,000,000 operations per second were replicated.',
    );
  });

  test('the takeaway says how long single inserts took', async () => {
    const result = await resultOf({ 3: [100, 9] });
    result.variants = [{ ...result.variants[0], measured: { latency: { p50Ms: 2, p95Ms: 4.26, maxMs: 11.2 } } }];
    expect(view.takeaway(result)).toBe(
      '95 of 100 single inserts were on the target within 4.3 ms, all within 11 ms (published: less than 1 s).',
    );
  });

  test('a result of version 0.1 has the same takeaway', async () => {
    const result = await resultOf({ 3: [200_000, 90], 4: [100_000, 12] });
    const old = {
      ...result,
      variants: result.variants.map(({ settings: { mode, merge, ...settings }, measured, ...variant }) => ({
        ...variant,
        settings: { ...settings, tunnel: mode, merge: merge === 'all' },
        measured: { ratePerSec: measured?.ratePerSec, opsPerWrite: measured?.opsPerBatch },
      })),
    };
    expect(view.takeaway(/** @type {any} */ (upgradeResult(old)))).toBe(view.takeaway(result));
    const [variant] = result.variants;
    const mixed = { ...variant, settings: { ...variant.settings, mix: { inserts: 60, updates: 30, deletes: 10 } } };
    const read = upgradeResult({ ...result, lab: 'replication', variants: [mixed, variant] });
    expect(read).toMatchObject({ variants: [variant], warnings: [expect.stringContaining('no longer measures')] });
  });

  test('the first ten cases are the published ones', () => {
    expect(
      CASES.slice(0, 10).map(({ number, mode, collections, fields, workers, hash, published }) => [
        number,
        mode,
        collections,
        fields,
        workers,
        hash,
        published?.ratePerSec,
      ]),
    ).toEqual([
      [1, 'mock', 5, 5, 8, 'id', 424_251],
      [2, 'mock', 5, 1, 8, 'id', 545_117],
      [3, 'direct', 5, 5, 8, 'id', 55_705],
      [4, 'direct', 5, 5, 64, 'id', 186_755],
      [5, 'direct', 1, 1, 8, 'id', 455_567],
      [6, 'direct', 1, 1, 64, 'id', 456_990],
      [7, 'direct', 128, 5, 8, 'id', 63_206],
      [8, 'direct', 128, 5, 64, 'id', 189_140],
      [9, 'direct', 128, 5, 128, 'collection', 279_633],
      [10, 'direct', 5, 5, 8, 'id', 61_184],
    ]);
  });

  test('cases are chosen by their numbers', () => {
    expect(parseCases('3')).toEqual([3]);
    expect(parseCases('9, 1..3,2')).toEqual([1, 2, 3, 9]);
    for (const text of ['0', '12', '1..12', '3..1', 'x', '', '1.5']) {
      expect(() => parseCases(text)).toThrow(`"${text}" is not a case from 1 to 11; several look like 1,3 or 1..11.`);
    }
  });
});

describe('the testbed', () => {
  const client = new MongoClient(sharedMongoUrl());
  cleanUp(() => client.close());
  const [one, other] = ['one', 'other'].map((name) => client.db(`pool_lab_differences_${name}`));
  for (const db of [one, other]) cleanUp(() => db.dropDatabase());
  const documents = [1, 2, 3].map((n) => ({ _id: new ObjectId(), n }));

  test('findDifferences finds a different field, a missing document and a missing collection', async () => {
    for (const db of [one, other]) {
      for (const name of ['a', 'b'])
        await db.collection(name).insertMany(documents.map((document) => ({ ...document })));
    }
    expect(await findDifferences(one, other)).toEqual([]);
    await other.collection('a').updateOne({ n: 1 }, { $set: { n: 9 } });
    expect(await findDifferences(one, other)).toEqual(['a']);
    await one.collection('b').deleteOne({});
    await other.createCollection('c');
    expect(await findDifferences(one, other)).toEqual(['a', 'b', 'c']);
  });

  /** @param {Omit<Parameters<typeof fillSource>[1], 'database'>} options */
  async function fill(options) {
    const { collections, fields } = options.shape;
    const database = `pool_lab_replication_${collections}x${fields}`;
    cleanUp(() => client.db(database).dropDatabase());
    const { from, until } = await fillSource(client, { database, ...options });
    return client
      .db('local')
      .collection('oplog.rs')
      .find({ ts: { $gt: from, $lte: until }, ns: new RegExp(`^${database}\\.`) })
      .sort({ $natural: 1 })
      .toArray();
  }

  test('the oplog has one insert for each document, and the collections take turns', async () => {
    const shape = { collections: 5, fields: 5 };
    const entries = await fill({ shape, ops: 23 });
    expect(entries.map(({ op }) => op).join('')).toBe('i'.repeat(23));
    expect(entries.map(({ ns }) => ns.split('.')[1]).slice(0, 6)).toEqual([...listCollections(shape), 'c_000']);
    expect(entries.map(({ o }) => o)).toEqual(Array.from({ length: 23 }, (_, index) => makeDocument(index, shape)));
  });

  test('entries are about as large as the published ones', async () => {
    for (const [number, published] of [
      [5, 180],
      [3, 220],
    ]) {
      const [entry] = await fill({ shape: CASES[number - 1], ops: 1 });
      expect(Math.abs(BSON.calculateObjectSize(entry) / published - 1)).toBeLessThan(0.03);
    }
  });

  test('two shards have each document once', async () => {
    const shape = { collections: 5, fields: 1 };
    const parts = [];
    for (const part of [0, 1]) parts.push(await fill({ shape, ops: 20, part, of: 2 }));
    expect(parts.map((entries) => entries.length)).toEqual([10, 10]);
    expect(parts.map((entries) => new Set(entries.map(({ ns }) => ns)).size)).toEqual([5, 5]);
    const ids = parts.flat().map(({ o }) => String(o._id));
    expect(ids.toSorted()).toEqual(Array.from({ length: 20 }, (_, index) => String(makeDocument(index, shape)._id)));
  });
});
