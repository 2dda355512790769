import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { advise, createScenarioLoad, parseSlo, predict } from 'mongodb-pool-predictor';
import { explainAdvice } from '../../predictions/explain-advice.js';
import { explainCheck } from '../../predictions/explain-check.js';
import { explainPrediction } from '../../predictions/explain-prediction.js';
import { randomLoad } from 'test-support/random-loads.js';

/** @import { Advice } from 'mongodb-pool-predictor' */
/** @import { RandomLoad, Step } from 'test-support/random-loads.js' */

/** The same loads every time, so that the test is reproducible. */
const SEED = 5;
/** Of a predict. */
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

/** A number in a sentence, undefined if the sentence is not there. @param {string} text @param {RegExp} sentence */
function find(text, sentence) {
  const [, number] = sentence.exec(text) ?? [];
  return number === undefined ? undefined : Number(number.replaceAll(',', ''));
}

/** @param {string} text '800 ms' or '1.3 s' */
function toMs(text) {
  const [number, unit] = text.replaceAll(',', '').split(' ');
  return Number(number) * (unit === 's' ? 1000 : 1);
}

/** @param {RandomLoad} each @param {number[]} poolSizes */
async function predictIn({ load, services }, poolSizes) {
  const { variants, load: facts } = await predict({ load, services, poolSizes, seeds: 19 });
  const [fastest] = load.routes
    .filter((route) => route in facts.routes)
    .toSorted((a, b) => facts.routes[a].meanMs - facts.routes[b].meanMs);
  return { variants, words: explainPrediction(variants, facts, fastest) };
}

/** Checks that the sentences agree with each other. @param {string} words @param {number} largest */
function checkPrediction(words, largest) {
  expect(words).not.toMatch(NO_FIGURE);
  expect(words).not.toMatch(/keep up|at that rate/);
  const most = Number(find(words, /uses up to ([\d,]+) connections? at once/));
  const busy = Number(find(words, /at once, ([\d.,]+) on average/));
  const floor = find(words, /With fewer than (\d+), requests pile up/) ?? 1;
  const useless = find(words, /More than (\d+) connections? (?:does|do) not help/);
  const short = find(words, /More than (\d+) connections? would still help/);
  expect(most).toBeGreaterThanOrEqual(1);
  expect(busy).toBeLessThanOrEqual(most);
  expect(floor).toBeGreaterThanOrEqual(Math.min(busy, most));
  expect(floor).toBeLessThanOrEqual(most);
  expect([useless, short].filter((size) => size !== undefined)).toHaveLength(1);
  for (const [, max, low, high, unit] of words.matchAll(
    /([\d.,]+ m?s) \(([\d.,]+(?: m?s)?) to ([\d.,]+ (m?s)) with a prob/g,
  )) {
    expect(toMs(max)).toBeGreaterThanOrEqual(toMs(low.includes('s') ? low : `${low} ${unit}`));
    expect(toMs(max)).toBeLessThanOrEqual(toMs(high));
  }
  if (useless !== undefined) {
    expect(useless).toBeGreaterThanOrEqual(floor);
    expect(useless).toBeLessThanOrEqual(Math.min(largest, most));
  } else {
    expect(short).toBe(largest);
    expect(most).toBeGreaterThan(largest);
  }
}

/** Checks that the sentences agree with each other. @param {Advice} advice */
function checkAdvice(advice) {
  const [headline, ...paragraphs] = explainAdvice(advice);
  const text = [headline, ...paragraphs].join('\n');
  expect(text).not.toMatch(NO_FIGURE);
  expect(text).not.toMatch(/keep up/);
  if (advice.verdict === 'notEnoughData') return checkTips(advice, text);
  const goals = [...text.matchAll(/^"\S+ \S+ < ([\d.]+ m?s)": at (?:most|load x\S+ even) (.*)/gm)];
  if (advice.verdict === 'belowNoise') return checkNoise(advice, text);
  if (advice.verdict === 'nothing') {
    expect(headline).toMatch(/^No pool size meets/);
    if (advice.loads.some(({ smallest }) => smallest === null))
      expect(text).toMatch(/^".*": at load x\S+, even without a limit/m);
    else expect(text).toMatch(/^Each load alone has a size that does: \d+ connections? at load x1, /m);
    expect(text.includes('nobody waits for a connection')).toBe(
      advice.parts !== null && advice.loads.some(({ smallest }) => smallest === null),
    );
    return undefined;
  }
  const size = Number(find(headline, /^(\d+) connections? (?:is|are) enough/));
  expect(goals).toHaveLength(advice.samples.length);
  for (const [, limit, said] of goals) {
    for (const [time] of said.matchAll(/[\d.,]+ m?s(?= at load)/g)) expect(toMs(time)).toBeLessThan(toMs(limit));
  }
  const uses = [...text.matchAll(/at load x(\S+) ([\d.,]+) on average and up to (\d+) at once/g)].map(
    ([, ...numbers]) => numbers.map(Number),
  );
  for (const [, busy, most] of uses) expect(busy).toBeLessThanOrEqual(most);
  const [, busy, most] = uses[uses.length - 1];
  const floor = find(text, /With fewer than (\d+), requests pile up/) ?? 1;
  const useless = Number(find(text, /More than (\d+) connections? (?:does|do) not improve/));
  expect(floor).toBeGreaterThanOrEqual(Math.min(busy, most));
  expect(useless).toBeGreaterThanOrEqual(Math.max(size, floor));
  expect(
    text.includes(`${size} are enough only because it ends`) || text.includes(`${size} is enough only because it ends`),
  ).toBe(size < floor);
  const missed = find(text, /With (\d+), "/);
  expect(missed ?? size - 1).toBe(size - 1);
  for (const [, time] of text.matchAll(/is missed at load x\S+ \(([\d.,]+ m?s)\)/g)) {
    const [limit] = advice.samples.map(({ slo }) => slo.limitMs).toSorted((a, b) => a - b);
    expect(toMs(time)).toBeGreaterThanOrEqual(limit);
  }
  for (const [, alone] of text.matchAll(/alone, (\d+) (?:is|are) enough/g)) expect(Number(alone)).toBeLessThan(size);
  return undefined;
}

/**
 * The goal that would get a verdict must be above the one that gets none.
 * @param {Advice} advice
 * @param {string} text
 */
function checkNoise({ samples, noise }, text) {
  const below = samples.filter((_, goal) => noise?.[goal].isBelow);
  const offered = [
    ...text.matchAll(
      /^"(.*)": with no wait .* up to ([\d.,]+ m?s).* takes up to ([\d.,]+ m?s), .*goal of ([\d,]+ ms) or more/gm,
    ),
  ];
  expect(offered.map(([, goal]) => goal)).toEqual(below.map(({ slo }) => slo.text));
  for (const [goal, [, , bestMs, noiseMs, offeredMs]] of offered.entries()) {
    const { limitMs } = below[goal].slo;
    expect(toMs(bestMs)).toBeLessThan(limitMs);
    expect(toMs(offeredMs)).toBeGreaterThan(limitMs);
    expect(Math.abs(toMs(bestMs) + toMs(noiseMs) - toMs(offeredMs))).toBeLessThan(0.06 * toMs(offeredMs) + 1);
  }
}

/** A tip must be usable, and easier than the goal. @param {Advice} advice @param {string} text */
function checkTips({ samples }, text) {
  const short = samples.filter(({ isEnough }) => !isEnough);
  const tips = text.split('\n').slice(1);
  expect(tips).toHaveLength(short.length);
  for (const [index, { slo, count }] of short.entries()) {
    expect(tips[index]).toContain(`"${slo.text}"`);
    const [, easier] = /easier goal: (.*)\.$/.exec(tips[index]) ?? [];
    for (const name of easier?.split(' or ') ?? []) {
      const share = Number(SHARES.get(name));
      expect(share).toBeLessThan(slo.share);
      // With 95 % confidence, and nothing is known about the distribution: Wilks (1941).
      expect(share === 1 ? 1 : Math.ceil(Math.log(0.05) / Math.log(share))).toBeLessThanOrEqual(count);
    }
  }
}

test('no sentence of predict contradicts another, whatever the load', async () => {
  await fc.assert(
    fc.asyncProperty(randomLoad, fc.constantFrom(...SIZES), async (each, poolSizes) => {
      checkPrediction((await predictIn(each, poolSizes)).words, Number(poolSizes.at(-1)));
    }),
    { numRuns: 40, seed: SEED },
  );
});

test('no sentence of advise contradicts another', async () => {
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
    const { words } = await predictIn(users, [1, 2, 3, 4, 5, 6]);
    expect(words).toContain('the load lasts 23.8 s and uses up to 3 connections at once, 0.8 on average.');
    expect(words).toContain('More than 2 connections do not help.');
  });

  test('a size below what an endless load needs is explained', async () => {
    const advice = await advise({ ...crowd, slos: [parseSlo('/a p50 < 5s')], headroom: 1 });
    const words = explainAdvice(advice).join(' ');
    expect(words).toMatch(
      /^3 connections are enough\..*With fewer than 14, requests pile up until load x1 ends: 3 are enough /,
    );
    expect(words).toContain('For a load that goes on, take at least 14.');
  });

  test('a time just below the goal is shown as below it', async () => {
    const words = explainAdvice(
      await advise({ ...crowd, services: { '/a': fixed(1955) }, slos: [parseSlo('/a p50 < 2s')] }),
    ).join(' ');
    expect(words).toMatch(/"\/a p50 < 2 s": at most 1,9\d\d ms at load x1 and 1,9\d\d ms at load x1\.3/);
  });

  test('the advised size is enough for both loads, even if each alone needs fewer', async () => {
    // With three connections the last users give up before they request /b; with five they all return at once.
    const load = createScenarioLoad({
      phases: [{ durationMs: 1000, arrivalCount: 5 }],
      timeoutMs: 3000,
      scenarios: [{ steps: [request, { kind: 'request', route: '/b' }, request] }],
    });
    const services = { '/a': fixed(2000), '/b': fixed(100) };
    const advice = await advise({ load, services, slos: [parseSlo('/b max < 800ms')] });
    expect(advice.loads.map(({ smallest }) => smallest)).toEqual([3, 4]);
    expect(advice).toMatchObject({ verdict: 'size', poolSize: 6 });
    checkAdvice(advice);
  });

  test('a p95 goal with too few requests does not get the tip to use p95', async () => {
    const words = explainAdvice(await advise({ ...crowd, slos: [parseSlo('/a p95 < 1s')] })).join(' ');
    expect(words).toMatch(
      /^Not enough data\. The load has 30 requests .* needs at least 59: .*an easier goal: p50 or p90\.$/,
    );
  });

  test('when all requests fail there is no time', async () => {
    const load = createScenarioLoad({
      phases: [{ durationMs: 1000, arrivalCount: 1 }],
      scenarios: [{ steps: [request] }],
      timeoutMs: 1000,
    });
    const { words } = await predictIn({ load, services: { '/a': fixed(2000) } }, [1, 2]);
    expect(words).toMatch(
      /^More than 1 connection does not help\. With 1 connection all \/a requests fail, with 2 connections all \/a requests/,
    );
  });

  test('a pool with failures is worse than one without', async () => {
    const load = createScenarioLoad({
      phases: [{ durationMs: 1000, arrivalCount: 30 }],
      scenarios: [{ steps: [request] }],
      timeoutMs: 900,
    });
    const { words } = await predictIn({ load, services: { '/a': fixed(800) } }, [1, 20]);
    expect(words).toMatch(/With 1 connection \d+ of 30 \/a requests fail, with 20 connections/);
    expect(words).toContain('More than 20 connections would still help.');
  });

  test('a single failure that p99 does not show counts, too', async () => {
    const load = createScenarioLoad({
      phases: [
        { durationMs: 100_000, arrivalCount: 200 },
        { durationMs: 1, arrivalCount: 3 },
      ],
      scenarios: [{ steps: [request] }],
      timeoutMs: 500,
    });
    const { words } = await predictIn({ load, services: { '/a': fixed(300) } }, [1, 2, 3, 4]);
    expect(words).toContain('More than 4 connections do not help.');
  });
});

describe('the check of a trace', () => {
  const figure = fc
    .record({
      recordedMs: fc.double({ min: 0, max: 20_000, noNaN: true }),
      place: fc.constantFrom('inside', 'close', 'outside'),
      spread: fc.double({ min: 0, max: 3, noNaN: true }),
    })
    .map(({ recordedMs, place, spread }) => {
      const offMs = { inside: 0, close: 0.9, outside: 1.1 + recordedMs / 10 }[place];
      return { recordedMs, place, lowMs: recordedMs + offMs, highMs: (recordedMs + offMs) * (1 + spread) };
    });
  const check = fc
    .record({
      of: fc.constantFrom('waits', 'trace'),
      poolSize: fc.integer({ min: 1, max: 100 }),
      figures: fc.array(figure, { minLength: 2, maxLength: 5 }),
      rateRatio: fc.constantFrom(0.4, 0.9, 1, 1.1, 3),
      useRatio: fc.constantFrom(0.4, 0.9, 1, 1.1, 3),
    })
    .map(({ figures, useRatio, ...rest }) => {
      const isOff = figures.some(({ place }) => place === 'outside');
      return /** @type {import('mongodb-pool-predictor').TraceCheck} */ ({
        ...rest,
        useRatios: { '/a': useRatio },
        waits: { count: 100, otherShare: 0, openings: 0 },
        status: isOff ? 'fails' : 'holds',
        reason: isOff ? 'figures' : null,
        figures: figures.map((each, index) => ({
          ...each,
          kind: index === 0 ? 'meanWait' : 'p95',
          route: index === 0 ? null : `/route${index}`,
        })),
      });
    });

  test('says whether it holds, and why not, without a contradiction', () => {
    fc.assert(
      fc.property(check, (each) => {
        const words = explainCheck(each);
        const outside = each.figures.filter(({ place }) => place === 'outside').length;
        expect(words).not.toMatch(NO_FIGURE);
        expect(words.includes('The check holds')).toBe(outside === 0);
        expect(words.includes('Do not rely on the predictions')).toBe(outside > 0);
        expect(find(words, /(\d+) of \d+ figures? (?:is|are) off/) ?? 0).toBe(outside);
        const hasChanged =
          each.of === 'trace' && [each.rateRatio, each.useRatios['/a']].some((ratio) => ratio > 1.25 || ratio < 0.8);
        expect(words.includes('is not the same')).toBe(outside > 0 && hasChanged);
        expect(words.includes('lacks something')).toBe(outside > 0 && !hasChanged);
      }),
      { numRuns: 200, seed: SEED },
    );
  });

  test.each(/** @type {const} */ (['nobodyWaited', 'fewWaits', 'fewRequests', 'unknownSize']))(
    'says why there is none, and never that it holds: %s',
    (reason) => {
      const words = explainCheck({
        of: 'waits',
        status: 'notChecked',
        reason,
        poolSize: 1,
        figures: [],
        waits: { count: 0, otherShare: 0, openings: 0 },
        rateRatio: 1,
        useRatios: {},
      });
      expect(words).toMatch(/^Not checked: \S+ \S+/);
      expect(words).not.toMatch(/undefined|holds/);
    },
  );
});
