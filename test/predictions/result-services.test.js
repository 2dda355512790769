import { describe, expect, test } from '@jest/globals';
import { servicesOfResult } from '../../src/predictions/result-services.js';
import { createSampleResult } from '../report/sample-result.js';

test('service times and overhead are the samples of all repeats at the largest pool', () => {
  const result = createSampleResult();
  const repeatsOf = (/** @type {number} */ ms) => [
    { measured: {}, samples: { services: { '/fast': [ms], '/other': [ms + 1] }, overheadsMs: [ms + 2] } },
    { measured: {}, samples: { services: { '/fast': [ms + 3] }, overheadsMs: [ms + 4] } },
    { measured: {} },
  ];
  for (const variant of result.variants) Object.assign(variant, { repeats: repeatsOf(variant.settings.poolSize) });
  const size = Math.max(...result.variants.map(({ settings }) => settings.poolSize));
  const sample = (/** @type {number[]} */ ...valuesMs) => ({ kind: 'sample', valuesMs });
  expect(servicesOfResult(result)).toEqual({
    services: { '/slow': { kind: 'fixed', ms: 5000 }, '/fast': sample(size, size + 3), '/other': sample(size + 1) },
    overhead: sample(size + 2, size + 4),
  });
});

test('a negative time in a sample is refused', () => {
  const result = createSampleResult();
  for (const variant of result.variants) Object.assign(variant, { repeats: [{ measured: {}, samples: { services: {}, overheadsMs: [-1] } }] });
  expect(() => servicesOfResult(result)).toThrow('its numbers must be from 0 to 365 days, in ms');
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

describe('of a calibration', () => {
  const services = { '/a': { kind: 'sample', valuesMs: [30, 32], workShare: 0.5 } };
  const calibrated = (/** @type {object} */ changes) => ({ lab: 'calibrate', services, server: { cores: 1.8 }, ...changes });

  test('services have their work, and the server its cores', () => {
    expect(servicesOfResult(calibrated({}))).toEqual({ services, serverCores: 1.8 });
  });

  test('without work there are no cores', () => {
    expect(servicesOfResult(calibrated({ server: { cores: null } }))).toEqual({ services });
  });

  test.each([
    [{ server: { cores: 0 } }, 'server.cores must be above 0'],
    [{ server: { cores: '2' } }, 'server.cores must be a number'],
    [{ server: null }, 'server must be an object'],
    [{ services: { '/a': { kind: 'sample', valuesMs: [-1] } } }, 'its numbers must be from 0 to 365 days, in ms'],
    [{ services: { '/a': { kind: 'fixed', ms: 1, workShare: 2 } } }, 'its workShare must be a number from 0 to 1'],
    [{ services: [] }, 'services must be an object'],
  ])('%j is refused', (changes, message) => {
    expect(() => servicesOfResult(calibrated(changes))).toThrow(message);
  });
});

test.each([[null], [[]], [{ lab: 'sessions', variants: [] }]])('%j is refused', (result) => {
  expect(() => servicesOfResult(result)).toThrow('it is not a result of pool-lab run mixed, nor of pool-lab calibrate');
});
