import { describe, expect, test } from '@jest/globals';
import { createSampleResult } from '../../report/sample-result.js';
import { check, expectAnswer, expectNotYet, resultOf } from '../../support/check-lesson.js';

/** @import { Result } from '../../../src/report/result-types.js' */

/**
 * A result of the mixed lab.
 * @param {Record<number, number>} maxima response of the slowest request by pool size, in ms
 * @param {Partial<Result>} [changes]
 */
function mixedResult(maxima, changes) {
  const [{ measured }] = createSampleResult().variants;
  const variants = Object.entries(maxima).map(([size, maxMs]) => ({
    name: `pool ${size}`,
    settings: { poolSize: Number(size) },
    measured: { ...measured, maxMs, unloaded: { serviceMs: 2, overheadMs: 1 } },
    predicted: { maxMs: 11_000 },
  }));
  return createSampleResult({ variants, ...changes });
}

/** @param {{ route: string, checkOutStartedAtMs: number, checkedOutAtMs: number | null, checkedInAtMs?: number | null }[]} checkouts */
const appWith = (...checkouts) => ({ app: { max: 2, checkouts } });

/** Five buses of 5 s each, one per second, in a tunnel. @param {number} lanes */
function driveBuses(lanes) {
  const freeAtMs = Array.from({ length: lanes }, () => 0);
  return Array.from({ length: 5 }, (_, index) => {
    const checkOutStartedAtMs = index * 1000;
    const lane = freeAtMs.indexOf(Math.min(...freeAtMs));
    const checkedOutAtMs = Math.max(checkOutStartedAtMs + 0.2, freeAtMs[lane] + 1);
    freeAtMs[lane] = checkedOutAtMs + 5000;
    return { route: '/slow', checkOutStartedAtMs, checkedOutAtMs, checkedInAtMs: freeAtMs[lane] };
  });
}

describe('01-what-a-pool-is', () => {
  const name = '01-what-a-pool-is';

  test('right when buses waited for one of two lanes, and says how many and how long', async () => {
    expect(await check(name, appWith(...driveBuses(2)))).toMatchObject({
      isRight: true, words: expect.stringContaining('With both lanes taken, 3 buses waited, the longest for 6.0 s'),
    });
  });

  test('and still right when the twist has changed the pool since', async () => {
    const later = driveBuses(4).map((bus) => (
      { ...bus, checkOutStartedAtMs: bus.checkOutStartedAtMs + 60_000, checkedOutAtMs: bus.checkedOutAtMs + 60_000, checkedInAtMs: bus.checkedInAtMs + 60_000 }));
    const { app } = appWith(...driveBuses(2), ...later);
    expect(await check(name, { app: { ...app, max: 4 } })).toMatchObject({
      isRight: true, words: expect.stringContaining('3 buses waited'),
    });
  });

  test.each([
    ['nothing came', appWith(), /Send the load/],
    ['only Ferraris came', appWith({ route: '/fast', checkOutStartedAtMs: 0, checkedOutAtMs: 9000 }), /No bus/],
    ['no bus waited', appWith(...driveBuses(2).slice(0, 2)), /there are 2 lanes/],
    ['there was one lane', appWith(...driveBuses(1)), /a tunnel with 1 lane\./],
    ['there were three', appWith(...driveBuses(3)), /a tunnel with 3 lanes\. Start the app with MONGO_POOLSIZE=2/],
    ['the only bus got no lane', appWith({ route: '/slow', checkOutStartedAtMs: 0, checkedOutAtMs: null }), /No bus/],
  ])('not yet when %s', (_, evidence, words) => expectNotYet(name, evidence, words));
});

describe('02-one-lane', () => {
  const name = '02-one-lane';
  const failed = mixedResult({ 1: 21_000 });
  failed.variants[0].error = '2 x HTTP 503';
  const idle = mixedResult({ 1: 21_000 });
  Object.assign(idle.variants[0].measured?.routes['/fast'], { maxMs: 6 });

  test('right with a run of one lane alone', async () => {
    const alone = mixedResult({ 1: 21_000 });
    expect(await check(name, { results: [mixedResult({ 1: 21_000, 3: 7000 }), alone] })).toMatchObject({
      isRight: true, words: expect.stringContaining('A query of 2 ms was answered after 20.1 s'), runs: [alone],
    });
  });

  test('and still right when the twist was measured since', async () => {
    const alone = mixedResult({ 1: 21_000 });
    expect(await check(name, { results: [idle, alone] })).toMatchObject({ isRight: true, runs: [alone] });
  });

  test.each([
    ['nothing was run', [], /First run it with one lane/],
    ['another size was run', [mixedResult({ 3: 7000 })], /First run it with one lane/],
    ['only the demo was run', [mixedResult({ 1: 21_000, 3: 7000, 10: 5000 })], /First run it with one lane/],
    ['requests failed', [failed], /2 x HTTP 503/],
    ['no Ferrari waited', [idle], /no Ferrari waited/],
  ])('not yet when %s', (_, results, words) => expectNotYet(name, { results }, words));
});

describe('03-find-the-knee', () => {
  const name = '03-find-the-knee';
  const far = { 1: 21_000, 3: 7000, 10: 5010 };
  const near = { 4: 6000, 5: 5030, 6: 5000 };

  test('right when the sizes around the knee were measured, over several runs', async () => {
    const results = [mixedResult(near), mixedResult(far)];
    expect(await check(name, { results })).toMatchObject({
      isRight: true, words: expect.stringContaining('The knee is at 5 connections'), runs: expect.arrayContaining(results),
    });
  });

  test('and still right when the twist was measured since', async () => {
    const twist = mixedResult({ 1: 10_000, 2: 4000, 3: 3000, 4: 2000 }, { settings: { slowMs: 2000 } });
    expect(await check(name, { results: [twist, mixedResult(near), mixedResult(far)] })).toMatchObject({ isRight: true });
    await expectNotYet(name, { results: [twist] }, /measure several/);
  });

  const ofAnotherLoad = mixedResult(near, { settings: { scenario: 'other.yaml', slowMs: 5000 } });
  test.each([
    ['nothing was run', [], /measure several/],
    ['the knee may be smaller', [mixedResult(far)], /between 3 and 10/],
    ['the knee may be larger', [mixedResult({ 1: 21_000, 3: 7000, 4: 6000 })], /4, is the best so far/],
    ['the smallest was good at once', [mixedResult({ 7: 5000, 8: 5000 })], /between 0 and 7/],
    ['the sizes between are of another load', [mixedResult(far), ofAnotherLoad], /between 3 and 10/],
  ])('not yet when %s', (_, results, words) => expectNotYet(name, { results }, words));
});

describe('04-predict-then-reveal', () => {
  const name = '04-predict-then-reveal';
  const guess = { value: 14, at: '2026-11-20T14:00:00.000Z' };
  const results = [mixedResult({ 2: 11_040 })];

  test('shows guess, prediction and measurement, and how far off the guess was', async () => {
    expect(await check(name, { results, guess })).toEqual({
      isRight: true,
      words: expect.stringContaining('27 % too high'),
      figures: [['you guessed', '14.0 s'], ['predicted', '11.0 s'], ['measured', '11.0 s']],
      runs: results,
      truth: 11.04,
    });
    expect((await check(name, { results, guess: { ...guess, value: 11 } })).words).toMatch(/like a queue/);
    expect((await check(name, { results, guess: { ...guess, value: 5.5 } })).words).toMatch(/50 % too low/);
  });

  test('not yet when the guess came after the measurement, or another size was measured', async () => {
    await expectNotYet(name, { results, guess: { ...guess, at: '2026-11-20T15:00:00.000Z' } }, /not measured since/);
    await expectNotYet(name, { results: [mixedResult({ 3: 7000 })], guess }, /not measured since/);
  });
});

describe('05-wait-queue', () => {
  const name = '05-wait-queue';
  /** @param {number} poolSize @param {number} failures */
  const lanes = (poolSize, failures) => ({
    name: `pool ${poolSize}`, settings: { poolSize }, measured: { requests: 10, failures, pool: { waitMaxMs: 2014 } },
  });

  const limit = { poolTimeout: 2500 };

  test('right when the refused ones were counted, also after the twist', async () => {
    const twist = resultOf([lanes(1, 8), lanes(5, 0)], { poolTimeout: 100 });
    const results = [twist, resultOf([lanes(3, 0)], limit), resultOf([lanes(1, 7), lanes(5, 0)], limit)];
    await expectAnswer(name, { results }, 7, [3, 8, 10]);
    expect((await check(name, { results, answer: 7 })).runs).toEqual([results[2]]);
    expect((await check(name, { results, answer: 7 })).words).toMatch(/7 of 10 were refused.+2\.0 s.+5 lanes/);
  });

  test.each([
    ['without a limit', [lanes(1, 0), lanes(5, 0)]],
    ['with a limit that refuses in every pool', [lanes(1, 9), lanes(5, 2)]],
    ['of one lane alone', [lanes(1, 7)]],
  ])('not yet after a run %s', (_, variants) => (
    expectNotYet(name, { results: [resultOf(variants, limit)], answer: 7 }, /--pool-timeout 2500/)));
});
