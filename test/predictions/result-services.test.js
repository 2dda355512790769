import { expect, test } from '@jest/globals';
import { servicesOfResult } from '../../src/predictions/result-services.js';
import { createSampleResult } from '../report/sample-result.js';

test('the samples before the load are service times and overhead, those of all variants and repeats together', () => {
  const result = createSampleResult();
  for (const [index, variant] of result.variants.entries()) {
    Object.assign(variant, { repeats: [{ measured: {}, samples: { servicesMs: [index + 1], overheadsMs: [index + 2] } }] });
  }
  const { services, overhead } = servicesOfResult(result);
  const servicesMs = result.variants.map((_, index) => index + 1);
  expect(services).toEqual({
    '/fast': { kind: 'sample', valuesMs: servicesMs }, '/slow': { kind: 'sample', valuesMs: servicesMs.map((ms) => 5000 + ms) },
  });
  expect(overhead).toEqual({ kind: 'sample', valuesMs: servicesMs.map((ms) => ms + 1) });
});

test('without samples, as in older results: /slow is the setting, /fast the median at the largest pool', () => {
  expect(servicesOfResult(createSampleResult())).toEqual({
    services: { '/slow': { kind: 'fixed', ms: 5000 }, '/fast': { kind: 'fixed', ms: 3.1 } },
  });
});

test('without samples, /fast is preferably the service time before the load', () => {
  const result = createSampleResult();
  Object.assign(result.variants[2].measured ?? {}, { unloaded: { serviceMs: 1.7, overheadMs: 2 } });
  expect(servicesOfResult(result).services['/fast']).toEqual({ kind: 'fixed', ms: 1.7 });
});

test('without a measurement /fast has none', () => {
  const { variants: [variant] } = createSampleResult();
  const variants = [{ ...variant, measured: null, repeats: undefined }];
  expect(servicesOfResult(createSampleResult({ variants }))).toEqual({ services: { '/slow': { kind: 'fixed', ms: 5000 } } });
});

test('missing figures give no service times', () => {
  expect(servicesOfResult({ lab: 'mixed', variants: [{ settings: {}, measured: {} }] })).toEqual({ services: {} });
});

test.each([[null], [[]], [{ lab: 'sessions', variants: [] }]])('%j is refused', (result) => {
  expect(() => servicesOfResult(result)).toThrow('it is not a result of pool-lab run mixed');
});
