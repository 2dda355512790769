import { describe, expect, test } from '@jest/globals';
import { check, expectAnswer, expectNotYet, resultOf } from '../../support/check-lesson.js';

/** @param {string} name @param {number} ratePerSec @param {Record<string, unknown>} [settings] */
const rate = (name, ratePerSec, settings = {}) => ({ name, settings, measured: { ratePerSec } });

/** @param {string} remedy @param {string} load @param {number} p99Ms @param {object} [env] */
const treat = (remedy, load, p99Ms, env = {}) => ({
  name: `${remedy} of ${load}`, settings: { remedy, load, env },
  measured: { routes: { '/fast': { count: 400, refused: 0, failures: 0, p99Ms } }, unloaded: { serviceMs: 1, overheadMs: 2 } },
});
const remedies = [
  treat('none', 'customers', 4), treat('none', 'all', 4000),
  treat('size', 'all', 5), treat('limit', 'all', 8), treat('timeout', 'all', 501),
];
const bursts = [
  treat('warm', 'burst', 600, { MONGO_POOLSIZE: 20 }),
  treat('warm', 'burst', 120, { MONGO_POOLSIZE: 20, MONGO_MIN_POOLSIZE: 20 }),
];

describe('06-cold-start', () => {
  const name = '06-cold-start';

  test('right when the two bursts were compared', async () => {
    const [run, twist] = [20, 100].map((rttMs) => resultOf(bursts, { rttMs }));
    const results = [resultOf(remedies, { rttMs: 20 }), twist, run];
    await expectAnswer(name, { results }, 480, [5, 300]);
    expect((await check(name, { results, answer: 480 })).runs).toEqual([run]);
  });

  test('not yet without both bursts', async () => {
    const results = [resultOf(remedies, { rttMs: 20 }), resultOf(bursts.slice(1), { rttMs: 20 }), resultOf(bursts, { rttMs: 100 })];
    await expectNotYet(name, { results, answer: 480 }, /--remedies warm/);
  });
});

describe('07-change-streams', () => {
  const name = '07-change-streams';
  /** @param {number} failures @param {number} maxMs @param {Record<string, unknown>} settings */
  const run = (failures, maxMs, settings) => (
    resultOf([{ name: 'copy 5', settings: {}, measured: { count: 20, failures, maxMs } }], settings));
  const late = run(0, 1013, { leaks: 5, secondClient: false });
  const halfway = run(0, 140, { leaks: 4, secondClient: false });
  const cured = run(0, 73, { leaks: 5, secondClient: true });
  const frozen = run(20, 508, { leaks: 5, maxAwait: 86_400_000, secondClient: false });
  const unleaked = run(0, 73, { secondClient: true });

  test('right when the wait, its cure and the long hold were seen, in any order', async () => {
    expect(await check(name, { results: [halfway, frozen, cured, late] })).toMatchObject({
      isRight: true, words: expect.stringMatching(/up to 1\.0 s\..+ 73 ms\..+20 of 20/), runs: [late, cured, frozen],
    });
  });

  test.each([
    ['nothing was run', [], /no run yet/],
    ['a lane was left free', [halfway, cured, frozen], /no run yet/],
    ['only the wait was seen', [late], /--second-client/],
    ['the second client had no listeners', [unleaked, late, frozen], /--second-client/],
    ['nobody held on', [late, cured], /--max-await/],
  ])('not yet when %s', (_, results, words) => expectNotYet(name, { results }, words));
});

describe('08-remedies', () => {
  const name = '08-remedies';
  const slowMs = 1000;

  test('right when those were counted that keep customers quick, also after the twist', async () => {
    const run = resultOf([...remedies, ...bursts], { slowMs });
    const twist = resultOf(remedies.map((variant) => ({ ...variant, measured: remedies[1].measured })), { slowMs: 3000 });
    await expectAnswer(name, { results: [twist, run] }, 2, [1, 3, 5]);
    expect((await check(name, { results: [twist, run], answer: 2 })).runs).toEqual([run]);
  });

  test("a laptop's noise does not change the number: nobody notices less than 50 ms", async () => {
    const noisy = [remedies[0], remedies[1], treat('size', 'all', 18), treat('limit', 'all', 33), treat('timeout', 'all', 76)];
    await expectAnswer(name, { results: [resultOf(noisy, { slowMs })] }, 2, [1, 3]);
  });

  test('a remedy that a single run can not decide does not count', async () => {
    const unclear = [remedies[0], remedies[1], treat('size', 'all', 18), treat('limit', 'all', 49), treat('timeout', 'all', 51)];
    await expectAnswer(name, { results: [resultOf(unclear, { slowMs })] }, 1, [2, 3]);
  });

  test('right with 0 where none does', async () => {
    const helpless = remedies.map((variant) => (
      variant.settings.remedy === 'none' ? variant : treat('size', 'all', 3000)));
    expect(await check(name, { results: [resultOf(helpless, { slowMs })], answer: 0 })).toMatchObject({ isRight: true });
  });

  test('not yet when remedies were not compared', async () => {
    const results = [resultOf([...remedies.slice(0, 3), ...bursts], { slowMs })];
    await expectNotYet(name, { results, answer: 1 }, /no run of several/);
  });
});

describe('09-toll-booths', () => {
  const name = '09-toll-booths';
  const guess = { value: 1, at: '2026-11-20T14:00:00.000Z' };
  /** @param {string} role @param {number} poolSize @param {[ratePerSec: number, heavyP99Ms: number][]} repeats @param {string} [cause] */
  const pooled = (role, poolSize, repeats, cause = 'processor') => {
    const all = repeats.map(([ratePerSec, p99Ms]) => ({ measured: { poolSize, ratePerSec, heavy: { p99Ms } } }));
    return { name: `${cause}: ${role}`, settings: { cause, load: 'closed', role }, measured: all[0].measured, repeats: all };
  };
  const best = pooled('best', 4, [[323, 274], [305, 285], [297, 283]]);
  const large = pooled('reference', 100, [[325, 893], [350, 1452], [342, 876]]);
  const callers = { callers: 64 };
  const run = resultOf([pooled('size', 2, [[241, 307]]), best, large], callers);

  test.each([
    [1, /^The larger pool made heavy queries slower, not quicker\./],
    [1.5, /^Your guess was too low\./], [12, /^Your guess was too high\./],
    [2.2, /^Your guess was good\./], [3.3, /^Your guess was good\./], [7, /^Your guess was good\./],
  ])('right after a guess of %s, and says how good it was', async (value, words) => {
    expect(await check(name, { results: [run], guess: { ...guess, value } })).toMatchObject({
      isRight: true, words: expect.stringMatching(words),
      figures: [
        ['you guessed', `${value} times as long`], ['measured', '3.3 times as long (3.1 to 5.1)'],
        ['heavy p99, pool 4', '274 ms'], ['heavy p99, pool 100', '893 ms'],
      ],
      runs: [run],
    });
  });

  test('right with a single repeat, and when a newer run is not', async () => {
    const once = resultOf([pooled('best', 8, [[323, 274]]), pooled('reference', 100, [[300, 600]])], callers);
    const twist = resultOf([best, pooled('reference', 100, best.repeats.map(() => [600, 200]))], callers);
    expect(await check(name, { results: [twist, once], guess })).toMatchObject({
      isRight: true, words: expect.stringContaining('0.9 times as many queries with 100 connections as with 8'), runs: [once],
    });
  });

  test.each([
    ['the small pool did not fill the server', [best, pooled('reference', 100, [[600, 893], [650, 900], [620, 880]])], /2\.1 times as many.+4 did not fill it/],
    ['both were as quick', [best, pooled('reference', 100, [[325, 280], [320, 281], [310, 279]])], /did not fill it.+--callers 256/],
    ['the repeats disagree', [best, pooled('reference', 100, [[325, 900], [320, 230], [310, 700]])], /disagree.+0\.8 to 3\.3/],
  ])('not yet when %s', (_, variants, words) => expectNotYet(name, { results: [resultOf(variants, callers)], guess }, words));

  test.each([
    ['it was measured before the guess', run, '2026-11-21T00:00:00.000Z'],
    ['there were few callers', resultOf([best, large], { callers: 4 }), guess.at],
    ['another cause was measured', resultOf([
      pooled('best', 4, [[90, 20]], 'hotDocument'), pooled('reference', 100, [[50, 90]], 'hotDocument')], callers), guess.at],
    ['nothing was compared', resultOf([pooled('size', 4, [[323, 274]]), pooled('size', 100, [[325, 893]])], callers), guess.at],
  ])('not yet when %s', (_, result, at) => (
    expectNotYet(name, { results: [result], guess: { ...guess, at } }, /not measured since your guess: pool-lab run saturation/)));
});

describe('10-one-client-or-several', () => {
  const name = '10-one-client-or-several';
  /** @param {string} handle @param {number} ratePerSec */
  const handled = (handle, ratePerSec) => rate(`c128 ${handle}`, ratePerSec, { handle, connections: 128 });
  const [one, several, gathered] = [handled('one', 2500), handled('several', 2300), handled('gathered', 5000)];
  const poolSize = 20;

  test('right when the second was divided by the requests, also after the twist', async () => {
    const run = resultOf([one, several, gathered], { poolSize });
    const twist = resultOf([handled('one', 1000), several, gathered], { poolSize: 128 });
    await expectAnswer(name, { results: [twist, run] }, 400, [200, 1000, 2]);
    expect(await check(name, { results: [twist, run], answer: 400 })).toMatchObject({
      words: '400 µs per request, and 200 µs with gathered lookups. Several clients answered 0.9 times as many requests as '
        + 'one. Connections were not the bottleneck.',
      runs: [run],
    });
  });

  test('not yet when one of them is missing', async () => {
    await expectNotYet(name, { results: [resultOf([one, gathered], { poolSize })], answer: 2 }, /no run/);
  });
});

describe('11-batching', () => {
  const name = '11-batching';
  const [gathered, plain] = [rate('1/100 gathered', 100_000), rate('100/100 plain', 6000)];

  test('right when the rates were divided', async () => {
    const run = resultOf([rate('1/100 plain', 3600), gathered, plain]);
    await expectAnswer(name, { results: [resultOf([rate('1/1 plain', 900)]), run] }, 17, [28, 1]);
  });

  test('not yet when one of them is missing', async () => {
    await expectNotYet(name, { results: [resultOf([gathered])], answer: 17 }, /no run of both yet/);
  });
});

describe('12-workers', () => {
  const name = '12-workers';
  /** @param {number} workers @param {number} ratePerSec @param {number} [number] of the case */
  const moved = (workers, ratePerSec, number = 7) => rate(`${workers} workers`, ratePerSec, { case: number, workers });
  const run = resultOf([moved(1, 90_000), moved(8, 120_000), moved(64, 60_000)], { merge: true });
  const twist = resultOf([moved(1, 900), moved(8, 1200), moved(64, 1600)], { merge: false });
  const results = [twist, run];

  test('right when the best was found, also after the twist', async () => {
    await expectAnswer(name, { results }, 8, [1, 64]);
    expect((await check(name, { results, answer: 8 })).runs).toEqual([run]);
    expect((await check(name, { results, answer: 8 })).words).toBe('8 workers moved 120,000 operations per second, 64 moved 60,000.');
  });

  test.each([
    ['there is one number of workers', [moved(1, 90_000)]],
    ['they did other work', [moved(1, 90_000), moved(8, 100, 3)]],
  ])('not yet when %s', (_, variants) => (
    expectNotYet(name, { results: [resultOf(variants)], answer: 1 }, /no run of one case/)));
});
