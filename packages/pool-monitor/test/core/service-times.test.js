import { expect, test } from '@jest/globals';
import { sampleServiceTimes } from '../../src/core/service-times.js';

let requests = 0;
let lastId = 0;

/**
 * @param {string | null} route
 * @param {number | null} checkedOutAtMs
 * @param {number | null} checkedInAtMs
 * @param {{ outcome?: string, requestId?: string | null, kind?: string | null }} [rest]
 */
const checkout = (
  route,
  checkedOutAtMs,
  checkedInAtMs,
  { outcome = 'checkedIn', requestId = `r${++requests}`, kind = null } = {},
) =>
  /** @type {import('../../src/core/checkout-log.js').CheckoutRecord} */ ({
    id: ++lastId,
    route,
    requestId,
    kind,
    outcome,
    checkedOutAtMs,
    checkedInAtMs,
  });

test.each([
  [
    'samples the last uses of each route; a checkout without route or connection, or of a stream, does not count',
    [
      checkout('/fast', 0, 2),
      checkout(null, 0, 50),
      checkout('/news', 0, 1000, { kind: 'changeStream' }),
      checkout('/slow', 0, 5000),
      checkout('/fast', null, null, { outcome: 'checkOutFailed' }),
      checkout('/fast', 10, 11.5),
    ],
    { '/fast': [1.5, 2], '/slow': [5000] },
  ],
  [
    'a request with a failed operation does not count, nor do its other queries',
    [
      checkout('/slow', 0, 1, { requestId: 'cut' }),
      checkout('/slow', 1, 2000, { requestId: 'cut', outcome: 'operationFailed' }),
      checkout('/fast', 0, 9, { outcome: 'operationFailed' }),
      checkout('/slow', 0, 5000),
    ],
    { '/slow': [5000] },
  ],
  [
    'the queries of one request add up',
    [checkout('/slow', 0, 1, { requestId: 'twice' }), checkout('/slow', 7, 5007, { requestId: 'twice' })],
    { '/slow': [5001] },
  ],
  [
    'checkouts outside of any request do not add up, nor does one that failed spoil the others',
    [
      checkout('background', 0, 1, { requestId: null }),
      checkout('background', 0, 9, { requestId: null, outcome: 'operationFailed' }),
      checkout('background', 7, 10, { requestId: null }),
    ],
    { background: [3, 1] },
  ],
])('%s', (_, checkouts, samples) => {
  const expected = Object.entries(samples).map(([route, valuesMs]) => [route, { kind: 'sample', valuesMs }]);
  expect(Object.entries(sampleServiceTimes(checkouts))).toEqual(expected);
});

test('samples at most a hundred per route, the newest', () => {
  const many = Array.from({ length: 150 }, (_, index) => checkout('/fast', 0, index));
  const { valuesMs } = sampleServiceTimes(many)['/fast'];
  expect(valuesMs).toHaveLength(100);
  expect(valuesMs[0]).toBe(149);
});
