import { describe, expect, test } from '@jest/globals';
import { createRandom } from 'mongodb-pool-predictor';
import { readSettings } from '../../../src/settings.js';
import { measureLab } from '../support/measure-lab.js';
import { mixed } from '../../labs/mixed/mixed-lab.js';
import {
  COUNTS,
  createChoiceParser,
  createChoicesParser,
  DELAY,
  parseInteger,
  takePublished,
} from '../../harness/lab-options.js';
import { mergeFigures } from '../../harness/merge-figures.js';
import { findOverheads, spread, spreadSummary } from '../../labs/mixed/load-samples.js';
import { listArrivals, summariseCheckouts } from '../../harness/summarise-checkouts.js';

/** @import { AnyLab, Measurement, PlannedVariant, Step } from '../../harness/run-lab.js' */

describe('a run', () => {
  /**
   * @param {(name: string) => Measurement | Promise<Measurement>} measureOne
   * @returns {AnyLab} with two variants, A and B
   */
  function makeLab(measureOne) {
    return {
      ...mixed,
      name: 'letters',
      plan: async () => ({
        settings: { alphabet: 'latin' },
        variants: ['A', 'B'].map((name) => ({ name, settings: {}, exact: { maxMs: 1 }, estimateMs: 1000 })),
      }),
      measure: async ({ name }) => measureOne(name),
      predict: undefined,
    };
  }

  test('repeats are interleaved, and the result has their sums and medians', async () => {
    /** @type {string[]} */
    const order = [];
    const lab = makeLab((name) => ({ measured: { requests: 1, maxMs: order.push(name) } }));
    const result = await measureLab(lab, { repeat: 3 });
    expect(order.join('')).toBe('ABABAB');
    expect(result).toMatchObject({
      lab: 'letters',
      settings: { alphabet: 'latin', repeat: 3, parallel: false },
      variants: [
        { name: 'A', measured: { requests: 3, maxMs: 3 }, exact: { maxMs: 1 }, published: null },
        { name: 'B', measured: { requests: 3, maxMs: 4 } },
      ],
    });
    expect(result.variants[0].repeats).toHaveLength(3);
    expect(result.environment).toMatchObject({
      node: process.versions.node,
      mongodb: expect.stringMatching(/^\d+\.\d+/),
    });
  });

  test('what a measurement works out replaces what was planned', async () => {
    let number = 0;
    const lab = makeLab((name) => ({
      measured: { maxMs: 5 },
      ...(name === 'A' && { exact: { maxMs: 10 + (number += 1) } }),
    }));
    const { variants } = await measureLab(lab, { repeat: 3 });
    expect(variants.map(({ exact }) => exact)).toEqual([{ maxMs: 12 }, { maxMs: 1 }]);
  });

  test('in parallel the variants of a round run at once', async () => {
    let running = 0;
    let peak = 0;
    const lab = makeLab(async () => {
      peak = Math.max(peak, ++running);
      await new Promise(setImmediate);
      running--;
      return { measured: {} };
    });
    await measureLab(lab, { parallel: true });
    expect(peak).toBe(2);
  });

  test('a lab has its own number of repeats, and variants that are measured once', async () => {
    /** @type {string[]} */
    const order = [];
    const lab = makeLab((name) => ({ measured: { requests: 1, maxMs: order.push(name) } }));
    const twice = {
      ...lab,
      repeat: { default: 3, about: '' },
      /** @type {AnyLab['plan']} */
      plan: async (options) => {
        const { variants, ...rest } = await lab.plan(options);
        return {
          ...rest,
          variants: variants.map((/** @type {PlannedVariant} */ variant) => ({
            ...variant,
            once: variant.name === 'A',
          })),
        };
      },
    };
    const { variants } = await measureLab(twice);
    expect(order.join('')).toBe('ABBB');
    expect(variants.map(({ repeats }) => repeats?.length)).toEqual([1, 3]);
    order.length = 0;
    await measureLab(twice, { repeat: 2 });
    expect(order.join('')).toBe('ABB');
  });

  test('a variant that cannot run says why and does not stop the other', async () => {
    const lab = makeLab((name) => {
      if (name === 'A') throw new Error('A is ill');
      return { measured: { requests: 1 } };
    });
    const { variants } = await measureLab(lab);
    expect(variants).toMatchObject([{ measured: null, error: 'A is ill' }, { measured: { requests: 1 } }]);
    expect(variants[1].error).toBeUndefined();
  });

  test('failed requests and warnings are kept with their variant', async () => {
    const lab = makeLab(() => ({ measured: { failures: 2 }, failed: '2 x HTTP 503', warnings: ['too slow'] }));
    const { variants, warnings } = await measureLab(lab, { repeat: 2 });
    expect(variants[0]).toMatchObject({ measured: { failures: 4 }, error: '2 x HTTP 503' });
    expect(warnings).toContain('A: too slow');
  });

  test('each step says how much is left', async () => {
    /** @type {Step[]} */
    const steps = [];
    await measureLab(
      makeLab(() => ({ measured: {} })),
      { repeat: 2 },
      { onStep: (step) => steps.push(step) },
    );
    expect(steps.map(({ name, leftMs, totalMs }) => [name, leftMs, totalMs])).toEqual([
      ['A', 4000, 4000],
      ['B', 3000, 4000],
      ['A', 2000, 4000],
      ['B', 1000, 4000],
    ]);
  });

  test('where variants are alike, what the first ones took says how much is left', async () => {
    let nowMs = 0;
    const lab = makeLab((name) => ({ measured: { atMs: (nowMs += name === 'A' ? 100 : 300) } }));
    /** @type {Step[]} */
    const steps = [];
    const plan = async () => ({
      settings: {},
      variants: ['A', 'B'].map((name) => ({ name, settings: {}, estimateMs: NaN })),
      areAlike: true,
    });
    await measureLab({ ...lab, plan }, { repeat: 2 }, { onStep: (step) => steps.push(step), now: () => nowMs });
    expect(steps.map(({ leftMs, totalMs }) => [leftMs, totalMs])).toEqual([
      [NaN, NaN],
      [300, 400],
      [400, 800],
      [166.66666666666666, expect.closeTo(666.67)],
    ]);
  });

  test('an abort ends the run with its reason', async () => {
    const controller = new AbortController();
    const lab = makeLab(() => {
      controller.abort(new Error('enough'));
      throw new Error('killed');
    });
    await expect(measureLab(lab, {}, { signal: controller.signal })).rejects.toThrow('enough');
  });

  test('what all measurements share is set up before them and taken away after them', async () => {
    /** @type {string[]} */
    const order = [];
    const lab = {
      ...makeLab((name) => {
        order.push(name);
        return { measured: {} };
      }),
      /** @type {AnyLab['prepare']} */
      prepare: async (plan, { onEnd }) => {
        order.push('prepare');
        onEnd(async () => order.push('first'));
        onEnd(async () => order.push('last'));
      },
    };
    await measureLab(lab);
    expect(order).toEqual(['prepare', 'A', 'B', 'last', 'first']);
  });

  test('a MongoDB can be named in place of MONGO_URL', async () => {
    const settings = readSettings({ MONGO_URL: 'mongodb://127.0.0.1:1' });
    const lab = makeLab(() => ({ measured: {} }));
    const impatient = { settings: { ...settings, serverSelectionTimeoutMs: 100 } };
    await expect(measureLab(lab, {}, impatient)).rejects.toThrow(/no MongoDB was found/);
    await measureLab(lab, { url: process.env.TEST_MONGO_URL }, { settings });
    const fromSource = { ...lab, mongo: { urlOption: 'source' } };
    await measureLab(fromSource, { source: process.env.TEST_MONGO_URL }, { settings });
  });
});

describe('options', () => {
  test('whole numbers, and lists of them', () => {
    expect(parseInteger('12')).toBe(12);
    expect(COUNTS.parse('1, 100,10')).toEqual([1, 100, 10]);
    for (const text of ['', '0', '-1', '1.5', 'x', '1e3', '99999999999999999']) {
      expect(() => parseInteger(text)).toThrow('It must be a whole number from 1.');
    }
    expect(() => COUNTS.parse('1,,2')).toThrow('"" is not a whole number from 1');
  });

  test('a delay that no timer can wait for is refused', () => {
    expect(DELAY.parse('2147483647')).toBe(2147483647);
    expect(() => DELAY.parse('2147483648')).toThrow('It must be at most 2147483647 ms.');
  });

  test('choices', () => {
    const parse = createChoicesParser(['fixed', 'copy']);
    expect(parse('copy, fixed')).toEqual(['copy', 'fixed']);
    expect(() => parse('copy,clone')).toThrow('"clone" is not one of fixed, copy.');
    expect(createChoiceParser(['id', 'collection'])('id')).toBe('id');
  });

  test('the published values are taken, but for what was given', () => {
    const options = {
      workers: { about: '', default: 1, published: 100 },
      queries: { about: '', default: 2, published: 5000 },
      queryMs: { about: '', published: 1.27 },
      stats: { about: '' },
    };
    const values = { workers: 7, queries: 2, stats: false };
    expect(takePublished(options, values, (name) => name === 'workers')).toEqual({
      workers: 7,
      queries: 5000,
      queryMs: 1.27,
      stats: false,
    });
  });
});

describe('figures', () => {
  test('counts are added up, levels become medians, also deep inside', () => {
    const run = (/** @type {number} */ maxMs, /** @type {number} */ failures) => ({
      requests: 10,
      failures,
      maxMs,
      routes: { '/fast': { count: 5, p50Ms: maxMs / 2 } },
    });
    expect(mergeFigures([run(30, 0), run(10, 1), run(20, 0)])).toEqual({
      requests: 30,
      failures: 1,
      maxMs: 20,
      routes: { '/fast': { count: 15, p50Ms: 10 } },
    });
  });

  test('an even number of runs gives the middle between the two', () => {
    expect(mergeFigures([{ maxMs: 1 }, { maxMs: 9 }, { maxMs: 4 }, { maxMs: 2 }])).toEqual({ maxMs: 2 });
  });

  test('what only some runs have is merged of those', () => {
    expect(
      mergeFigures([
        { maxMs: null, routes: {} },
        { maxMs: 7, routes: { '/slow': { maxMs: 7 } } },
      ]),
    ).toEqual({ maxMs: 7, routes: { '/slow': { maxMs: 7 } } });
    expect(mergeFigures([{ maxMs: null }])).toEqual({ maxMs: null });
  });

  test('failures are added up by kind', () => {
    const run = { failures: 10, errors: 1, timeouts: 2, non2xx: 3, reopened: 4 };
    expect(mergeFigures([run, run])).toEqual({ failures: 20, errors: 2, timeouts: 4, non2xx: 6, reopened: 8 });
  });

  const random = createRandom(1, 'times');
  const draw = (/** @type {number} */ count, /** @type {() => number} */ one) => Array.from({ length: count }, one);

  test('overheads added to independent times on connections give the responses again', () => {
    const connections = draw(2000, () => 1 + 3 * random.exponential());
    const overheads = draw(2000, () => 2 + 5 * random.exponential());
    const responses = connections.map((ms, index) => ms + overheads[index]);
    const found = findOverheads(responses, connections);
    expect(found).toHaveLength(200);
    for (const share of [0.1, 0.5, 0.9]) {
      const [actual, expected] = [found, overheads].map(
        (all) => all.toSorted((a, b) => a - b)[Math.floor(share * all.length)],
      );
      // A difference of percentiles would be off by 30 % at the median.
      expect(Math.abs(actual - expected)).toBeLessThan(0.12 * expected + 0.1);
    }
    const again = draw(
      2000,
      () => connections[Math.floor(random.uniform() * 2000)] + found[Math.floor(random.uniform() * 200)],
    );
    for (const share of [0.5, 0.95]) {
      const [actual, expected] = [again, responses].map(
        (all) => all.toSorted((a, b) => a - b)[Math.floor(share * all.length)],
      );
      expect(Math.abs(actual / expected - 1)).toBeLessThan(0.08);
    }
  });

  test('a response faster than its connection, by a coarse clock, has no overhead', () => {
    expect(findOverheads([1, 1], [1.4, 1.3])).toEqual([0, 0]);
  });

  test('a sample is cut to evenly spaced percentiles', () => {
    expect(spread([3, 1, 2])).toEqual([1, 2, 3]);
    const many = spread(Array.from({ length: 1000 }, (_, index) => index));
    expect(many).toHaveLength(200);
    expect(many.slice(0, 2)).toEqual([2, 7]);
  });

  test('a summary spreads into as many times as it has', () => {
    const summary = { count: 5, min: 0, p50: 10, p75: 20, p90: 30, p95: 40, p99: 50, max: 60 };
    expect(spreadSummary(summary, 5)).toEqual([0, 5, 10, 20, 60]);
    expect(spreadSummary(summary, 1)).toEqual([10]);
  });

  /**
   * @param {number} checkOutStartedAtMs
   * @param {number | null} checkedOutAtMs
   * @param {number | null} checkedInAtMs
   * @returns {import('mongodb-pool-monitor').CheckoutRecord}
   */
  function checkout(checkOutStartedAtMs, checkedOutAtMs, checkedInAtMs) {
    return {
      id: 1,
      pool: null,
      route: '/slow',
      requestId: 'r1',
      request: 1,
      operation: null,
      kind: null,
      holds: 0,
      connectionId: 1,
      server: 'db:1',
      isFresh: false,
      openingMs: 0,
      heldBy: [],
      behind: [],
      outcome: 'checkedIn',
      reason: null,
      checkOutStartedAtMs,
      checkedOutAtMs,
      checkedInAtMs,
      endedAtMs: checkedInAtMs ?? checkOutStartedAtMs,
    };
  }

  test('waits, and how many were active and waiting at once', () => {
    const checkouts = [checkout(0, 0.1, 100), checkout(10, 100, 110), checkout(20, 110, 120), checkout(50, 50.2, 130)];
    expect(summariseCheckouts(checkouts)).toEqual({
      waitP50Ms: expect.closeTo(0.2),
      waitP95Ms: 90,
      waitMaxMs: 90,
      peakActive: 2,
      peakWaiting: 2,
    });
  });

  test('a request without a connection waits to the end and is never active', () => {
    expect(summariseCheckouts([checkout(0, null, null)])).toEqual({
      waitP50Ms: null,
      waitP95Ms: null,
      waitMaxMs: null,
      peakActive: 0,
      peakWaiting: 1,
    });
  });

  test('arrivals are counted from the first, whatever the order of the record', () => {
    expect(listArrivals([checkout(1012.5, 1013, 1014), checkout(1000, 1001, 1020)])).toEqual([0, 12.5]);
  });
});
