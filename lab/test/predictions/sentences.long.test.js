import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { advise, createScenarioLoad, parseSlo, predict } from 'mongodb-pool-predictor';
import { explainAdvice } from '../../predictions/explain-advice.js';
import { explainCheck } from '../../predictions/explain-check.js';
import { explainGuess, explainPrediction } from '../../predictions/explain-prediction.js';
import { randomLoad } from 'test-support/random-loads.js';

/** @import { Advice } from 'mongodb-pool-predictor' */
/** @import { RandomLoad, Step } from 'test-support/random-loads.js' */

/** The same loads every time, so that the test is reproducible. */
const SEED = 5;
/** Pool sizes of each prediction. */
const SIZES = [[1, 2, 3, 4, 5, 6], [1, 20, 40], [7], [2, 100]];
const SHARES = new Map([
  ['p50', 0.5],
  ['p90', 0.9],
  ['p95', 0.95],
  ['p99', 0.99],
  ['p99.9', 0.999],
  ['max', 1],
]);
const NO_FIGURE =
  /NaN|Infinity|undefined|null|\b1 (?:connections|requests|servers|instances)\b|\b1 connection (?:are|do)\b/;

/** @param {RandomLoad} each @param {number[]} poolSizes */
async function predictIn({ load, services }, poolSizes) {
  const { variants, load: facts } = await predict({ load, services, poolSizes, seeds: 19 });
  const [fastest] = load.routes
    .filter((route) => route in facts.routes)
    .toSorted((a, b) => facts.routes[a].meanMs - facts.routes[b].meanMs);
  const said = [explainGuess(facts, poolSizes, false), explainPrediction(variants, facts, fastest)].join('\n');
  expect(said).not.toMatch(NO_FIGURE);
  return { variants, facts, fastest };
}

/** As the sentences have it. @param {number} mean */
const round = (mean) => Number(mean.toFixed(1));

/** @param {Awaited<ReturnType<typeof predictIn>>} prediction @param {number} largest */
function checkPrediction({ variants, facts, fastest }, largest) {
  const { peakActive, meanActive, floor } = facts;
  expect(peakActive).toBeGreaterThanOrEqual(1);
  expect(round(meanActive)).toBeLessThanOrEqual(peakActive);
  expect(floor).toBeGreaterThanOrEqual(Math.min(round(meanActive), peakActive));
  expect(floor).toBeLessThanOrEqual(peakActive);
  for (const { predicted } of variants) {
    const [ms, lowMs, highMs] = [predicted, predicted.low, predicted.high].map((end) => end?.routes[fastest]?.maxMs);
    if (![ms, lowMs, highMs].every((one) => Number(one) >= 0)) continue;
    expect(ms).toBeGreaterThanOrEqual(Number(lowMs));
    expect(ms).toBeLessThanOrEqual(Number(highMs));
  }
  const best = facts.best.size;
  if (best === null) {
    expect(peakActive).toBeGreaterThan(largest);
  } else {
    expect(best).toBeGreaterThanOrEqual(floor);
    expect(best).toBeLessThanOrEqual(Math.min(largest, peakActive));
  }
}

/** @param {Advice} advice */
function checkAdvice(advice) {
  expect(explainAdvice(advice, { load: 'this load' }).join('\n')).not.toMatch(NO_FIGURE);
  const { verdict, samples, noise, loads, rows, smaller } = advice;
  const goals = samples.map(({ slo }) => slo);
  if (verdict === 'notEnoughData') return checkTips(advice);
  if (verdict === 'belowNoise') {
    for (const [goal, { isBelow, bestMs, noiseMs }] of (noise ?? []).entries()) {
      if (!isBelow) continue;
      expect(bestMs).toBeLessThan(goals[goal].limitMs);
      // The goal that would get a verdict is above the one that gets none.
      expect(Math.ceil(bestMs + noiseMs)).toBeGreaterThan(goals[goal].limitMs);
    }
    return undefined;
  }
  for (const { meanActive, peakActive } of loads) expect(round(meanActive)).toBeLessThanOrEqual(peakActive);
  if (verdict === 'nothing') return undefined;
  const size = Number(advice.poolSize);
  const { floor, meanActive, peakActive } = loads[loads.length - 1];
  expect(floor).toBeGreaterThanOrEqual(Math.min(round(meanActive), peakActive));
  for (const row of rows) {
    expect(row.poolSize).toBe(size);
    for (const [goal, { upperMs }] of row.goals.entries()) expect(upperMs).toBeLessThan(goals[goal].limitMs);
  }
  const missed = goals.find(({ text }) => text === smaller?.text);
  if (smaller) expect(smaller.ms).toBeGreaterThanOrEqual(Number(missed?.limitMs));
  return undefined;
}

/** A tip must be usable, and easier than the goal. @param {Advice} advice */
function checkTips({ samples }) {
  const short = samples.filter(({ isEnough }) => !isEnough);
  expect(short).not.toEqual([]);
  for (const { slo, count, easier } of short) {
    for (const name of easier) {
      const share = Number(SHARES.get(name));
      expect(share).toBeLessThan(slo.share);
      // With 95 % confidence, and nothing is known about the distribution: Wilks (1941).
      expect(share === 1 ? 1 : Math.ceil(Math.log(0.05) / Math.log(share))).toBeLessThanOrEqual(count);
    }
  }
}

test('the figures of predict agree with each other, whatever the load, and its sentences have them all', async () => {
  await fc.assert(
    fc.asyncProperty(randomLoad, fc.constantFrom(...SIZES), async (each, poolSizes) => {
      checkPrediction(await predictIn(each, poolSizes), Number(poolSizes.at(-1)));
    }),
    { numRuns: 40, seed: SEED },
  );
});

test('the figures of advise agree with each other, and its sentences have them all', async () => {
  const goal = fc.tuple(
    fc.constantFrom('p50', 'p50', 'p90', 'p95', 'p99', 'max'),
    fc.constantFrom('3ms', '60ms', '1s', '2s', '30s'),
  );
  const overheads = fc.constantFrom(
    undefined,
    undefined,
    { kind: /** @type {const} */ ('fixed'), ms: 4 },
    { kind: /** @type {const} */ ('sample'), valuesMs: [0.5, 0.5, 1, 1, 1, 2, 3, 8, 40] },
  );
  await fc.assert(
    fc.asyncProperty(
      randomLoad,
      fc.array(goal, { minLength: 1, maxLength: 2 }),
      fc.constantFrom(1, 1.3, 3),
      overheads,
      async ({ load, services }, goals, headroom, overhead) => {
        const slos = goals.map(([figure, limit], index) =>
          parseSlo(`${load.routes[index % load.routes.length]} ${figure} < ${limit}`),
        );
        checkAdvice(await advise({ load, services, slos, headroom, overhead, seeds: 59 }));
      },
    ),
    { numRuns: 20, seed: SEED },
  );
});

describe('loads that end', () => {
  const fixed = (/** @type {number} */ ms) => ({ kind: /** @type {const} */ ('fixed'), ms });
  /** @param {object} phase @param {Step[]} steps @param {number} ms */
  const loadOf = (phase, steps, ms) => ({
    load: createScenarioLoad({ phases: [phase], scenarios: [{ steps }] }),
    services: { '/a': fixed(ms) },
  });
  /** @type {Step} */
  const request = { kind: 'request', route: '/a' };
  const crowd = loadOf({ durationMs: 1000, arrivalCount: 30 }, [request], 800);

  test('four users with ten requests each use three connections, though they come within a second', async () => {
    const users = loadOf(
      { durationMs: 1000, arrivalCount: 4 },
      [{ kind: 'loop', count: 10, steps: [request, { kind: 'think', ms: 2000 }] }],
      505,
    );
    const { facts } = await predictIn(users, [1, 2, 3, 4, 5, 6]);
    expect(facts).toMatchObject({ peakActive: 3, knee: 2 });
    expect(facts.lastsMs).toBeCloseTo(23_800, -2);
  });

  test('a size below what an endless load needs can be enough', async () => {
    const advice = await advise({ ...crowd, slos: [parseSlo('/a p50 < 5s')], headroom: 1 });
    expect(advice).toMatchObject({ verdict: 'size', poolSize: 3, loads: [{ floor: 14 }] });
  });

  test('the advised size is enough for both loads, even if the smaller one alone needs fewer', async () => {
    // With three connections the last users give up before they request /b; with five they all return at once.
    const load = createScenarioLoad({
      phases: [{ durationMs: 1000, arrivalCount: 5 }],
      timeoutMs: 3000,
      scenarios: [{ steps: [request, { kind: 'request', route: '/b' }, request] }],
    });
    const services = { '/a': fixed(2000), '/b': fixed(100) };
    const options = { load, services, slos: [parseSlo('/b max < 800ms')] };
    const [today, both] = await Promise.all([1, 1.3].map((headroom) => advise({ ...options, headroom })));
    expect([today, both].map(({ poolSize }) => poolSize)).toEqual([3, 6]);
    checkAdvice(both);
  });

  test('a p95 goal with too few requests does not get the tip to use p95', async () => {
    const { verdict, samples } = await advise({ ...crowd, slos: [parseSlo('/a p95 < 1s')] });
    expect({ verdict, samples }).toMatchObject({
      verdict: 'notEnoughData',
      samples: [{ count: 30, needed: 59, easier: ['p50', 'p90'] }],
    });
  });

  test.each([
    ['all requests fail', [{ durationMs: 1000, arrivalCount: 1 }], 1000, 2000, [1, 2], 1],
    [
      'a pool with failures is worse than one without',
      [{ durationMs: 1000, arrivalCount: 30 }],
      900,
      800,
      [1, 20],
      null,
    ],
    [
      'a single failure that p99 does not show counts, too',
      [
        { durationMs: 100_000, arrivalCount: 200 },
        { durationMs: 1, arrivalCount: 3 },
      ],
      500,
      300,
      [1, 2, 3, 4],
      4,
    ],
  ])('%s', async (_, phases, timeoutMs, ms, poolSizes, knee) => {
    const load = createScenarioLoad({ phases, scenarios: [{ steps: [request] }], timeoutMs });
    const { facts } = await predictIn({ load, services: { '/a': fixed(ms) } }, poolSizes);
    expect(facts.knee).toBe(knee);
  });
});

test('the check of a trace has all its figures in words', () => {
  const figure = fc
    .record({
      kind: fc.constantFrom('meanWait', 'p95'),
      route: fc.constantFrom(null, '/a'),
      isInBand: fc.boolean(),
      recordedMs: fc.double({ min: 0, max: 20_000, noNaN: true }),
      lowMs: fc.double({ min: 0, max: 20_000, noNaN: true }),
      spread: fc.double({ min: 0, max: 3, noNaN: true }),
    })
    .map(({ spread, ...rest }) => ({ ...rest, highMs: rest.lowMs * (1 + spread) }));
  const ratio = fc.constantFrom(0.4, 0.9, 1, 1.1, 3);
  const check = fc.record({
    status: fc.constantFrom('holds', 'fails', 'notChecked'),
    poolSize: fc.integer({ min: 1, max: 100 }),
    figures: fc.array(figure, { minLength: 2, maxLength: 5 }),
    rateRatio: ratio,
    useRatios: fc.record({ '/a': ratio }),
  });
  fc.assert(
    fc.property(check, (each) => {
      expect(explainCheck(/** @type {any} */ (each))).not.toMatch(NO_FIGURE);
    }),
    { numRuns: 200, seed: SEED },
  );
});
