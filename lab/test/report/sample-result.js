import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';

/** @import { Result, Variant } from '../../report/result-types.js' */

/**
 * The three maxima were measured (driver 7.8, MongoDB 6.0.5, Artillery 2.0.34); the rest is made up to go
 * with them, with enough requests for percentiles.
 * @param {Partial<Result>} [changes]
 * @returns {Result}
 */
export function createSampleResult(changes) {
  return {
    lab: 'mixed',
    startedAt: '2026-11-20T14:22:05.120Z',
    environment: {
      node: '22.18.0',
      mongodb: '6.0.5',
      driver: '7.8.0',
      artillery: '2.0.34',
      os: 'linux x64 6.1',
      cpu: 'Intel(R) Xeon(R) CPU @ 2.60GHz',
      cores: 2,
      memoryGB: 7.8,
      poolLab: '0.1.0',
    },
    settings: {
      scenario: 'loadtests/mixed.yaml',
      poolSizes: [1, 3, 10],
      slowMs: 5000,
      repeat: 1,
      parallel: false,
    },
    variants: [
      createVariant(1, [10048.3, 20064, 20071], [13062.6, 20958.1, 21117], 21000, 21142.7),
      createVariant(3, [3.9, 2018.7, 2024], [5017, 7033.4, 7054], 7000, 9017),
      createVariant(10, [3.1, 5.2, 6], [5012, 5024.1, 5026], 5000, 5019),
    ],
    ...changes,
  };
}

/**
 * Saves a sample as `pool-lab run` does, of a query that takes 2 ms, at once.
 * @param {string} folder of the results
 * @param {number} sizes how many pool sizes were measured
 */
export function saveSampleResult(folder, sizes) {
  const result = createSampleResult({ startedAt: new Date().toISOString() });
  result.variants.length = sizes;
  Object.assign(result.variants[0].measured ?? {}, { unloaded: { serviceMs: 2 } });
  mkdirSync(path.join(folder, `${sizes} sizes`));
  writeFileSync(path.join(folder, `${sizes} sizes`, 'mixed.json'), JSON.stringify(result));
}

/**
 * @param {number} poolSize
 * @param {number[]} fast p50, p95 and max
 * @param {number[]} slow the same
 * @param {number} exactMs
 * @param {number} publishedMs
 * @returns {Variant}
 */
function createVariant(poolSize, fast, slow, exactMs, publishedMs) {
  const measured = {
    requests: 50,
    failures: 0,
    maxMs: Math.max(fast[2], slow[2]),
    routes: {
      '/fast': { count: 25, p50Ms: fast[0], p95Ms: fast[1], maxMs: fast[2] },
      '/slow': { count: 25, p50Ms: slow[0], p95Ms: slow[1], maxMs: slow[2] },
    },
  };
  return {
    name: `pool ${poolSize}`,
    settings: { poolSize },
    measured,
    exact: { maxMs: exactMs },
    published: { maxMs: publishedMs },
    repeats: [{ measured, arrivalsMs: [0, 1001, 2003, 3002, 4004] }],
  };
}
