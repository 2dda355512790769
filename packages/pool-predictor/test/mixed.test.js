import { describe, expect, test } from '@jest/globals';
import { readWorkload } from '../src/scenario/workload.js';
import { simulate } from '../src/simulator/simulate.js';

const MIXED = `
config:
  target: 'http://127.0.0.1:3000'
  phases: [{ duration: 5, arrivalCount: 5 }]
  http: { timeout: 120 }
scenarios:
  - flow:
      - get: { url: '/slow' }
      - get: { url: '/fast' }
`;

describe('five users one second apart, each /slow for 5 s and then /fast', () => {
  const workload = readWorkload(MIXED);

  test.each([
    [1, 21], [2, 11], [3, 7], [4, 6], [5, 5], [10, 5],
  ])('pool %i: the slowest takes %i s', (size, seconds) => {
    const predict = (/** @type {number} */ fastMs) => simulate({
      workload,
      pool: { maxPoolSize: size },
      services: { '/slow': { kind: 'fixed', ms: 5000 }, '/fast': { kind: 'fixed', ms: fastMs } },
    });
    expect(predict(0)).toMatchObject({ requests: 10, failures: 0, maxMs: seconds * 1000 });
    expect(Math.abs(predict(2).maxMs - seconds * 1000)).toBeLessThan(100);
  });
});
