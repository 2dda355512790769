import { expect, test } from '@jest/globals';
import { describeMeasured, describePrediction, explainDoubt } from 'mongodb-pool-page/page/prediction-words.js';

/** @import { WhatIf, WhatIfRoute } from 'mongodb-pool-predictor' */

/** @type {Record<string, WhatIfRoute>} */
const ROUTES = {
  '/fast': { count: 50, figure: 'p95Ms', measuredMs: 4200, predictedMs: [4240, 2] },
  '/slow': { count: 5, figure: 'maxMs', measuredMs: 9100, predictedMs: [9000, 5012] },
};
/** @param {string} text */
const plain = (text) => text.replaceAll('\u00a0', ' ');

test('a prediction names each figure, and what fails', () => {
  expect(plain(describePrediction(6, ROUTES, 1, 0))).toBe('With 6 connections: /fast p95 2 ms, /slow max 5.0 s.');
  expect(plain(describePrediction(1, ROUTES, 0, 3))).toBe(
    'With 1 connection: /fast p95 4.2 s, /slow max 9.0 s, 3 fail.',
  );
  expect(plain(describeMeasured(1, ROUTES))).toBe('Measured with 1 connection: /fast p95 4.2 s, /slow max 9.1 s.');
});

test('never separates a number from its unit', () => {
  expect(describeMeasured(1, ROUTES)).toContain('/fast\u00a0p95\u00a04.2\u00a0s');
});

test.each([
  [
    { doubt: 'notChecked', check: { status: 'notChecked', reason: 'nobodyWaited' } },
    /^No prediction: .* nobody waited/,
  ],
  [{ doubt: 'notChecked', check: { status: 'notChecked', reason: 'unknownSize' } }, /the pool has no limit/],
  [
    { doubt: 'checkFails', check: { reason: 'otherWaits', waits: { otherShare: 0.8 } } },
    /^No prediction: 80 % of the waiting was neither for/,
  ],
  [{ doubt: 'checkFails', check: { reason: 'figures' } }, /^No prediction: a replay .* does not explain its waits/],
  [{ doubt: 'unclear', check: {} }, /which requests wait for the answers to others/],
  [{ doubt: 'unknownServer', check: {} }, /^No figures far from 2 connections/],
  [{ doubt: null, check: { status: 'notChecked', reason: 'fewWaits' } }, /^Not checked: fewer than 20 queries waited/],
  [{ doubt: null, check: { status: 'holds' } }, /^$/],
])('why there are no figures is one sentence: %j', (facts, words) => {
  const whatIf = /** @type {WhatIf} */ (/** @type {unknown} */ ({ recordedSize: 2, poolSizes: [], ...facts }));
  expect(explainDoubt(whatIf)).toMatch(words);
});
