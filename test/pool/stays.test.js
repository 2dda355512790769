import { expect, test } from '@jest/globals';
import { Stays } from '../../src/pool/stays.js';

const connection = /** @type {import('../../src/pool/connections.js').Connection} */ ({});

/** @param {[who: string, askedAtMs: number, gotAtMs: number, returnedAtMs: number][]} list @param {number} [most] */
function endAll(list, most = 3) {
  const stays = new Stays();
  return Object.fromEntries(list.map(([who, askedAtMs, gotAtMs, returnedAtMs]) => (
    [who, stays.end(connection, { who, askedAtMs, gotAtMs, returnedAtMs }, most)])));
}

/** @type {Parameters<typeof endAll>[0]} */
const QUEUE = [['a', 0, 0, 100], ['b', 10, 100, 130], ['c', 20, 130, 137], ['d', 95, 137, 140]];

test('who waited is told everybody who had the connection meanwhile, the longest first', () => {
  // Of a's 100 ms d saw the last 5, of b's 30 ms and c's 7 ms all.
  expect(endAll(QUEUE)).toEqual({ a: [], b: ['a'], c: ['a', 'b'], d: ['b', 'c', 'a'] });
});

test('no more of them than asked for', () => {
  expect(endAll(QUEUE, 2).d).toEqual(['b', 'c']);
});

test('nobody who had gone when the question came', () => {
  expect(endAll([['a', 0, 0, 100], ['b', 100, 100, 110], ['c', 105, 110, 111]])).toEqual({ a: [], b: [], c: ['b'] });
});

test('nobody is kept longer than those who came next waited for', () => {
  // The last one asked before all, and was overtaken; b waited for a alone, so what a had waited for is forgotten.
  expect(endAll([['x', 0, 0, 10], ['a', 5, 10, 20], ['b', 15, 20, 30], ['late', 2, 30, 31]]).late).toEqual(['b', 'a']);
});

test('nobody who had another connection', () => {
  const stays = new Stays();
  stays.end({ ...connection }, { who: 'a', askedAtMs: 0, gotAtMs: 0, returnedAtMs: 100 }, 3);
  expect(stays.end({ ...connection }, { who: 'b', askedAtMs: 10, gotAtMs: 50, returnedAtMs: 60 }, 3)).toEqual([]);
});
