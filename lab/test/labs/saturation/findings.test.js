import { describe, expect, test } from '@jest/globals';
import { compareRepeats, judge } from '../../../labs/saturation/saturation-findings.js';
import { chooseBestSize } from '../../../labs/saturation/measure-variant.js';
import { saturation } from '../../../labs/saturation/saturation-lab.js';
import { renderHtml } from '../../../report/html.js';
import { renderTable } from '../../../report/table.js';
import { createSampleResult } from '../../report/sample-result.js';

/** @import { MeasuredPool } from '../../../labs/saturation/saturation-findings.js' */
/** @import { SaturationFigures } from '../../../labs/saturation/saturation-figures.js' */
/** @import { SaturationSettings } from '../../../labs/saturation/plan-saturation.js' */

/** @param {number} poolSize @param {number} p99Ms of heavy queries @param {number} [ratePerSec] @returns {SaturationFigures} */
function figuresOf(poolSize, p99Ms, ratePerSec = 100) {
  const kind = { count: 10, p50Ms: 1, p99Ms: 50 };
  const server = { cores: 2, coresBusy: 1.9 };
  return {
    count: 20,
    timeouts: 0,
    ratePerSec,
    meanMs: 10,
    waitMs: 4,
    useMs: 6,
    heavy: { ...kind, p99Ms },
    cheap: kind,
    poolSize,
    sentPerSec: null,
    server,
  };
}

/** @param {Partial<SaturationSettings>} settings @param {SaturationFigures[]} repeats @returns {MeasuredPool} */
function variantOf(settings, repeats) {
  const { role = 'size', load = 'closed', poolSize = null } = settings;
  return {
    name: `${load} ${role} ${poolSize}`,
    settings: { role, load, poolSize },
    measured: repeats[0],
    repeats: repeats.map((measured) => ({ measured })),
  };
}

/** @param {MeasuredPool[]} variants */
function resultOf(variants) {
  return createSampleResult({ lab: 'saturation', settings: { reference: 100 }, variants });
}

/** @param {SaturationFigures} figures */
const heavyP99 = ({ heavy }) => heavy.p99Ms;

test('the best size has the lowest p99 among those below the reference that answer almost as many queries', () => {
  const survey = [
    [1, 50, 10],
    [2, 90, 20],
    [4, 100, 30],
    [100, 110, 5],
  ].map(([poolSize, ratePerSec, heavyP99Ms]) => ({ poolSize, ratePerSec, heavyP99Ms }));
  expect(chooseBestSize(survey, 100)).toBe(2);
  expect(chooseBestSize(survey, 1000)).toBe(100);
  expect(chooseBestSize(survey, 2)).toBe(1);
  expect(() => chooseBestSize(survey, 1)).toThrow('no pool size below 1 was measured');
});

describe('the ratio of two variants', () => {
  const large = variantOf(
    {},
    [300, 400, 900, 210, 100].map((ms) => figuresOf(100, ms)),
  );
  const small = variantOf(
    {},
    [100, 100, 300, 100, 100].map((ms) => figuresOf(4, ms)),
  );

  test('is the median of the ratios of its repeats, with the smallest and the largest', () => {
    // 3, 4, 3, 2.1 and 1. The ratio of the medians would be the same; that of the first ones too.
    expect(compareRepeats(large, small, heavyP99)).toEqual({ ratio: 3, spread: [1, 4] });
    expect(compareRepeats(small, large, heavyP99)?.spread).toEqual([0.25, 1]);
    const drifting = variantOf(
      {},
      [100, 200, 400].map((ms) => figuresOf(4, ms)),
    );
    const twice = variantOf(
      {},
      [200, 400, 800].map((ms) => figuresOf(100, ms)),
    );
    expect(compareRepeats(twice, drifting, heavyP99)).toEqual({ ratio: 2, spread: [2, 2] });
  });

  test('has no spread with one repeat, and is missing if a repeat is', () => {
    const one = variantOf({}, [figuresOf(4, 10)]);
    expect(compareRepeats(one, one, heavyP99)).toEqual({ ratio: 1 });
    expect(compareRepeats(large, one, heavyP99)).toBeNull();
    expect(compareRepeats(undefined, one, heavyP99)).toBeNull();
  });

  test('is a difference only if all repeats agree on it and it matters', () => {
    expect(judge({ ratio: 2, spread: [1.2, 3] })).toBe('more');
    expect(judge({ ratio: 2, spread: [0.9, 3] })).toBe('unclear');
    expect(judge({ ratio: 1.2, spread: [0.9, 3] })).toBe('same');
    expect(judge({ ratio: 1.05, spread: [1.02, 1.08] })).toBe('same');
    expect(judge({ ratio: 0.5, spread: [0.4, 0.9] })).toBe('less');
    expect(judge({ ratio: 0.5, spread: [0.4, 1.9] })).toBe('unclear');
  });
});

describe('the result', () => {
  /** @param {number[]} largeMs */
  const compared = (largeMs) => [
    variantOf(
      { role: 'best' },
      largeMs.map(() => figuresOf(8, 100)),
    ),
    variantOf(
      { role: 'reference', poolSize: 100 },
      largeMs.map((ms) => figuresOf(100, ms, 50)),
    ),
    variantOf({ load: 1.1, poolSize: 4 }, [figuresOf(4, 100)]),
    variantOf({ load: 1.1, poolSize: 100 }, [{ ...figuresOf(100, 250), meanMs: 40 }]),
    variantOf({ load: 1.1, poolSize: 300 }, [figuresOf(300, 900)]),
  ];
  /** @param {number[]} largeMs as many queries as with the small pool */
  const asMany = (largeMs) => [
    variantOf(
      { role: 'best' },
      largeMs.map(() => figuresOf(8, 100)),
    ),
    variantOf(
      { role: 'reference', poolSize: 100 },
      largeMs.map((ms) => figuresOf(100, ms)),
    ),
  ];

  test('has the ratios with their spread, and the published ones beside', () => {
    const text = renderTable(saturation, resultOf(compared([200, 300])));
    expect(text).toMatch(/ratio +here +spread +published\n/);
    expect(text).toMatch(/\nheavy p99, 100 \/ 8 +2\.00 +2\.00 to 3\.00 +–\n/);
    expect(text).toMatch(/\nqueries\/s, 8 \/ 100 +2\.00 +2\.00 to 2\.00 +–\n/);
    expect(text).toMatch(/\nmean time in server, 100 \/ 8 +1\.00 +1\.00 to 1\.00 +38\.50\n/);
    expect(text).toMatch(/\nat 1\.1: heavy p99, 100 \/ 4 +2\.50 +– +–\n/);
    expect(text).toMatch(/\nat 1\.1: mean response, 100 \/ 4 +4\.00 +– +–$/m);
    expect(Math.max(...text.split('\n').map((line) => line.length))).toBeLessThanOrEqual(80);
    const page = renderHtml([{ lab: saturation, result: resultOf(compared([200, 300])) }]);
    expect(page).toContain('2.00 to 3.00');
  });

  test('says what was seen', () => {
    expect(saturation.takeaway(resultOf(compared([200, 300])))).toBe(
      'The p99 of heavy queries is 2.00 times as long with 100 connections as with 8 (2.00 to 3.00). ' +
        '8 answer 2.00 times as many queries (2.00 to 2.00).',
    );
  });

  test('says where the repeats disagree', () => {
    expect(saturation.takeaway(resultOf(asMany([200, 90, 300])))).toBe(
      'The repeats disagree. The p99 of heavy queries is 2.00 times as long with 100 connections as with 8 (0.90 to 3.00).',
    );
  });

  test('says where more than the server can answer was answered', () => {
    const open = variantOf({ load: 1.1, poolSize: 4 }, [{ ...figuresOf(4, 100, 335), sentPerSec: 336 }]);
    const { takeaway } = saturation;
    expect(takeaway(resultOf([...asMany([95, 110]), open]))).toMatch(
      / At 1\.1 the server was not full: with 4 connections it answered 335 of 336 queries per second\.$/,
    );
    const full = variantOf({ load: 1.1, poolSize: 4 }, [{ ...figuresOf(4, 100, 300), sentPerSec: 336 }]);
    expect(takeaway(resultOf([...asMany([95, 110]), full]))).not.toMatch('not full');
  });

  test('says where there is no effect', () => {
    expect(saturation.takeaway(resultOf(asMany([95, 110])))).toBe(
      'No effect here. The p99 of heavy queries is 0.95 times as long with 100 connections as with 8 (0.95 to 1.10).',
    );
    expect(saturation.takeaway(resultOf(asMany([95, 110]).slice(0, 1)))).toBe(
      'No pool sizes were compared: only the closed loop does that.',
    );
  });
});
