import { describe, expect, test } from '@jest/globals';
import {
  allenCunneenWaitMs, erlangB, erlangC, erlangWaitMs, offeredLoad, mixStreams,
} from '../src/closed-forms.js';

describe('closed forms', () => {
  test('Erlang B and C of one server match simple algebra', () => {
    expect(erlangB(1, 0.5)).toBeCloseTo(0.5 / 1.5, 12);
    expect(erlangC(1, 0.5)).toBeCloseTo(0.5, 12);
    expect(erlangWaitMs(1, { ratePerSec: 50, meanMs: 10 })).toBeCloseTo(10, 9);
  });

  test('Erlang B and C of several servers match the sums in textbooks', () => {
    /** @param {number} n @returns {number} */
    const factorial = (n) => (n <= 1 ? 1 : n * factorial(n - 1));
    for (const [servers, load] of [[2, 1.5], [5, 3], [10, 8.2]]) {
      const terms = Array.from({ length: servers + 1 }, (_, n) => load ** n / factorial(n));
      const sum = terms.reduce((total, term) => total + term);
      const queued = (terms[servers] * servers) / (servers - load);
      expect(erlangB(servers, load)).toBeCloseTo(terms[servers] / sum, 12);
      expect(erlangC(servers, load)).toBeCloseTo(queued / (sum - terms[servers] + queued), 12);
    }
  });

  test('with too few servers all wait forever', () => {
    expect(erlangC(2, 2)).toBe(1);
    expect(erlangWaitMs(2, { ratePerSec: 3, meanMs: 1000 })).toBe(Infinity);
  });

  test('10 a second of 5 ms with 1 a second of 5 s, six connections: the formulas give 0.3 and 1.6 s', () => {
    const mix = mixStreams([{ ratePerSec: 10, meanMs: 5, scv: 0 }, { ratePerSec: 1, meanMs: 5000, scv: 0 }]);
    expect(offeredLoad(mix)).toBeCloseTo(5.05, 9);
    expect(mix.scv).toBeCloseTo(9.8, 1);
    expect(Math.abs(erlangWaitMs(6, mix) - 293)).toBeLessThan(2);
    expect(Math.abs(allenCunneenWaitMs(6, mix) - 1578)).toBeLessThan(10);
  });

  test('with exponential service times Allen-Cunneen equals Erlang C', () => {
    const stream = { ratePerSec: 30, meanMs: 100 };
    expect(allenCunneenWaitMs(4, stream)).toBe(erlangWaitMs(4, stream));
    expect(allenCunneenWaitMs(4, { ...stream, scv: 0 }, 0)).toBe(0);
  });
});
