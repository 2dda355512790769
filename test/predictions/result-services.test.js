import { expect, test } from '@jest/globals';
import { servicesOfResult } from '../../src/predictions/result-services.js';
import { createSampleResult } from '../report/sample-result.js';

test('/slow is the setting, /fast the median at the largest pool', () => {
  expect(servicesOfResult(createSampleResult())).toEqual({
    '/slow': { kind: 'fixed', ms: 5000 }, '/fast': { kind: 'fixed', ms: 3.1 },
  });
});

test('/fast is preferably the service time before the load', () => {
  const result = createSampleResult();
  Object.assign(result.variants[2].measured ?? {}, { unloaded: { serviceMs: 1.7, overheadMs: 2 } });
  expect(servicesOfResult(result)['/fast']).toEqual({ kind: 'fixed', ms: 1.7 });
});

test('without a measurement /fast has none', () => {
  const { variants: [variant] } = createSampleResult();
  const variants = [{ ...variant, measured: null }];
  expect(servicesOfResult(createSampleResult({ variants }))).toEqual({ '/slow': { kind: 'fixed', ms: 5000 } });
});

test('missing figures give no service times', () => {
  expect(servicesOfResult({ lab: 'mixed', variants: [{ settings: {}, measured: {} }] })).toEqual({});
});

test.each([[null], [[]], [{ lab: 'sessions', variants: [] }]])('%j is refused', (result) => {
  expect(() => servicesOfResult(result)).toThrow('it is not a result of pool-lab run mixed');
});
