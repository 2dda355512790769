import { expect, test } from '@jest/globals';
import { simulate } from '../../src/simulator/simulate.js';

const PAUSES = { route: '/a', serviceMs: 10, thinkMs: 5 };
const pool = { maxPoolSize: 1 };

/** @param {Omit<import('../../src/simulator/simulate.js').SimulationOptions, 'pool'>} options */
function startsOf(options) {
  return simulate({ pool, keepRequests: true, ...options }).records?.map(({ arrivedAtMs }) => arrivedAtMs);
}

test('a caller sends its requests one after another, each some time after the query before it', () => {
  expect(startsOf({ arrivals: [{ atMs: 3, requests: [PAUSES, PAUSES, { ...PAUSES, thinkMs: 0 }] }] })).toEqual([3, 18, 28]);
});

test('it begins again until a given time', () => {
  expect(startsOf({ arrivals: [{ atMs: 0, requests: [PAUSES], untilMs: 45 }] })).toEqual([0, 15, 30, 45]);
});

test('it can\'t go on before its answer, which comes after all queries of the request', () => {
  const overhead = /** @type {const} */ ({ kind: 'fixed', ms: 8 });
  expect(startsOf({ overhead, arrivals: [{ atMs: 0, requests: [PAUSES, { ...PAUSES, isMore: true }, PAUSES] }] })).toEqual([0, 15, 33]);
});
