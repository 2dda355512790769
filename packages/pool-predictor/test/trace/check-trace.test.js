import { describe, expect, test } from '@jest/globals';
import { createRandom } from '../../src/simulator/random.js';
import { simulate } from '../../src/simulator/simulate.js';
import { checkTrace } from '../../src/trace/check-trace.js';

/** @import { Trace } from '../../src/formats/trace.js' */

/**
 * Many fast queries and a few slow ones, at random times.
 *
 * @param {{ poolSize?: number, seed?: number, count?: number, later?: { gapMs?: number, slowMs?: number } }} [options]
 *   later: what is different in the second half
 * @returns {Trace}
 */
function recordTrace({ poolSize = 3, seed = 1, count = 1200, later = {} } = {}) {
  const random = createRandom(seed, 'recorded');
  let atMs = 0;
  const arrivals = Array.from({ length: count }, (_, index) => {
    const { gapMs = 12, slowMs = 200 } = index < count / 2 ? {} : later;
    const isSlow = random.uniform() < 0.1;
    const arrival = { atMs, route: isSlow ? '/slow' : '/fast', serviceMs: (isSlow ? slowMs : 2) * (0.5 + random.uniform()) };
    atMs += gapMs * random.exponential();
    return arrival;
  });
  const { records = [] } = simulate({ arrivals, pool: { maxPoolSize: poolSize }, keepRequests: true });
  records.sort((a, b) => a.user - b.user);
  return {
    header: { maxPoolSize: poolSize },
    routes: ['/slow', '/fast'],
    checkOutStartedMs: records.map(({ arrivedAtMs }) => arrivedAtMs),
    waitMs: records.map(({ waitMs }) => waitMs),
    useMs: arrivals.map(({ serviceMs }) => serviceMs),
    routeOf: arrivals.map(({ route }) => (route === '/slow' ? 0 : 1)),
    warnings: [],
  };
}

const pool = { maxPoolSize: 3 };

describe('the second half of a trace, predicted from the first', () => {
  test('a steady load passes in nine of ten checks or more', async () => {
    let held = 0;
    for (let seed = 1; seed <= 20; seed++) if ((await checkTrace(recordTrace({ seed, count: 500 }), { pool })).holds) held++;
    // The binomial of 20 and 0.9 is below 15 in 1 of 90 cases.
    expect(held).toBeGreaterThanOrEqual(15);
  });

  test('each figure is compared with the range of the runs', async () => {
    const check = await checkTrace(recordTrace(), { pool });
    expect(check).toMatchObject({ of: 'half', poolSize: 3, seeds: 59, firstSeed: 1, holds: true });
    expect(check.figures.map(({ kind, route }) => [kind, route])).toEqual([['meanWait', null], ['p95', '/fast'], ['p95', '/slow']]);
    for (const { lowMs, recordedMs, highMs } of check.figures) {
      expect(recordedMs).toBeGreaterThan(lowMs * 0.95 - 1);
      expect(recordedMs).toBeLessThan(highMs * 1.05 + 1);
    }
    expect(check.rateRatio).toBeGreaterThan(0.8);
    expect(check.rateRatio).toBeLessThan(1.25);
  });

  test('another first seed gives other bands', async () => {
    const [one, other] = await Promise.all([1, 1000].map((firstSeed) => checkTrace(recordTrace(), { pool, firstSeed })));
    expect(other.firstSeed).toBe(1000);
    expect(other.figures[0].highMs).not.toBe(one.figures[0].highMs);
  });

  test('a busier second half fails, and the ratios say why', async () => {
    const check = await checkTrace(recordTrace({ later: { gapMs: 7 } }), { pool });
    expect(check.holds).toBe(false);
    // The middle of the time is not the middle of the requests.
    expect(check.rateRatio).toBeGreaterThan(1.3);
  });

  test('slower queries fail, and the ratios say which', async () => {
    const { holds, useRatios } = await checkTrace(recordTrace({ later: { slowMs: 400 } }), { pool });
    expect(holds).toBe(false);
    expect(useRatios['/slow']).toBeGreaterThan(1.6);
    expect(useRatios['/fast']).toBeLessThan(1.1);
  });

  test('a limit that the simulation does not know fails, although the load is the same', async () => {
    const { holds, rateRatio, figures } = await checkTrace(recordTrace(), { pool: { maxPoolSize: 6 } });
    expect(holds).toBe(false);
    expect(rateRatio).toBeLessThan(1.25);
    expect(figures[0].place).toBe('outside');
  });

  test.each([1, 2, 30])('%i checkouts are too few', async (count) => {
    expect(await checkTrace(recordTrace({ count }), { pool })).toMatchObject({ holds: null, figures: [] });
  });
});

describe('another trace', () => {
  test('of another pool size is predicted', async () => {
    const other = recordTrace({ poolSize: 2, seed: 2 });
    const check = await checkTrace(recordTrace(), { pool: { maxPoolSize: 2 }, other });
    expect(check).toMatchObject({ of: 'trace', poolSize: 2, holds: true });
    expect(check.figures[0].recordedMs).toBeGreaterThan(20);
  });

  test('may be shorter', async () => {
    const other = recordTrace({ poolSize: 2, seed: 2, count: 400 });
    expect(await checkTrace(recordTrace(), { pool: { maxPoolSize: 2 }, other })).toMatchObject({ holds: true });
  });

  test('of a larger pool than it says fails', async () => {
    const other = recordTrace({ poolSize: 8, seed: 2 });
    expect(await checkTrace(recordTrace(), { pool: { maxPoolSize: 2 }, other })).toMatchObject({ holds: false });
  });
});
