import { describe, expect, test } from '@jest/globals';
import { check, expectNotYet, resultOf } from '../../support/check-lesson.js';

/** @param {number} poolSize @param {number} fastMs @param {number} [failures] */
const pool = (poolSize, fastMs, failures = 0) => (
  { name: `pool ${poolSize}`, settings: { poolSize }, measured: { requests: 10, failures, routes: { '/fast': { maxMs: fastMs } } } });

describe('03-find-the-knee/puzzle', () => {
  const name = '03-find-the-knee/puzzle';
  const load = { scenario: 'loadtests/mixed.yaml' };
  test('right with two quick lanes, whatever made them quick', async () => {
    expect(await check(name, { results: [resultOf([pool(2, 900)], load), resultOf([pool(1, 9000), pool(2, 6)], load)] }))
      .toMatchObject({ isRight: true, words: expect.stringContaining('With a pool of 2 the slowest Ferrari took 6 ms') });
  });

  test.each([
    ['nothing was run', [], /no run/],
    ['the pool is too large', [resultOf([pool(3, 6)], load)], /no run/],
    ['the load was smaller', [resultOf([pool(2, 6)], { ...load, environment: 'smoke' })], /no run/],
    ['a Ferrari was late', [resultOf([pool(2, 51)], load)], /took 51 ms/],
    ['requests were refused', [resultOf([pool(2, 6, 3)], load)], /Only 7 of 10/],
  ])('not yet when %s', (_, results, words) => expectNotYet(name, { results }, words));
});

describe('06-cold-start/puzzle', () => {
  const name = '06-cold-start/puzzle';
  const burst = (/** @type {number} */ p99Ms, /** @type {object} */ env = {}, failures = 0) => (
    { name: 'burst', settings: { load: 'burst', env }, measured: { routes: { '/fast': { p99Ms, failures } } } });
  const warm = burst(100, { MONGO_MIN_POOLSIZE: 20 });
  test('right when the cold crowd is nearly as quick', async () => {
    expect(await check(name, { results: [resultOf([burst(500), warm]), resultOf([burst(140), warm], { rttMs: 1 })] })).toMatchObject({
      isRight: true, words: expect.stringContaining('1.4 times. With a round trip of 1 ms'),
    });
  });

  test.each([
    ['only one crowd came', [warm], /no run of both bursts/], ['the cold crowd waited', [burst(500), warm], /5\.0 times/],
    ['someone got no answer', [burst(90, {}, 2), warm], /2 customers/],
  ])('not yet when %s', (_, variants, words) => expectNotYet(name, { results: [resultOf(variants, { rttMs: 20 })] }, words));
});

describe('09-toll-booths/puzzle', () => {
  const name = '09-toll-booths/puzzle';
  const treat = (/** @type {object} */ env, /** @type {number} */ p99Ms, refused = 0) => ({
    name: 'treated', settings: { load: 'all', env }, measured: { routes: { '/fast': { p99Ms, refused: 0, failures: 0 }, '/slow': { refused } } },
  });
  test('right with four connections and no refusal', async () => {
    const results = [resultOf([treat({ MONGO_POOLSIZE: 1, SLOW_POOLSIZE: 3 }, 12)], { slowMs: 1000 })];
    expect(await check(name, { results })).toMatchObject({ isRight: true, words: expect.stringContaining('12 ms') });
  });

  test('on a busy machine, within twice the time without administrators', async () => {
    const alone = { ...treat({ MONGO_POOLSIZE: 4 }, 90), settings: { load: 'customers', env: { MONGO_POOLSIZE: 4 } } };
    const results = [resultOf([alone, treat({ MONGO_POOLSIZE: 1, SLOW_POOLSIZE: 3 }, 120)], { slowMs: 1000 })];
    expect(await check(name, { results })).toMatchObject({ isRight: true });
  });

  test.each([
    ['the pool is too large', [treat({ MONGO_POOLSIZE: 2, SLOW_POOLSIZE: 3 }, 12)], 1000, /no run/],
    ['the slow queries are quicker', [treat({ MONGO_POOLSIZE: 4 }, 12)], 10, /no run/],
    ['customers wait', [treat({ MONGO_POOLSIZE: 4 }, 4000)], 1000, /4\.0 s/],
    ['administrators are refused', [treat({ MONGO_POOLSIZE: 4 }, 12, 7)], 1000, /7 refused/],
  ])('not yet when %s', (_, variants, slowMs, words) => expectNotYet(name, { results: [resultOf(variants, { slowMs })] }, words));
});

describe('12-workers/puzzle', () => {
  const name = '12-workers/puzzle';
  const rate = (/** @type {string} */ title, /** @type {number} */ sessions, /** @type {number} */ ratePerSec) => (
    { name: title, settings: { sessions }, measured: { ratePerSec } });
  test('right with three times as much over two connections', async () => {
    const run = resultOf([rate('100/100 plain', 100, 3000), rate('2/100 plain', 2, 900), rate('2/100 gathered', 2, 12_000)]);
    expect(await check(name, { results: [run] })).toMatchObject({ isRight: true, words: expect.stringContaining('4.0 times') });
  });

  test.each([
    ['there is nothing to compare with', [rate('2/100 gathered', 2, 12_000)], /no run/],
    ['the pool is too large', [rate('100/100 plain', 100, 3000), rate('3/100 gathered', 3, 12_000)], /no run/],
    ['it is not enough', [rate('100/100 plain', 100, 3000), rate('2/100 plain', 2, 900)], /0\.3 times.+must be 3 times/],
  ])('not yet when %s', (_, variants, words) => expectNotYet(name, { results: [resultOf(variants)] }, words));
});

describe('15-your-own-app/puzzle', () => {
  const name = '15-your-own-app/puzzle';
  const load = { scenario: 'loadtests/mixed.yaml' };
  test('right when one lane was enough', async () => {
    expect(await check(name, { results: [resultOf([pool(1, 8)], load)] })).toMatchObject({ isRight: true });
  });

  test.each([
    ['the pool is larger', pool(2, 8), /no sweep/], ['a customer waited', pool(1, 900), /900 ms/],
    ['requests failed', pool(1, 8, 4), /Only 6 of 10/],
  ])('not yet when %s', (_, variant, words) => expectNotYet(name, { results: [resultOf([variant], load)] }, words));
});

describe('15-your-own-app', () => {
  const name = '15-your-own-app';
  test('right when several sizes were swept, with the smallest that is enough', async () => {
    const run = resultOf([pool(1, 20_000), pool(3, 2000), pool(10, 6)]);
    expect(await check(name, { results: [resultOf([pool(10, 6)]), run] })).toMatchObject({ isRight: true, truth: 10, runs: [run] });
  });

  test('not yet with one size, or when none is enough', async () => {
    await expectNotYet(name, { results: [resultOf([pool(10, 6)])] }, /no sweep of several sizes/);
    await expectNotYet(name, { results: [resultOf([pool(1, 900), pool(2, 800)])] }, /Measure a larger pool/);
  });
});
