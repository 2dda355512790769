import { describe, expect, test } from '@jest/globals';
import { servicesOfApp, servicesOfResult } from '../../src/service/known-services.js';
import { createSampleResult } from '../../../../test/report/sample-result.js';

describe('of a running app', () => {
  test('slowMs is the slow query\'s', () => {
    expect(servicesOfApp({ slowMs: 700 })).toEqual({ '/slow': { kind: 'fixed', ms: 700 } });
  });

  test('services are taken as they are, before slowMs', () => {
    const services = { '/slow': { kind: 'fixed', ms: 702 }, '/fast': { kind: 'lognormal', medianMs: 2, sigma: 0.3 } };
    expect(servicesOfApp({ slowMs: 700, services })).toEqual(services);
  });

  test.each([
    [{}, /neither services nor slowMs/], [null, /neither/],
    [{ services: { '/fast': { kind: 'quick' } } }, /\/fast: Unknown kind/], [{ services: { '/fast': 3 } }, /\/fast: Unknown/],
    [{ services: { '/fast': { kind: { toString: 1 } } } }, /\/fast: Unknown kind of service time {"toString":1}/],
    [{ services: { '/fast': { kind: 'fixed' } } }, /\/fast: its mean must be/],
    [{ services: { '/fast': { kind: 'fixed', ms: 1e12 } } }, /\/fast: its numbers must be from 0 to 365 days/],
    [{ services: { '/fast': { kind: 'lognormal', medianMs: 1, sigma: 100 } } }, /\/fast: its mean/],
    [{ services: { '/fast': { kind: 'sample', valuesMs: { length: 1e9 } } } }, /\/fast: its numbers/],
    [{ services: { '/fast': { kind: 'sample', valuesMs: [] } } }, /\/fast: its mean/],
    [{ slowMs: -1 }, /\/slow: its numbers/],
  ])('%j is refused', (pool, message) => {
    expect(() => servicesOfApp(pool)).toThrow(message);
  });
});

describe('of an earlier run', () => {
  test('/slow is what was asked for, /fast what it took where it waited least', () => {
    expect(servicesOfResult(createSampleResult())).toEqual({
      '/slow': { kind: 'fixed', ms: 5000 }, '/fast': { kind: 'fixed', ms: 3.1 },
    });
  });

  test('/fast is rather what it took before the load', () => {
    const result = createSampleResult();
    Object.assign(result.variants[2].measured ?? {}, { unloaded: { serviceMs: 1.7, overheadMs: 2 } });
    expect(servicesOfResult(result)['/fast']).toEqual({ kind: 'fixed', ms: 1.7 });
  });

  test('without a measurement there is none for /fast', () => {
    const { variants: [variant] } = createSampleResult();
    const variants = [{ ...variant, measured: null }];
    expect(servicesOfResult(createSampleResult({ variants }))).toEqual({ '/slow': { kind: 'fixed', ms: 5000 } });
  });

  test('figures that are not there are none', () => {
    expect(servicesOfResult({ lab: 'mixed', variants: [{ settings: {}, measured: {} }] })).toEqual({});
  });

  test.each([[null], [[]], [{ lab: 'sessions', variants: [] }]])('%j is refused', (result) => {
    expect(() => servicesOfResult(result)).toThrow('it is not a result of pool-lab run mixed');
  });
});
