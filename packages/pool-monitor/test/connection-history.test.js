import { expect, test } from '@jest/globals';
import { ConnectionHistory } from '../src/connection-history.js';

const connection = /** @type {import('../src/connections.js').Connection} */ ({});

/** @param {[who: string, checkOutStartedAtMs: number, checkedOutAtMs: number, checkedInAtMs: number][]} list @param {number} [most] */
function endAll(list, most = 3) {
  const history = new ConnectionHistory();
  return Object.fromEntries(list.map(([who, checkOutStartedAtMs, checkedOutAtMs, checkedInAtMs]) => (
    [who, history.end(connection, { who, checkOutStartedAtMs, checkedOutAtMs, checkedInAtMs }, most)])));
}

/** @type {Parameters<typeof endAll>[0]} */
const QUEUE = [['a', 0, 0, 100], ['b', 10, 100, 130], ['c', 20, 130, 137], ['d', 95, 137, 140]];

test('lists everyone who had the connection during the wait, the longest first', () => {
  // Of a's 100 ms d saw the last 5, of b's 30 ms and c's 7 ms all.
  expect(endAll(QUEUE)).toEqual({ a: [], b: ['a'], c: ['a', 'b'], d: ['b', 'c', 'a'] });
});

test('lists at most maxHolders', () => {
  expect(endAll(QUEUE, 2).d).toEqual(['b', 'c']);
});

test('leaves out whoever checked in before the wait began', () => {
  expect(endAll([['a', 0, 0, 100], ['b', 100, 100, 110], ['c', 105, 110, 111]])).toEqual({ a: [], b: [], c: ['b'] });
});

test('forgets what the next caller did not wait for', () => {
  // The last one started first and was overtaken. b waited only for a, so what a had waited for is forgotten.
  expect(endAll([['x', 0, 0, 10], ['a', 5, 10, 20], ['b', 15, 20, 30], ['late', 2, 30, 31]]).late).toEqual(['b', 'a']);
});

test('leaves out whoever had another connection', () => {
  const history = new ConnectionHistory();
  history.end({ ...connection }, { who: 'a', checkOutStartedAtMs: 0, checkedOutAtMs: 0, checkedInAtMs: 100 }, 3);
  expect(history.end({ ...connection }, { who: 'b', checkOutStartedAtMs: 10, checkedOutAtMs: 50, checkedInAtMs: 60 }, 3)).toEqual([]);
});
