import { expect, test } from '@jest/globals';
import { RequestName } from '../../src/core/checkout-name.js';
import { endUse } from '../../src/core/connections.js';
import { listHolders } from '../../src/core/holders.js';

/** @import { Connection } from '../../src/core/connections.js' */
/** @typedef {[who: string, checkOutStartedAtMs: number, checkedOutAtMs: number, checkedInAtMs: number]} Use */

const openConnection = () => /** @type {Connection} */ ({ lastUse: null });

/** @param {Connection} connection @param {Use} use */
function end(connection, [who, checkOutStartedAtMs, checkedOutAtMs, checkedInAtMs]) {
  const times = { checkOutStartedAtMs, checkedOutAtMs, checkedInAtMs };
  const checkout = { name: new RequestName(1, null, who), ...times, previous: null };
  return listHolders(endUse(connection, /** @type {any} */ (checkout)).items).map(({ requestId }) => requestId);
}

/** @param {Use[]} list */
function endAll(list) {
  const connection = openConnection();
  return Object.fromEntries(list.map((use) => [use[0], end(connection, use)]));
}

/** @type {Use[]} */
const QUEUE = [
  ['a', 0, 0, 100],
  ['b', 10, 100, 130],
  ['c', 20, 130, 137],
  ['d', 95, 137, 140],
];

test('lists everyone who had the connection during the wait, the longest first', () => {
  // Of a's 100 ms d saw the last 5, of b's 30 ms and c's 7 ms all.
  expect(endAll(QUEUE)).toEqual({ a: [], b: ['a'], c: ['a', 'b'], d: ['b', 'c', 'a'] });
});

test('lists at most three', () => {
  expect(endAll([...QUEUE, ['e', 40, 140, 150]]).e).toEqual(['a', 'b', 'c']);
});

test('leaves out whoever checked in before the wait began', () => {
  expect(endAll([QUEUE[0], ['b', 100, 100, 110], ['c', 105, 110, 111]])).toEqual({ a: [], b: [], c: ['b'] });
});

test('forgets what the next caller did not wait for', () => {
  // The last one started first and was overtaken. b waited only for a, so what a had waited for is forgotten.
  expect(
    endAll([
      ['x', 0, 0, 10],
      ['a', 5, 10, 20],
      ['b', 15, 20, 30],
      ['late', 2, 30, 31],
    ]).late,
  ).toEqual(['b', 'a']);
});

test('leaves out whoever had another connection', () => {
  end(openConnection(), ['a', 0, 0, 100]);
  expect(end(openConnection(), ['b', 10, 50, 60])).toEqual([]);
});
