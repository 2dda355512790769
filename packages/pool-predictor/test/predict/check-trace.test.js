import { describe, expect, test } from '@jest/globals';
import { checkTrace } from '../../src/predict/check-trace.js';
import { recordMixed } from '../trace/traces.js';

const pool = { maxPoolSize: 3 };

describe('the second half of a trace, predicted from the first', () => {
  test('each figure is compared with the range of the runs', async () => {
    const check = await checkTrace(recordMixed(), { pool });
    expect(check).toMatchObject({ of: 'half', poolSize: 3, seeds: 59, firstSeed: 1, holds: true });
    expect(check.figures.map(({ kind, route }) => [kind, route])).toEqual([
      ['meanWait', null],
      ['p95', '/fast'],
      ['p95', '/slow'],
    ]);
    for (const { lowMs, recordedMs, highMs } of check.figures) {
      expect(recordedMs).toBeGreaterThan(lowMs * 0.95 - 1);
      expect(recordedMs).toBeLessThan(highMs * 1.05 + 1);
    }
    expect(check.rateRatio).toBeGreaterThan(0.8);
    expect(check.rateRatio).toBeLessThan(1.25);
  });

  test('another first seed gives other bands', async () => {
    const [one, other] = await Promise.all(
      [1, 1000].map((firstSeed) => checkTrace(recordMixed(), { pool, firstSeed })),
    );
    expect(other.firstSeed).toBe(1000);
    expect(other.figures[0].highMs).not.toBe(one.figures[0].highMs);
  });

  test('a busier second half fails, and the ratios say why', async () => {
    const check = await checkTrace(recordMixed({ later: { gapMs: 7 } }), { pool });
    expect(check.holds).toBe(false);
    // The middle of the time is not the middle of the requests.
    expect(check.rateRatio).toBeGreaterThan(1.3);
  });

  test('slower queries fail, and the ratios say which', async () => {
    const { holds, useRatios } = await checkTrace(recordMixed({ later: { slowMs: 400 } }), { pool });
    expect(holds).toBe(false);
    expect(useRatios['/slow']).toBeGreaterThan(1.6);
    expect(useRatios['/fast']).toBeLessThan(1.1);
  });

  test('a limit that the simulation does not know fails, although the load is the same', async () => {
    const { holds, rateRatio, figures } = await checkTrace(recordMixed(), { pool: { maxPoolSize: 6 } });
    expect(holds).toBe(false);
    expect(rateRatio).toBeLessThan(1.25);
    expect(figures[0].place).toBe('outside');
  });

  test.each([1, 2, 30])('%i checkouts are too few', async (count) => {
    expect(await checkTrace(recordMixed({ count }), { pool })).toMatchObject({ holds: null, figures: [] });
  });
});

describe('another trace', () => {
  test('of another pool size is predicted', async () => {
    const other = recordMixed({ poolSize: 2, seed: 2 });
    const check = await checkTrace(recordMixed(), { pool: { maxPoolSize: 2 }, other });
    expect(check).toMatchObject({ of: 'trace', poolSize: 2, holds: true });
    expect(check.figures[0].recordedMs).toBeGreaterThan(20);
  });

  test('may be shorter', async () => {
    const other = recordMixed({ poolSize: 2, seed: 2, count: 400 });
    expect(await checkTrace(recordMixed(), { pool: { maxPoolSize: 2 }, other })).toMatchObject({ holds: true });
  });

  test('of a larger pool than it says fails', async () => {
    const other = recordMixed({ poolSize: 8, seed: 2 });
    expect(await checkTrace(recordMixed(), { pool: { maxPoolSize: 2 }, other })).toMatchObject({ holds: false });
  });
});
