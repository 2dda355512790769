import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from '@jest/globals';
import { saturation } from '../../labs/saturation/saturation-lab.js';
import { measureLab, optionsOf } from '../support/measure-lab.js';
import { createKinds, drawArrivals, runCallers, sendArrivals } from '../../labs/saturation/run-load.js';
import { summariseQueries } from '../../labs/saturation/saturation-figures.js';
import { compareRepeats, judge } from '../../labs/saturation/saturation-findings.js';
import { chooseBestSize } from '../../labs/saturation/survey.js';
import { renderHtml } from '../../report/html.js';
import { renderTable } from '../../report/table.js';
import { createSampleResult } from '../report/sample-result.js';

/** @import { TrialLoad } from '../../labs/saturation/run-load.js' */
/** @import { MeasuredPool } from '../../labs/saturation/saturation-findings.js' */
/** @import { SaturationFigures } from '../../labs/saturation/saturation-figures.js' */
/** @import { SaturationSettings } from '../../labs/saturation/saturation-lab.js' */

describe('the lab', () => {
  test('by default it measures pools from 1 to 300, and compares the best with 100 five times', async () => {
    const { variants } = await saturation.plan(optionsOf(saturation));
    const closed = variants.filter(({ settings: { load, role } }) => load === 'closed' && role === 'size');
    expect(closed.map(({ settings }) => settings.poolSize)).toEqual([1, 2, 4, 8, 16, 32, 64, 100, 128, 300]);
    expect([...new Set(variants.map(({ settings }) => settings.load))]).toEqual(['closed', 0.5, 0.8, 1.1]);
    expect(variants.filter(({ once }) => !once).map(({ name }) => name)).toEqual(['compared: best', 'compared: 100']);
    expect(saturation.repeat?.default).toBe(5);
    const seconds = variants.reduce((total, { once, estimateMs }) => total + estimateMs * (once ? 1 : 5), 0) / 1000;
    expect(seconds).toBeLessThan(60);
  });

  test.each(
    /** @type {const} */ ([
      ['loads', 'closed,3', '"3" is neither closed nor a number above 0 and below 2'],
      ['share', '0', 'must be a number above 0 and at most 1'],
    ]),
  )('--%s %s is refused', (option, text, problem) => {
    expect(() => saturation.options[option].parse?.(text)).toThrow(problem);
  });

  test('a run says what pool and server did, and compares the best size with the large one', async () => {
    const result = await measureLab(saturation, {
      loads: ['closed', 0.5],
      poolSizes: [1, 2],
      reference: 8,
      openSizes: [2],
      callers: 6,
      share: 0.5,
      heavyMs: 2,
      measureMs: 60,
      repeat: 3,
    });
    expect(result).toMatchObject({ settings: { repeat: 3, reference: 8, callers: 6 }, warnings: [] });
    for (const { name, settings, measured, repeats } of result.variants) {
      expect({ name, repeats }).toMatchObject({ repeats: { length: settings.role === 'size' ? 1 : 3 } });
      expect({ name, ...measured }).toMatchObject({
        poolSize: expect.any(Number),
        ratePerSec: expect.any(Number),
        waitMs: expect.any(Number),
        useMs: expect.any(Number),
        sentPerSec: settings.load === 'closed' ? null : expect.any(Number),
        timeouts: 0,
        // A busy machine may not get to both kinds within so short a time.
        heavy: { count: expect.any(Number) },
        cheap: { count: expect.any(Number) },
        server: { cores: expect.any(Number), coresBusy: expect.any(Number) },
      });
    }
    const of = (/** @type {string} */ wanted) => result.variants.find(({ name }) => name === wanted)?.measured;
    // Half of the most that the survey saw.
    expect(of('at 0.5, 2').sentPerSec).toBeCloseTo(
      Math.max(of('closed, 1').ratePerSec, of('closed, 2').ratePerSec) / 2,
    );
    expect([1, 2]).toContain(of('compared: best').poolSize);
    expect(of('compared: 8')).toMatchObject({ poolSize: 8 });
  });
});

describe('a load', () => {
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
      const BEFORE = 9;
      const others = new AbortController();
      let sent = 0;
      /** @type {string[]} */
      const order = [];
      const { queries } = await runCallers({
        ...loadOf({
          measureMs: 200,
          send: async () => {
            sent += 1;
            if (sent === BEFORE) others.abort();
            if (sent > 1) await sleep(1);
            else order.push(await once(others.signal, 'abort').then(() => 'the slow one'));
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
      expect(queries.length).toBeGreaterThan(0);
      expect(queries.length).toBeLessThan(sent - BEFORE + 3);
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
    test('are all counted, from when they were due, even if they are sent or answered later', async () => {
      const over = new AbortController();
      const { queries, fromMs, toMs } = await sendArrivals({
        ...loadOf({
          measureMs: 200,
          send: async (kind) => {
            if (kind === 'heavy') await once(over.signal, 'abort');
            return { waitMs: 0, useMs: 0 };
          },
          onEnd: async () => over.abort(),
        }),
        arrivals: [
          { kind: 'heavy', atMs: 1 },
          { kind: 'cheap', atMs: 1.5 },
        ],
      });
      expect(queries.map(({ dueAtMs }) => dueAtMs - fromMs)).toEqual([expect.closeTo(1), expect.closeTo(1.5)]);
      expect(queries.map(({ endedAtMs }) => endedAtMs < toMs)).toEqual([false, true]);
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

  test('a query counts from when it was due, and without an answer with the time waited', () => {
    const query = { kind: /** @type {const} */ ('heavy'), dueAtMs: 90, waitMs: 5, useMs: 15 };
    const queries = [
      { ...query, endedAtMs: 120 },
      { ...query, endedAtMs: Infinity, waitMs: NaN, useMs: NaN },
    ];
    expect(summariseQueries({ queries, fromMs: 100, toMs: 1100 }, 3100)).toEqual({
      count: 2,
      timeouts: 1,
      ratePerSec: 1,
      meanMs: 1520,
      waitMs: 5,
      useMs: 15,
      heavy: { count: 2, p50Ms: 30, p99Ms: 3010 },
      cheap: { count: 0, p50Ms: null, p99Ms: null },
    });
  });
});

describe('findings', () => {
  /**
   * @param {number} poolSize
   * @param {number} p99Ms of heavy queries
   * @param {number} [ratePerSec]
   * @returns {SaturationFigures}
   */
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

  /** The heavy p99 of each repeat. @param {number} poolSize @param {number[]} p99sMs @param {number} [ratePerSec] */
  const repeatsOf = (poolSize, p99sMs, ratePerSec) => p99sMs.map((p99Ms) => figuresOf(poolSize, p99Ms, ratePerSec));

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
    const large = variantOf({}, repeatsOf(100, [300, 400, 900, 210, 100]));
    const small = variantOf({}, repeatsOf(4, [100, 100, 300, 100, 100]));

    test('is the median of the ratios of its repeats, with the smallest and the largest', () => {
      // 3, 4, 3, 2.1 and 1. The ratio of the medians would be the same; that of the first ones too.
      expect(compareRepeats(large, small, heavyP99)).toEqual({ ratio: 3, spread: [1, 4] });
      expect(compareRepeats(small, large, heavyP99)?.spread).toEqual([0.25, 1]);
      const drifting = variantOf({}, repeatsOf(4, [100, 200, 400]));
      const twice = variantOf({}, repeatsOf(100, [200, 400, 800]));
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
    /** @param {number[]} largeMs @param {number} [largeRate] default: as many queries as with the small pool */
    const compare = (largeMs, largeRate) => [
      variantOf({ role: 'best' }, repeatsOf(8, Array(largeMs.length).fill(100))),
      variantOf({ role: 'reference', poolSize: 100 }, repeatsOf(100, largeMs, largeRate)),
    ];
    /** @param {number} poolSize @param {Partial<SaturationFigures>} [changes] */
    const openAt = (poolSize, changes) =>
      variantOf({ load: 1.1, poolSize }, [{ ...figuresOf(poolSize, 100), ...changes }]);
    const kind = { count: 10, p50Ms: 1 };
    const compared = [
      ...compare([200, 300], 50),
      openAt(4),
      openAt(100, { heavy: { ...kind, p99Ms: 250 }, meanMs: 40 }),
      openAt(300, { heavy: { ...kind, p99Ms: 900 } }),
    ];

    test('has the ratios with their spread, and the published ones beside', () => {
      const text = renderTable(saturation, resultOf(compared));
      expect(text).toMatch(/ratio +here +spread +published\n/);
      expect(text).toMatch(/\nheavy p99, 100 \/ 8 connections +2\.00 +2\.00 to 3\.00 +–\n/);
      expect(text).toMatch(/\nqueries\/s, 8 \/ 100 connections +2\.00 +2\.00 to 2\.00 +–\n/);
      expect(text).toMatch(/\nmean time in server, 100 \/ 8 connections +1\.00 +1\.00 to 1\.00 +38\.50\n/);
      expect(text).toMatch(/\nat 1\.1: heavy p99, 100 \/ 4 connections +2\.50 +– +–\n/);
      expect(text).toMatch(/\nat 1\.1: mean response, 100 \/ 4 connections +4\.00 +– +–$/m);
      expect(Math.max(...text.split('\n').map((line) => line.length))).toBeLessThanOrEqual(80);
      const page = renderHtml([{ lab: saturation, result: resultOf(compared) }]);
      expect(page).toContain('2.00 to 3.00');
    });

    const filled = openAt(4, { ratePerSec: 300, sentPerSec: 336 });
    const notFull = openAt(4, { ratePerSec: 335, sentPerSec: 336 });
    const twice = 'The p99 of heavy queries is 2.00 times as long with 100 connections as with 8';
    const noEffect =
      'No effect here. The p99 of heavy queries is 0.95 times as long with 100 connections as with 8 (0.95 to 1.10).';
    test.each([
      ['what was seen', compared, `${twice} (2.00 to 3.00). 8 answer 2.00 times as many queries (2.00 to 2.00).`],
      ['that the repeats disagree', compare([200, 90, 300]), `The repeats disagree. ${twice} (0.90 to 3.00).`],
      ['that there is no effect', compare([95, 110]), noEffect],
      ['nothing of a server that was full', [...compare([95, 110]), filled], noEffect],
      [
        'that the server was not full',
        [...compare([95, 110]), notFull],
        `${noEffect} At 1.1 the server was not full: with 4 connections it answered 335 of 336 queries per second.`,
      ],
      [
        'that nothing was compared',
        compare([95, 110]).slice(0, 1),
        'No pool sizes were compared: only the closed loop does that.',
      ],
    ])('says %s', (_, variants, words) => {
      expect(saturation.takeaway(resultOf(variants))).toBe(words);
    });
  });
});
