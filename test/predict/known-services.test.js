import { describe, expect, test } from '@jest/globals';
import { servicesOfApp, servicesOfResult } from '../../src/predict/known-services.js';
import { createSampleResult } from '../report/sample-result.js';

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

  test.each([[null], [[]], [{ lab: 'sessions', variants: [] }]])('%j is refused', (result) => {
    expect(() => servicesOfResult(result)).toThrow('it is not a result of pool-lab run mixed');
  });
});
