import { describe, expect, test } from '@jest/globals';
import { check, expectAnswer, expectNotYet, resultOf } from '../../support/check-lesson.js';

/** @param {string} name @param {number} ratePerSec @param {Record<string, unknown>} [settings] */
const rate = (name, ratePerSec, settings = {}) => ({ name, settings, measured: { ratePerSec } });

/** @param {string} remedy @param {string} load @param {number} p99Ms @param {object} [env] */
const treat = (remedy, load, p99Ms, env = {}) => (
  { name: `${remedy} of ${load}`, settings: { remedy, load, env }, measured: { routes: { '/fast': { p99Ms } } } });
const remedies = [
  treat('none', 'customers', 4), treat('none', 'all', 4000),
  treat('size', 'all', 5), treat('cap', 'all', 8), treat('timeout', 'all', 501),
];
const bursts = [
  treat('warm', 'burst', 600, { MONGO_POOLSIZE: 20 }),
  treat('warm', 'burst', 120, { MONGO_POOLSIZE: 20, MONGO_MIN_POOLSIZE: 20 }),
];

describe('06-cold-start', () => {
  const name = '06-cold-start';

  test('right when the two bursts were compared', () => {
    expectAnswer(name, { results: [resultOf(remedies), resultOf(bursts)] }, 5, [3, 0.2]);
  });

  test('not yet without both bursts', () => {
    expectNotYet(name, { results: [resultOf(remedies), resultOf(bursts.slice(1))], answer: 5 }, /--remedies warm/);
  });
});

describe('07-change-streams', () => {
  const name = '07-change-streams';
  /** @param {number} failures @param {Record<string, unknown>} settings */
  const run = (failures, settings) => (
    resultOf([{ name: 'copy 5', settings: {}, measured: { count: 20, failures } }], settings));
  const frozen = run(20, { leaks: 5, secondClient: false });
  const halfway = run(3, { leaks: 4, secondClient: false });
  const cured = run(0, { leaks: 5, secondClient: true });
  const unleaked = run(0, { secondClient: true });

  test('right when both the freeze and its cure were seen', () => {
    expect(check(name, { results: [cured, frozen] })).toMatchObject({
      isRight: true, words: expect.stringContaining('20 of 20'),
    });
  });

  test.each([
    ['nothing was run', [], /no run yet/],
    ['a lane was left free', [halfway, cured], /no run yet/],
    ['only the freeze was seen', [frozen], /--second-client/],
    ['the second client had no listeners', [unleaked, frozen], /--second-client/],
  ])('not yet when %s', (_, results, words) => expectNotYet(name, { results }, words));
});

describe('08-remedies', () => {
  const name = '08-remedies';

  test('right when those were counted that keep customers quick', () => {
    expectAnswer(name, { results: [resultOf([...remedies, ...bursts])] }, 2, [1, 3, 5]);
  });

  test('right with 0 where none does', () => {
    const helpless = remedies.map((variant) => (
      variant.settings.remedy === 'none' ? variant : treat('size', 'all', 3000)));
    expect(check(name, { results: [resultOf(helpless)], answer: 0 })).toMatchObject({ isRight: true });
  });

  test('not yet when remedies were not compared', () => {
    expectNotYet(name, { results: [resultOf([...remedies.slice(0, 3), ...bursts])], answer: 1 }, /no run of several/);
  });
});

describe('09-one-client-or-several', () => {
  const name = '09-one-client-or-several';
  /** @param {string} handle @param {number} ratePerSec */
  const handled = (handle, ratePerSec) => rate(`c128 ${handle}`, ratePerSec, { handle, connections: 128 });
  const [one, several, gathered] = [handled('one', 2800), handled('several', 2700), handled('gathered', 5600)];

  test('right when the rates were divided', () => {
    expectAnswer(name, { results: [resultOf([one, several, gathered])] }, 2, [0.5, 1]);
  });

  test('not yet when one of them is missing', () => {
    expectNotYet(name, { results: [resultOf([one, gathered])], answer: 2 }, /no run/);
  });
});

describe('10-batching', () => {
  const name = '10-batching';
  const [gathered, plain] = [rate('1/100 gathered', 100_000), rate('100/100 plain', 6000)];

  test('right when the rates were divided', () => {
    expectAnswer(name, { results: [resultOf([rate('1/100 plain', 3600), gathered, plain])] }, 17, [28, 1]);
  });

  test('not yet when one of them is missing', () => {
    expectNotYet(name, { results: [resultOf([gathered])], answer: 17 }, /no run of both/);
  });
});

describe('11-workers', () => {
  const name = '11-workers';
  /** @param {number} workers @param {number} ratePerSec @param {number} [number] of the case */
  const moved = (workers, ratePerSec, number = 7) => rate(`${workers} workers`, ratePerSec, { case: number, workers });
  const results = [resultOf([moved(1, 90_000), moved(8, 120_000), moved(64, 60_000)])];

  test('right when the best was found', () => {
    expectAnswer(name, { results }, 8, [1, 64]);
    expect(check(name, { results, answer: 8 }).words).toBe('8 moved 120,000 operations a second, 64 moved 60,000.');
  });

  test.each([
    ['there is one number of workers', [moved(1, 90_000)]],
    ['they did other work', [moved(1, 90_000), moved(8, 100, 3)]],
  ])('not yet when %s', (_, variants) => (
    expectNotYet(name, { results: [resultOf(variants)], answer: 1 }, /no run of one case/)));
});
