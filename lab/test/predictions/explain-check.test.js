import { expect, test } from '@jest/globals';
import { explainTrust, explainWithheld } from '../../predictions/explain-check.js';

/** @import { Trust, TraceCheck } from 'mongodb-pool-predictor' */

/** @param {Partial<TraceCheck>} check @param {Partial<Trust>} [changes] @returns {Trust} */
const trustOf = (check, changes) => ({
  recordedSize: 8,
  isUnclear: false,
  withheld: null,
  isWithheld: () => false,
  isPlain: false,
  whyUnsure: () => null,
  widenBy: () => 0,
  ...changes,
  check: {
    ...{ of: 'waits', status: 'holds', reason: null, poolSize: 8, figures: [], rateRatio: 1, useRatios: {} },
    waits: { count: 100, otherShare: 0.8, openings: 50 },
    ...check,
  },
});

test.each([
  [trustOf({}), /^Trust: yes near the recorded 8, because the pool explains its waits/],
  [trustOf({ of: 'trace' }), /^Trust: yes, because it predicts the other recording/],
  [trustOf({ status: 'notChecked', reason: 'nobodyWaited' }), /^Trust: medians yes; tails no, because nobody waited/],
  [trustOf({ status: 'notChecked', reason: 'nobodyWaited' }, { isPlain: true }), /^Trust: yes, although nobody waited/],
  [trustOf({ status: 'fails' }), /^Trust: none, because the check fails\.$/],
  [trustOf({}, { isUnclear: true }), /^Trust: where both readings agree/],
])('the trust is one sentence: %#', (trust, words) => {
  expect(explainTrust(trust)).toMatch(words);
});

test('withheld figures come with the reason', () => {
  const failed = trustOf({ status: 'fails', reason: 'otherWaits' }, { withheld: 'checkFails' });
  expect(explainWithheld(failed, [1, 4])).toMatch(/^No figures for 1, 4\. The check fails: 80 % .* would show/);
  const unknown = trustOf({}, { withheld: 'unknownServer' });
  expect(explainWithheld(unknown, [1])).toContain("can't tell whether queries slow each other");
});
