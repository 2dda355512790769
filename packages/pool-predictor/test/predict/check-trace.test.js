import { describe, expect, test } from '@jest/globals';
import { checkTrace } from '../../src/predict/check-trace.js';
import { recordCold, recordMixed } from '../trace/traces.js';

const pool = { maxPoolSize: 3 };

describe('the waits of a trace, replayed', () => {
  test('hold if the pool explains them, by route', async () => {
    const check = await checkTrace(recordMixed(), { pool });
    expect(check).toMatchObject({ of: 'waits', status: 'holds', reason: null, poolSize: 3 });
    expect(check.figures.map(({ kind, route }) => [kind, route])).toEqual([
      ['meanWait', null],
      ['meanWait', '/fast'],
      ['p95Wait', '/fast'],
      ['meanWait', '/slow'],
      ['p95Wait', '/slow'],
    ]);
    expect(check.figures[0].recordedMs).toBeGreaterThan(1);
  });

  test('fail if something else than the pool made them: a limit that the simulation does not know', async () => {
    const { status, reason, figures } = await checkTrace(recordMixed(), { pool: { maxPoolSize: 6 } });
    expect({ status, reason }).toEqual({ status: 'fails', reason: 'figures' });
    expect(figures[0].place).toBe('outside');
  });

  test('a busier second half changes nothing: the replay is as busy', async () => {
    expect(await checkTrace(recordMixed({ later: { gapMs: 7 } }), { pool })).toMatchObject({ status: 'holds' });
  });

  test.each([
    ['nobody waited', { poolSize: 100 }, 'nobodyWaited'],
    ['few waited', { poolSize: 3, count: 30 }, 'fewWaits'],
  ])('are not checked where %s', async (_, options, reason) => {
    expect(await checkTrace(recordMixed(options), { pool: { maxPoolSize: options.poolSize } })).toMatchObject({
      status: 'notChecked',
      reason,
      figures: [],
    });
  });

  test('are not checked if the size of the pool is unknown', async () => {
    expect(await checkTrace(recordMixed(), {})).toMatchObject({ status: 'notChecked', reason: 'unknownSize' });
  });

  test('fail if connections were free, however well the figures fit', async () => {
    const trace = recordMixed();
    const behind = Array.from(trace.waitMs, () => 1);
    const none = Array.from(trace.waitMs, () => 0);
    expect(await checkTrace({ ...trace, isBehind: behind, openingMs: none }, { pool })).toMatchObject({
      status: 'holds',
      waits: { otherShare: 0 },
    });
    expect(await checkTrace({ ...trace, isBehind: none, openingMs: none }, { pool })).toMatchObject({
      status: 'fails',
      reason: 'otherWaits',
      waits: { otherShare: 1 },
    });
  });

  test('of a pool that opened its connections are explained by that, which checks no size', async () => {
    const cold = recordCold();
    expect(await checkTrace(cold, { pool: { maxPoolSize: 4, maxConnecting: 4, maxIdleTimeMS: 50 } })).toMatchObject({
      status: 'notChecked',
      reason: 'nobodyWaited',
      figures: [{ kind: 'meanWait' }, {}, {}],
      waits: { count: 0, openings: 160, otherShare: 0 },
    });
    expect(await checkTrace(cold, { pool: { maxPoolSize: 4, maxConnecting: 4 } })).toMatchObject({
      status: 'fails',
      reason: 'figures',
    });
    const openings = { openAtStart: 4, fromMs: new Float64Array(), durationsMs: new Float64Array(), settings: {} };
    expect(await checkTrace({ ...cold, openings }, { pool: { maxPoolSize: 4 } })).toMatchObject({
      reason: 'otherWaits',
    });
  });
});

describe('another trace', () => {
  test('of another pool size is predicted', async () => {
    const other = recordMixed({ poolSize: 2, seed: 2 });
    const check = await checkTrace(recordMixed(), { pool: { maxPoolSize: 2 }, other });
    expect(check).toMatchObject({ of: 'trace', poolSize: 2, status: 'holds' });
    expect(check.figures.map(({ kind, route }) => [kind, route])).toEqual([
      ['meanWait', null],
      ['p95', '/fast'],
      ['p95', '/slow'],
    ]);
    expect(check.figures[0].recordedMs).toBeGreaterThan(20);
  });

  test('another first seed gives other bands', async () => {
    const other = recordMixed({ poolSize: 2, seed: 2 });
    const [one, two] = await Promise.all(
      [1, 1000].map((firstSeed) => checkTrace(recordMixed(), { pool: { maxPoolSize: 2 }, other, firstSeed })),
    );
    expect(two.figures[0].highMs).not.toBe(one.figures[0].highMs);
  });

  test('may be shorter', async () => {
    const other = recordMixed({ poolSize: 2, seed: 2, count: 400 });
    expect(await checkTrace(recordMixed(), { pool: { maxPoolSize: 2 }, other })).toMatchObject({ status: 'holds' });
  });

  test('of a larger pool than it says fails', async () => {
    const other = recordMixed({ poolSize: 8, seed: 2 });
    expect(await checkTrace(recordMixed(), { pool: { maxPoolSize: 2 }, other })).toMatchObject({ status: 'fails' });
  });

  test('with another load fails, and the ratios say why', async () => {
    const other = recordMixed({ poolSize: 2, seed: 2, later: { gapMs: 5, slowMs: 400 } });
    const { status, rateRatio, useRatios } = await checkTrace(recordMixed(), { pool: { maxPoolSize: 2 }, other });
    expect(status).toBe('fails');
    expect(rateRatio).toBeGreaterThan(1.2);
    expect(useRatios['/slow']).toBeGreaterThan(1.25);
    expect(useRatios['/fast']).toBeLessThan(1.1);
  });

  test('with few requests is not checked', async () => {
    const other = recordMixed({ poolSize: 2, count: 10 });
    expect(await checkTrace(recordMixed(), { pool: { maxPoolSize: 2 }, other })).toMatchObject({
      status: 'notChecked',
      reason: 'fewRequests',
    });
  });
});
