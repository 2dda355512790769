import { expect, test } from '@jest/globals';
import { overheadOfApp, servicesOfApp } from '../../src/service/app-services.js';

test('slowMs is the service time of /slow', () => {
  expect(servicesOfApp({ slowMs: 700 })).toEqual({ '/slow': { kind: 'fixed', ms: 700 } });
});

test('a route may make no query, or several', () => {
  const services = { '/livez': { kind: 'none' }, '/orders': { kind: 'sample', valuesMs: [1, 2], queries: 3 } };
  expect(servicesOfApp({ services })).toEqual(services);
});

test('services override slowMs', () => {
  const services = { '/slow': { kind: 'fixed', ms: 702 }, '/fast': { kind: 'lognormal', medianMs: 2, sigma: 0.3 } };
  expect(servicesOfApp({ slowMs: 700, services })).toEqual(services);
});

test.each([
  [{}, /neither services nor slowMs/],
  [null, /neither/],
  [{ services: { '/fast': { kind: 'quick' } } }, /\/fast: Unknown kind/],
  [{ services: { '/fast': 3 } }, /\/fast: Unknown/],
  [{ services: { '/fast': { kind: { toString: 1 } } } }, /\/fast: Unknown kind of service time {"toString":1}/],
  [{ services: { '/fast': { kind: 'fixed' } } }, /\/fast: its mean must be/],
  [{ services: { '/fast': { kind: 'fixed', ms: 1e12 } } }, /\/fast: its numbers must be from 0 to 365 days/],
  [{ services: { '/fast': { kind: 'lognormal', medianMs: 1, sigma: 100 } } }, /\/fast: its mean/],
  [{ services: { '/fast': { kind: 'sample', valuesMs: { length: 1e9 } } } }, /\/fast: its numbers/],
  [{ services: { '/fast': { kind: 'sample', valuesMs: [] } } }, /\/fast: its mean/],
  [
    { services: { '/a': { kind: 'fixed', ms: 1, queries: 0 } } },
    /\/a: its queries must be a whole number from 1 to 1000/,
  ],
  [{ slowMs: -1 }, /\/slow: its numbers/],
])('%j is refused', (pool, message) => {
  expect(() => servicesOfApp(pool)).toThrow(message);
});

test('the overhead is a service time; an app need not report one', () => {
  expect(overheadOfApp({ overhead: { kind: 'sample', valuesMs: [0.3, 0.5] } })).toEqual({
    kind: 'sample',
    valuesMs: [0.3, 0.5],
  });
  expect(overheadOfApp({})).toBeUndefined();
  expect(() => overheadOfApp({ overhead: { kind: 'sample', valuesMs: [-1] } })).toThrow(
    /GET \/pool, overhead: its numbers must/,
  );
});
