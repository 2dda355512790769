import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from '@jest/globals';
import { createKinds, drawArrivals, runCallers, sendArrivals } from '../../../labs/saturation/run-load.js';
import { summariseQueries } from '../../../labs/saturation/saturation-figures.js';

/** @import { TrialLoad } from '../../../labs/saturation/run-load.js' */

/** @param {Partial<TrialLoad>} changes @returns {TrialLoad} */
function loadOf(changes) {
  return {
    measureMs: 50,
    send: async () => ({ waitMs: 1, useMs: 2 }),
    onStart: async () => {},
    onEnd: async () => {},
    signal: new AbortController().signal,
    ...changes,
  };
}

describe('arrivals', () => {
  test('are as many as asked, the same for each pool, and of both kinds', () => {
    const load = { ratePerSec: 1000, withinMs: 4000, share: 0.25 };
    const arrivals = drawArrivals(load);
    expect(arrivals).toHaveLength(4000);
    expect(drawArrivals(load)).toEqual(arrivals);
    expect(drawArrivals({ ...load, seed: 2 })).not.toEqual(arrivals);
    expect(arrivals.filter(({ kind }) => kind === 'heavy').length / 4000).toBeCloseTo(0.25, 1);
    const gapsMs = arrivals.slice(1).map(({ atMs }, index) => atMs - arrivals[index].atMs);
    expect(Math.min(...gapsMs)).toBeGreaterThanOrEqual(0);
    // Of a Poisson process 1 - 1/e of the gaps are shorter than the mean.
    expect(gapsMs.filter((ms) => ms < 1).length / gapsMs.length).toBeCloseTo(1 - Math.exp(-1), 1);
  });

  test('of callers have one heavy query in four', () => {
    const next = createKinds(0.25);
    expect(
      Array.from({ length: 8 }, next)
        .map((kind) => kind[0])
        .join(''),
    ).toBe('ccchccch');
    expect(Array.from({ length: 3 }, createKinds(1))).toEqual(['heavy', 'heavy', 'heavy']);
  });
});

describe('a closed loop', () => {
  test('measures once each caller had an answer', async () => {
    let sent = 0;
    /** @type {string[]} */
    const order = [];
    const { queries } = await runCallers({
      ...loadOf({
        send: async () => {
          const isFirst = sent++ === 0;
          await sleep(isFirst ? 40 : 1);
          if (isFirst) order.push('the slow one');
          return { waitMs: 0, useMs: 0 };
        },
        onStart: async () => {
          order.push('start');
        },
        onEnd: async () => {
          order.push('end');
        },
      }),
      callers: 3,
      nextKind: () => 'cheap',
    });
    expect(order).toEqual(['the slow one', 'start', 'end']);
    expect(queries.length).toBeGreaterThan(3);
    expect(queries.length).toBeLessThan(sent - 3);
  });

  test('ends with the error of a query', async () => {
    const send = async () => {
      throw new Error('refused');
    };
    await expect(runCallers({ ...loadOf({ send }), callers: 2, nextKind: () => 'cheap' })).rejects.toThrow('refused');
  });

  test('ends with the reason of the signal, although no query ends', async () => {
    const controller = new AbortController();
    const send = () => new Promise(() => controller.abort(new Error('enough')));
    await expect(
      runCallers({
        ...loadOf({ send: /** @type {any} */ (send), signal: controller.signal, measureMs: 60_000 }),
        callers: 1,
        nextKind: () => 'heavy',
      }),
    ).rejects.toThrow('enough');
  });
});

describe('open arrivals', () => {
  test('are all counted, from when they were due, even if the answer comes later', async () => {
    const arrivals = [
      { kind: /** @type {const} */ ('heavy'), atMs: 10 },
      { kind: /** @type {const} */ ('cheap'), atMs: 30 },
    ];
    const outcome = await sendArrivals({
      ...loadOf({
        send: async (kind) => {
          await sleep(kind === 'heavy' ? 80 : 1);
          return { waitMs: 0, useMs: 0 };
        },
      }),
      arrivals,
    });
    const { heavy, cheap, ratePerSec, count, timeouts } = summariseQueries(outcome);
    expect({ count, timeouts }).toEqual({ count: 2, timeouts: 0 });
    expect(heavy.p99Ms).toBeGreaterThan(75);
    expect(cheap.count).toBe(1);
    // Only one of the two was answered in the 50 ms.
    expect((ratePerSec * (outcome.toMs - outcome.fromMs)) / 1000).toBeCloseTo(1);
  });

  test('count the time for which the lab itself was late', async () => {
    const { queries } = await sendArrivals({
      ...loadOf({
        send: async (kind) => {
          for (const endMs = performance.now() + 40; kind === 'heavy' && performance.now() < endMs;);
          return { waitMs: 0, useMs: 0 };
        },
      }),
      arrivals: [
        { kind: 'heavy', atMs: 1 },
        { kind: 'cheap', atMs: 2 },
      ],
    });
    const cheap = queries[1];
    expect(cheap.endedAtMs - cheap.dueAtMs).toBeGreaterThan(35);
  });

  test('end with the error of a query', async () => {
    const send = async () => {
      throw new Error('refused');
    };
    await expect(sendArrivals({ ...loadOf({ send }), arrivals: [{ kind: 'heavy', atMs: 1 }] })).rejects.toThrow(
      'refused',
    );
  });
});

test('a query without an answer counts with the time waited', () => {
  const query = { kind: /** @type {const} */ ('heavy'), dueAtMs: 100, waitMs: 5, useMs: 15 };
  const queries = [
    { ...query, endedAtMs: 120 },
    { ...query, endedAtMs: Infinity, waitMs: NaN, useMs: NaN },
  ];
  expect(summariseQueries({ queries, fromMs: 100, toMs: 1100 }, 3100)).toEqual({
    count: 2,
    timeouts: 1,
    ratePerSec: 1,
    meanMs: 1510,
    waitMs: 5,
    useMs: 15,
    heavy: { count: 2, p50Ms: 20, p99Ms: 3000 },
    cheap: { count: 0, p50Ms: null, p99Ms: null },
  });
});
