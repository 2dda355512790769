import { describe, expect, test } from '@jest/globals';
import { BSON, BSONSymbol, Decimal128, Double, Int32, Long, MaxKey, ObjectId, Timestamp } from 'mongodb';
import { findId } from '../../src/bson/bytes.js';
import { hashKey, keyOfId } from '../../src/bson/id-key.js';
import { sharedMongoUrl } from 'test-support/mongod.js';
import { openClient } from '../connections.js';

/** @param {unknown} _id */
function keyOf(_id) {
  const bytes = Buffer.from(BSON.serialize({ before: 1, _id }));
  return keyOfId(bytes, findId(bytes, 0));
}

const decimal = (/** @type {string} */ text) => Decimal128.fromString(text);

const NUMBERS = [
  new Int32(1),
  new Double(1),
  Long.fromNumber(1),
  decimal('1'),
  decimal('1.000'),
  decimal('10E-1'),
  new Int32(0),
  new Double(0),
  new Double(-0),
  decimal('-0.0'),
  decimal('0E+10'),
  new Int32(100),
  decimal('1E2'),
  new Double(-2.5),
  decimal('-2.50'),
  new Double(0.1),
  decimal('0.1'),
  decimal('0.1000000000000000055511151231257827'),
  new Double(1e300),
  decimal('1E300'),
  Long.fromString('9007199254740993'),
  Long.fromString('9007199254740992'),
  new Double(2 ** 53),
  decimal('9007199254740993'),
  Long.fromString('1152921504606846976'),
  new Double(2 ** 60),
  decimal('1152921504606846976'),
  new Double(2 ** 100),
  Long.MAX_VALUE,
  new Double(2 ** 63),
  decimal('9223372036854775807'),
  decimal('9223372036854775808'),
  Long.MIN_VALUE,
  new Double(-(2 ** 63)),
  new Double(NaN),
  decimal('NaN'),
  new Double(Infinity),
  decimal('Infinity'),
  new Double(-Infinity),
  new Double(5e-324),
  new Double(1.5e-7),
  decimal('1.5E-7'),
];
const OTHERS = [
  '1',
  '{',
  '[',
  '-1',
  'NaN',
  'a',
  new BSONSymbol('a'),
  'e1',
  true,
  new MaxKey(),
  Buffer.from('a'),
  new Date(1),
  null,
  new Timestamp({ t: 0, i: 1 }),
  new ObjectId('000000000000000000000001'),
  {},
  { x: 1 },
  { x: new Double(1) },
  { x: '1' },
  { x: 1, y: 2 },
  { y: 2, x: 1 },
  { x: { y: 1 } },
  { x: { y: decimal('1.0') } },
  { x: [1] },
  { x: [Long.fromNumber(1)] },
  { x: new BSONSymbol('a') },
  { x: 'a' },
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
  const shown = (/** @type {unknown[]} */ pair) => pair.map((one) => BSON.EJSON.stringify({ one }, { relaxed: false }));
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
