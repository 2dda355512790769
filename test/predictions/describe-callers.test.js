import { expect, test } from '@jest/globals';
import { describeCallers, describeDoubt, describeWorse, pickWorse } from '../../src/predictions/describe-callers.js';

/** @import { Advice } from 'mongodb-pool-predictor' */

const OPEN = { callers: 0, callersShare: 0, visits: 0, visitsShare: 0, aloneShare: 1, thinkMs: NaN, isUnclear: false };
const CLOSED = { ...OPEN, callers: 32, callersShare: 0.97, aloneShare: 0.03, thinkMs: 2.1 };
const adviceOf = (/** @type {Partial<Advice>} */ part) => /** @type {Advice} */ ({ verdict: 'size', ...part });

test('says what share of a trace waits for answers', () => {
  expect(describeCallers(OPEN)).toBe('No query waits for the answer to another: all arrive at the times in the trace.');
  expect(describeCallers(CLOSED)).toBe('Of the trace, 97 % of the queries come from 32 callers that wait for their answers; 3 % arrive on '
    + 'their own. From an answer to the next query it takes 2.1 ms (median).');
  expect(describeCallers({ ...OPEN, visits: 1, visitsShare: 0.999, aloneShare: 0.001, thinkMs: 50 }))
    .toMatch(/^Of the trace, 99 % come in one chain, each query after the one before it; under 1 % arrive on their own\./);
});

test('where it can\'t tell, no sentence denies another', () => {
  expect(describeCallers({ ...OPEN, isUnclear: true })).toBe('First, all queries arrive at the times in the trace.');
  expect(describeDoubt({ ...CLOSED, isUnclear: true })).toMatch(/can't tell whether .* as above, or .* as below\. Of the trace, 97 %/);
});

test('of two pieces of advice the worse one counts', () => {
  const [small, large, none] = [adviceOf({ poolSize: 3 }), adviceOf({ poolSize: 9 }), adviceOf({ verdict: 'nothing', poolSize: null })];
  expect(pickWorse(small, large)).toBe(large);
  expect(pickWorse(large, small)).toBe(large);
  expect(pickWorse(none, large)).toBe(none);
  const unheard = adviceOf({ verdict: 'belowNoise', poolSize: null });
  expect(pickWorse(large, unheard)).toBe(unheard);
  expect(describeWorse(large, unheard)).toContain('The first gives 9, the second "below the noise"');
  expect(describeWorse(small, none)).toMatch(/The first gives 3, the second "no size": this advice is the worse of the two\.$/);
});
