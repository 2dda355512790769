import { describe, expect, test } from '@jest/globals';
import { check, expectAnswer, expectNotYet, resultOf } from '../../support/check-lesson.js';

/** @param {number} poolSize @param {object} measured */
const pool = (poolSize, measured) => ({ name: `pool ${poolSize}`, settings: { poolSize }, measured });
/** @param {string} route @param {number} fromMs @param {number} waitMs @param {number} useMs */
const drive = (route, fromMs, waitMs, useMs) => (
  { route, checkOutStartedAtMs: fromMs, checkedOutAtMs: fromMs + waitMs, checkedInAtMs: fromMs + waitMs + useMs });
/** @param {object[]} checkouts */
const appWith = (checkouts) => ({ app: { max: 4, checkouts } });
/** @param {string} name @param {number} ratePerSec @param {Record<string, unknown>} [settings] */
const rate = (name, ratePerSec, settings = {}) => ({ name, settings, measured: { ratePerSec } });

/** @param {string} name @param {object} good evidence @param {RegExp} words @param {[object, RegExp][]} bad */
async function expectVerdicts(name, good, words, bad) {
  expect(await check(name, good)).toMatchObject({ isRight: true, words: expect.stringMatching(words) });
  for (const [evidence, reason] of bad) await expectNotYet(name, evidence, reason);
}

describe('01-what-a-pool-is/twist', () => {
  const five = Array.from({ length: 5 }, (_, index) => drive('/slow', index, 0.2, 5000));
  const four = five.map((bus, index) => drive('/slow', 60_000 + index, index === 4 ? 4998 : 0.2, 5000));
  test('right when five lanes and four were tried', () => expectVerdicts(
    '01-what-a-pool-is/twist', appWith([...five, ...four]), /With 4, a bus waited for 5\.0 s/,
    [[appWith([]), /Set the pool to 5/], [appWith(five), /Now set the pool to 4/]]));
});

describe('02-one-lane/twist', () => {
  const run = resultOf([pool(1, { requests: 300, maxMs: 9 })], { scenario: 'loadtests/fast-only.yaml' });
  test('right with Ferraris alone', () => expectVerdicts('02-one-lane/twist', { results: [run] }, /300 Ferraris took 9 ms/, [
    [{ results: [resultOf([pool(1, { maxMs: 9 })], { scenario: 'loadtests/mixed.yaml' })] }, /no run of/]]));
});

describe('03-find-the-knee/twist', () => {
  const fast = (/** @type {number} */ size, /** @type {number} */ maxMs) => (
    pool(size, { maxMs: 2000, routes: { '/fast': { maxMs } } }));
  const settings = { slowMs: 2000 };
  test('right with the knee of the Ferraris', async () => {
    const results = [resultOf([fast(1, 8000), fast(2, 1003), fast(3, 5), fast(4, 4)], settings)];
    await expectAnswer('03-find-the-knee/twist', { results }, 3, [2, 4]);
    await expectNotYet('03-find-the-knee/twist', { results: [], answer: 3 }, /no run/);
    await expectNotYet('03-find-the-knee/twist', { results: [resultOf([fast(1, 8000), fast(4, 4)], settings)], answer: 4 }, /between 1 and 4/);
  });
});

describe('04-predict-then-reveal/twist', () => {
  test('right with what the simulator says', () => expectAnswer('04-predict-then-reveal/twist', {}, 1, [2, 0.5]));
});

describe('05-wait-queue/twist', () => {
  test('right with those who got an answer', async () => {
    const results = [resultOf([pool(1, { requests: 10, failures: 8 })], { poolTimeout: 100 })];
    await expectAnswer('05-wait-queue/twist', { results }, 2, [8, 10]);
    await expectNotYet('05-wait-queue/twist', { results: [], answer: 2 }, /--pool-timeout 100/);
  });
});

describe('06-cold-start/twist', () => {
  const burst = { name: 'burst', settings: { load: 'burst', env: {} }, measured: { routes: { '/fast': { p99Ms: 2100 } } } };
  test('right with the p99 of the cold crowd', async () => {
    await expectAnswer('06-cold-start/twist', { results: [resultOf([burst], { rttMs: 100 })] }, 2100, [500, 4000]);
    await expectNotYet('06-cold-start/twist', { results: [resultOf([burst], { rttMs: 20 })], answer: 2100 }, /--rtt 100/);
  });
});

describe('07-change-streams/twist', () => {
  const run = (/** @type {number} */ leaks) => resultOf([pool(5, { maxMs: leaks * 100 })], { leaks, secondClient: false });
  test('right when three numbers were tried', () => expectVerdicts(
    '07-change-streams/twist', { results: [4, 10, 20].map(run) }, /400 ms with 4 streams, 1\.0 s with 10 streams, 2\.0 s with 20/,
    [[{ results: [run(4)] }, /--leaks 10, --leaks 20/]]));
});

describe('08-remedies/twist', () => {
  const treat = (/** @type {string} */ remedy, /** @type {string} */ load, /** @type {number} */ p99Ms) => ({
    name: remedy, settings: { remedy, load, env: {} },
    measured: { routes: { '/fast': { count: 400, refused: 0, failures: 0, p99Ms } }, unloaded: { serviceMs: 1, overheadMs: 2 } },
  });
  const variants = [treat('none', 'customers', 4), treat('size', 'all', 900), treat('client', 'all', 5)];
  test('right with those that still work', async () => {
    await expectAnswer('08-remedies/twist', { results: [resultOf(variants, { slowMs: 3000 })] }, 1, [2]);
    await expectNotYet('08-remedies/twist', { results: [resultOf(variants, { slowMs: 1000 })], answer: 1 }, /no run of several/);
  });
});

describe('09-toll-booths/twist', () => {
  const ferraris = Array.from({ length: 10 }, (_, index) => drive('/fast', index, 0.3, 20));
  const buses = (/** @type {number} */ lanes) => Array.from({ length: 30 }, (_, index) => (
    drive('/slow', 0, Math.floor(index / lanes) * 1000, 1000)));
  test('right when only buses waited, two at a time', () => expectVerdicts(
    '09-toll-booths/twist', appWith([...ferraris, ...buses(2)]), /28 buses waited, and no Ferrari did/, [
      [appWith(ferraris), /Send thirty buses/], [appWith([...ferraris, ...buses(3)]), /3 buses drove at once/],
      [appWith([...ferraris, drive('/fast', 0, 900, 20), ...buses(2)]), /1 Ferraris waited/]]));
});

describe('10-one-client-or-several/twist', () => {
  const run = (/** @type {number} */ poolSize, /** @type {number} */ ratePerSec) => (
    resultOf([rate('c128 one', ratePerSec, { handle: 'one', connections: 128 })], { poolSize }));
  test('right when both sizes were measured', () => expectVerdicts(
    '10-one-client-or-several/twist', { results: [run(128, 2400), run(20, 2000)] }, /1\.20 times as many/, [
      [{ results: [run(128, 2400)] }, /First do the lesson/], [{ results: [run(20, 2000)] }, /--pool-size 128/]]));
});

describe('11-batching/twist', () => {
  test('right with a lone caller', () => expectVerdicts(
    '11-batching/twist', { results: [resultOf([rate('1/1 plain', 1000), rate('1/1 gathered', 900)])] }, /0\.90 times/,
    [[{ results: [resultOf([rate('1/100 plain', 1000)])] }, /--cases 1\/1/]]));
});

describe('12-workers/twist', () => {
  const variants = [1, 8, 64].map((workers) => rate(`${workers}`, workers * 100, { case: 7, workers }));
  test('right with the fastest without merging', async () => {
    const results = [resultOf(variants.toReversed(), { merge: true }), resultOf(variants, { merge: false })];
    await expectAnswer('12-workers/twist', { results }, 64, [8, 1]);
    await expectNotYet('12-workers/twist', { results: results.slice(0, 1), answer: 64 }, /no run/);
  });
});

describe('14-fleet-budget/twist', () => {
  test('right with both fleets at once', () => expectAnswer('14-fleet-budget/twist', {}, 1440, [720, 1280]));
});

describe('15-your-own-app/twist', () => {
  test('right with the peak', async () => {
    const run = resultOf([pool(10, { pool: { peakActive: 2 } })], { scenario: 'loadtests/fast-only.yaml' });
    await expectAnswer('15-your-own-app/twist', { results: [run] }, 2, [1, 10]);
    await expectNotYet('15-your-own-app/twist', { results: [], answer: 2 }, /no such sweep/);
  });
});
