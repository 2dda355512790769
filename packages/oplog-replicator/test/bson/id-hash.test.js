import { describe, expect, test } from '@jest/globals';
import { BSON, BSONSymbol, Decimal128, Double, Int32, Long, MaxKey, ObjectId, Timestamp } from 'mongodb';
import { findId } from '../../src/bson/bytes.js';
import { hashId } from '../../src/bson/id-hash.js';

/** @param {unknown} _id */
function hash(_id) {
  const bytes = Buffer.from(BSON.serialize({ before: 1, _id }));
  return hashId(bytes, findId(bytes, 0));
}

test.each([
  ['1', [new Int32(1), new Double(1), Long.fromNumber(1), Decimal128.fromString('1'), Decimal128.fromString('1.000')]],
  ['0', [new Int32(0), new Double(0), new Double(-0), Decimal128.fromString('-0.0')]],
  ['a large number', [Long.fromString('1152921504606846976'), new Double(2 ** 60), Decimal128.fromString('1152921504606846976')]],
  ['NaN', [new Double(NaN), Decimal128.fromString('NaN')]],
  ['a text', ['a', new BSONSymbol('a')]],
  ['a document', [{ x: new Int32(1), y: ['a'] }, { x: new Double(1), y: [new BSONSymbol('a')] }]],
])('%s has one hash, whatever its type', (_, ids) => {
  expect(new Set(ids.map(hash)).size).toBe(1);
});

describe('spreads evenly over workers', () => {
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
    for (let n = 0; n < count; n++) shares[hash(makeId(n)) % shares.length]++;
    // Five standard deviations of a binomial distribution around an eighth each.
    const deviation = Math.sqrt(count * 1 / 8 * 7 / 8);
    for (const share of shares) expect(Math.abs(share - count / 8)).toBeLessThan(5 * deviation);
  });
});

test('other types have a hash too', () => {
  for (const _id of [true, new MaxKey(), Buffer.from('bytes'), {}]) expect(hash(_id)).toBe(hash(_id));
});
