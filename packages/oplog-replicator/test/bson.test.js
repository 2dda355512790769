import { beforeAll, describe, expect, test } from '@jest/globals';
import { BSON, BSONSymbol, Decimal128, Double, Int32, Long, MaxKey, ObjectId, Timestamp } from 'mongodb';
import { sharedMongoUrl } from 'test-support/mongod.js';
import { createRandom } from 'test-support/random.js';
import { changeDocument } from '../src/target/merge-operations.js';
import { APPLY_DIFF } from '../src/target/statements.js';
import { openClient } from './connections.js';
import { findId } from '../src/bson/bytes.js';
import { hashKey, keyOfId } from '../src/bson/id-key.js';

describe('diffs', () => {
  const UPDATES = 100;
  /** Before the document in `{ o: {} }`: length, type, name. */
  const O_BYTES = 4 + 1 + 'o\0'.length;

  describe('the diffs of real updates', () => {
    /** @type {{ change: Buffer, after: Buffer }[]} to one document, in order */
    let updates;
    const isDiff = (/** @type {Buffer} */ change) => BSON.deserialize(change).diff !== undefined;
    /** @type {Buffer} */
    let first;
    /** @type {import('mongodb').Collection<any>} */
    let copy;
    beforeAll(async () => {
      const client = openClient(sharedMongoUrl());
      const collection = client.db('apply_diff').collection('documents');
      await collection.drop();
      copy = client.db('apply_diff').collection('copy');
      ({ first, updates } = await updateAtRandom(client, collection));
    });

    test('change a document as the server did, byte for byte', () => {
      expect(updates.filter(({ change }) => isDiff(change)).length).toBeGreaterThan(UPDATES / 2);
      let document = first;
      for (const { change, after } of updates) {
        document = /** @type {Buffer} */ (changeDocument(document, change));
        expect(format(document)).toEqual(format(after));
        expect(document.equals(after)).toBe(true);
      }
    });

    test('have the same result when repeated from any point on a newer document', () => {
      const [last] = updates.slice(-1);
      for (let begin = 0; begin < updates.length; begin += 13) {
        for (let ahead = begin; ahead < updates.length; ahead += 17) {
          const again = updates
            .slice(begin)
            .reduce(
              (document, { change }) => /** @type {Buffer} */ (changeDocument(document, change)),
              updates[ahead].after,
            );
          expect(format(again)).toEqual(format(last.after));
          expect(again.equals(last.after)).toBe(true);
        }
      }
    });

    // The server may drop or change this stage: nothing documents it.
    test('have the same result when the server applies them, also to a newer document', async () => {
      for (let begin = 0; begin < updates.length; begin += 7) {
        const { change } = updates[begin];
        if (!isDiff(change)) continue;
        for (const { after } of [updates[Math.max(0, begin - 1)], updates[Math.min(updates.length - 1, begin + 40)]]) {
          await copy.deleteMany({});
          await copy.insertOne(BSON.deserialize(after, { promoteValues: false }));
          const before = await readRaw(copy);
          const oplogUpdate = BSON.deserialize(change, { promoteValues: false });
          await copy.updateOne({}, [{ [APPLY_DIFF]: { oplogUpdate } }]);
          expect(format(await readRaw(copy))).toEqual(format(/** @type {Buffer} */ (changeDocument(before, change))));
        }
      }
    });
  });

  test('a diff does not create a missing document, a replacement does', () => {
    const replacement = Buffer.from(BSON.serialize({ _id: 1, x: 1 }));
    expect(changeDocument(undefined, Buffer.from(BSON.serialize({ $v: 2, diff: { u: { x: 1 } } })))).toBe(undefined);
    expect(changeDocument(undefined, replacement)).toBe(replacement);
  });

  test('a diff of an unknown format is an error, not a guess', () => {
    const document = Buffer.from(BSON.serialize({ _id: 1, x: 1 }));
    const change = Buffer.from(BSON.serialize({ $v: 2, diff: { b: { x: 1 } } }));
    expect(() => changeDocument(document, change)).toThrow('in an unknown format: "b"');
  });

  /** @param {import('mongodb').MongoClient} client @param {import('mongodb').Collection} collection */
  async function updateAtRandom(client, collection) {
    const { uniform } = createRandom(1);
    const pick = (/** @type {any[]} */ list) => list[Math.floor(uniform() * list.length)];
    const path = () =>
      pick(['a', 'b', 'a.x', 'a.y.z', 'a.list', 'list', 'list.0', 'list.3', 'list.1.x', 'ü', '7', 'a.7']);
    const value = () =>
      pick([1, 2.5, 'text', null, { x: 1, 1: 2 }, [1, { x: 2 }, 3], [], {}, { y: { z: [1] }, list: [1, 2] }]);
    const update = () =>
      pick([
        { $set: { [path()]: value() } },
        { $set: { [path()]: value(), c: value(), d: value() } },
        { $unset: { [path()]: '' } },
        { $push: { list: { $each: [value(), value()], $slice: pick([-3, 5]) } } },
        { $push: { 'a.list': { $each: [value()], $position: 0 } } },
        { $pop: { list: 1 } },
        { $rename: { b: 'c' } },
        [{ $set: { q: value(), b: value(), 'a.x': value() } }],
        [{ $unset: ['a.x', 'c'] }, { $set: { p: value(), c: value() } }],
        [
          {
            $replaceWith: { $setField: { field: { $literal: pick(['a.b', '$c']) }, input: '$$ROOT', value: value() } },
          },
        ],
      ]);
    await collection.insertOne({
      a: { x: 1 },
      list: [1, 2],
      padding: 'makes a diff shorter than the document'.repeat(20),
    });
    const states = [await readRaw(collection)];
    const { operationTime: from } = await client.db('admin').command({ ping: 1 });
    while (states.length <= UPDATES) {
      // Not every update fits every document.
      const result = await collection.updateOne({}, update()).catch(() => null);
      if (result?.modifiedCount) states.push(await readRaw(collection));
    }
    const entries = await client
      .db('local')
      .collection('oplog.rs')
      .find({ ts: { $gt: from }, op: 'u', ns: collection.namespace }, { projection: { o: 1 }, raw: true })
      .toArray();
    const changes = entries.map((/** @type {any} */ entry) => entry.subarray(O_BYTES, -1));
    return {
      first: states[0],
      updates: changes.map((change, index) => ({ change: Buffer.from(change), after: states[index + 1] })),
    };
  }

  /** @param {import('mongodb').Collection} collection @returns {Promise<Buffer>} its only document */
  async function readRaw(collection) {
    return Buffer.from(/** @type {any} */ (await collection.findOne({}, { raw: true, promoteBuffers: true })));
  }

  /** @param {Buffer} document */
  function format(document) {
    return BSON.EJSON.stringify(BSON.deserialize(document, { promoteValues: false }));
  }
});

describe('the key of an _id', () => {
  /** @param {unknown} _id */
  function keyOf(_id) {
    const bytes = Buffer.from(BSON.serialize({ before: 1, _id }));
    return keyOfId(bytes, findId(bytes, 0));
  }

  const DECIMALS =
    '1 1.000 10E-1 -0.0 0E+10 1E2 -2.50 0.1 0.1000000000000000055511151231257827 1E300 9007199254740993 ' +
    '1152921504606846976 9223372036854775807 9223372036854775808 NaN Infinity 1.5E-7';
  const LONGS = '1 9007199254740993 9007199254740992 1152921504606846976 9223372036854775807 -9223372036854775808';
  const DOUBLES = [1, 0, -0, -2.5, 0.1, 1e300, NaN, Infinity, -Infinity, 5e-324, 1.5e-7];
  const POWERS = [2 ** 53, 2 ** 60, 2 ** 63, -(2 ** 63), 2 ** 100];
  const NUMBERS = [
    ...[0, 1, 100].map((value) => new Int32(value)),
    ...[...DOUBLES, ...POWERS].map((value) => new Double(value)),
    ...LONGS.split(' ').map((text) => Long.fromString(text)),
    ...DECIMALS.split(' ').map((text) => Decimal128.fromString(text)),
  ];
  const ONE = new ObjectId('000000000000000000000001');
  const OTHERS = [
    ...['1', '{', '[', '-1', 'NaN', 'a', 'e1', true, null],
    ...[new BSONSymbol('a'), new MaxKey(), Buffer.from('a'), new Date(1), new Timestamp({ t: 0, i: 1 }), ONE],
    ...[{}, { x: 1 }, { x: new Double(1) }, { x: '1' }, { x: 1, y: 2 }, { y: 2, x: 1 }],
    ...[{ x: { y: 1 } }, { x: { y: Decimal128.fromString('1.0') } }, { x: [1] }, { x: [Long.fromNumber(1)] }],
    ...[{ x: new BSONSymbol('a') }, { x: 'a' }],
  ];

  test('two values have the same key if the server considers them equal, and only then', async () => {
    const client = openClient(sharedMongoUrl());
    const values = [...NUMBERS, ...OTHERS];
    const pairs = values.flatMap((one, index) => values.slice(index + 1).map((other) => [one, other]));
    const rows = await client
      .db('id_key')
      .aggregate([
        { $documents: pairs.map(([one, other]) => ({ one, other })) },
        { $project: { isEqual: { $eq: ['$one', '$other'] } } },
      ])
      .toArray();
    const shown = (/** @type {unknown[]} */ pair) =>
      pair.map((one) => BSON.EJSON.stringify({ one }, { relaxed: false }));
    const [expected, found] = [
      pairs.filter((_, index) => rows[index].isEqual),
      pairs.filter(([one, other]) => keyOf(one) === keyOf(other)),
    ].map((equal) => equal.map(shown));
    expect(found).toEqual(expected);
    expect(found.length).toBeGreaterThan(20);
  });

  describe('keys spread evenly over workers', () => {
    const count = 8000;
    test.each([
      ['ObjectIds of one process', () => new ObjectId()],
      ['counted numbers', (/** @type {number} */ n) => n],
      ['counted doubles', (/** @type {number} */ n) => new Double(n / 4)],
      ['names', (/** @type {number} */ n) => `user-${n}`],
      ['documents', (/** @type {number} */ n) => ({ tenant: n % 10, n })],
      ['dates', (/** @type {number} */ n) => new Date(n * 60_000)],
      ['timestamps', (/** @type {number} */ n) => new Timestamp({ t: n, i: 1 })],
    ])('%s', (_, makeId) => {
      const shares = new Array(8).fill(0);
      for (let n = 0; n < count; n++) shares[hashKey(keyOf(makeId(n))) % shares.length]++;
      // Five standard deviations of a binomial distribution around an eighth each.
      const deviation = Math.sqrt((((count * 1) / 8) * 7) / 8);
      for (const share of shares) expect(Math.abs(share - count / 8)).toBeLessThan(5 * deviation);
    });
  });
});
