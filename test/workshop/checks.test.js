import { readFile } from 'node:fs/promises';
import { describe, expect, test } from '@jest/globals';
import { readTrace } from '../../src/predict/trace.js';
import { readLessons } from '../../src/workshop/lessons.js';
import { createSampleResult } from '../report/sample-result.js';

/** @import { Result } from '../../src/report/types.js' */
/** @import { Evidence } from '../../src/workshop/types.js' */

const lessons = await readLessons();

/** @param {string} name @param {object} evidence */
function check(name, evidence) {
  const lesson = lessons.find((one) => one.name === name);
  return lesson?.check(/** @type {Evidence} */ (evidence));
}

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

/** @param {number[]} waitsMs */
const busesThatWaited = (...waitsMs) => ({
  app: { max: 2, checkouts: waitsMs.map((waitMs) => ({ route: '/slow', askedAtMs: 1000, gotAtMs: 1000 + waitMs })) },
});

describe('01-what-a-pool-is', () => {
  const name = '01-what-a-pool-is';

  test('right when buses waited, and says how many and how long', () => {
    expect(check(name, busesThatWaited(0.2, 1, 3000, 3001, 6004))).toMatchObject({
      isRight: true, words: expect.stringContaining('3 of 5 buses waited for one of 2 lanes, the longest for 6.0 s'),
    });
  });

  test.each([
    ['nobody came', { app: { max: 2, checkouts: [] } }, /send the load/],
    ['only Ferraris came', { app: { max: 2, checkouts: [{ route: '/fast', askedAtMs: 0, gotAtMs: 9000 }] } }, /No bus/],
    ['nobody waited', busesThatWaited(0.2, 0.3), /2 lanes are too many/],
    ['the only one who waited got no lane', { app: { max: 2, checkouts: [{ route: '/slow', askedAtMs: 0, gotAtMs: null }] } }, /No bus/],
  ])('not yet when %s', (_, evidence, words) => {
    expect(check(name, evidence)).toMatchObject({ isRight: false, words: expect.stringMatching(words) });
  });
});

describe('02-one-lane', () => {
  const name = '02-one-lane';

  test('right with a run of one lane alone', () => {
    expect(check(name, { results: [mixedResult({ 1: 21_000, 3: 7000 }), mixedResult({ 1: 21_000 })] })).toMatchObject({
      isRight: true, words: expect.stringContaining('A query of 2 ms was answered after 20.1 s'),
    });
  });

  const failed = mixedResult({ 1: 21_000 });
  failed.variants[0].error = '2 x HTTP 503';
  const idle = mixedResult({ 1: 21_000 });
  Object.assign(idle.variants[0].measured?.routes['/fast'], { maxMs: 6 });
  test.each([
    ['nothing was run', [], /no run with one lane/],
    ['other sizes were run', [mixedResult({ 3: 7000 })], /no run with one lane/],
    ['only the demo was run', [mixedResult({ 1: 21_000, 3: 7000, 10: 5000 })], /no run with one lane/],
    ['requests failed', [failed], /2 x HTTP 503/],
    ['nobody waited', [idle], /no Ferrari waited/],
  ])('not yet when %s', (_, results, words) => {
    expect(check(name, { results })).toMatchObject({ isRight: false, words: expect.stringMatching(words) });
  });
});

describe('03-find-the-knee', () => {
  const name = '03-find-the-knee';
  const far = { 1: 21_000, 3: 7000, 10: 5010 };

  test('right when the sizes around the knee were measured, over several runs', () => {
    expect(check(name, { results: [mixedResult({ 4: 6000, 5: 5030, 6: 5000 }), mixedResult(far)] })).toMatchObject({
      isRight: true, words: expect.stringContaining('The knee is at 5 connections'),
    });
  });

  test.each([
    ['nothing was run', [], /measure several/],
    ['the knee may be smaller', [mixedResult(far)], /between 3 and 10/],
    ['the knee may be larger', [mixedResult({ 1: 21_000, 3: 7000, 4: 6000 })], /4, is still the best/],
    ['a single size was good at once', [mixedResult({ 7: 5000, 8: 5000 })], /between 0 and 7/],
    ['the sizes between are of another load', [mixedResult(far), mixedResult({ 4: 6000, 5: 5000, 6: 5000 },
      { settings: { scenario: 'other.yaml' } })], /between 3 and 10/],
  ])('not yet when %s', (_, results, words) => {
    expect(check(name, { results })).toMatchObject({ isRight: false, words: expect.stringMatching(words) });
  });
});

describe('04-predict-then-reveal', () => {
  const name = '04-predict-then-reveal';
  const guess = { value: 14, at: '2026-11-20T14:00:00.000Z' };
  const results = [mixedResult({ 2: 11_040 })];

  test('shows guess, prediction and measurement, and how far off the guess was', () => {
    expect(check(name, { results, guess })).toEqual({
      isRight: true,
      words: expect.stringContaining('27 % too high'),
      figures: [['you guessed', '14.0 s'], ['predicted', '11.0 s'], ['measured', '11.0 s']],
    });
    expect(check(name, { results, guess: { ...guess, value: 11 } })?.words).toMatch(/like a queue/);
    expect(check(name, { results, guess: { ...guess, value: 5.5 } })?.words).toMatch(/50 % too low/);
  });

  test('not yet when the guess came after the measurement, or another size was measured', () => {
    expect(check(name, { results, guess: { ...guess, at: '2026-11-20T15:00:00.000Z' } })?.isRight).toBe(false);
    expect(check(name, { results: [mixedResult({ 3: 7000 })], guess })?.isRight).toBe(false);
  });
});

/**
 * A result of any lab.
 * @param {Record<string, any>[]} variants
 * @param {Record<string, unknown>} [settings]
 */
const resultOf = (variants, settings = {}) => createSampleResult({ variants: /** @type {any} */ (variants), settings });

/** @param {string} name @param {number} ratePerSec @param {Record<string, unknown>} [settings] */
const rate = (name, ratePerSec, settings = {}) => ({ name, settings, measured: { ratePerSec } });

/**
 * What a check says to several answers: only that which is right passes.
 * @param {string} name of the lesson
 * @param {object} evidence
 * @param {number} answer
 * @param {number[]} others
 */
function expectAnswer(name, evidence, answer, others) {
  expect(check(name, { ...evidence, answer })).toMatchObject({ isRight: true });
  for (const other of [...others, -1, 0]) expect({ other, ...check(name, { ...evidence, answer: other }) }).toMatchObject({ isRight: false });
}

describe('05-wait-queue', () => {
  const name = '05-wait-queue';
  /** @param {number} poolSize @param {number} failures */
  const lanes = (poolSize, failures) => ({
    name: `pool ${poolSize}`, settings: { poolSize }, measured: { requests: 10, failures, pool: { waitMaxMs: 2014 } },
  });

  test('right when the refused ones were counted', () => {
    const results = [resultOf([lanes(3, 0)]), resultOf([lanes(1, 7), lanes(5, 0)])];
    expectAnswer(name, { results }, 7, [3, 10]);
    expect(check(name, { results, answer: 7 })?.words).toMatch(/7 of 10 were refused.+2\.0 s.+5 lanes/);
  });

  test.each([
    ['without a limit', [lanes(1, 0), lanes(5, 0)]],
    ['with a limit that refuses in every pool', [lanes(1, 9), lanes(5, 2)]],
    ['of one lane alone', [lanes(1, 7)]],
  ])('not yet after a run %s', (_, variants) => {
    expect(check(name, { results: [resultOf(variants)], answer: 7 })).toMatchObject({ isRight: false, words: expect.stringMatching(/set the limit/) });
  });
});

/** @param {string} name @param {string} remedy @param {string} load @param {number} p99Ms @param {object} [env] */
const remedy = (name, remedy, load, p99Ms, env = {}) => (
  { name, settings: { remedy, load, env }, measured: { routes: { '/fast': { p99Ms } } } });
const treated = [
  remedy('pool 5, no /slow', 'none', 'customers', 4), remedy('pool 5', 'none', 'all', 4000),
  remedy('pool 20', 'size', 'all', 5), remedy('cap of 3', 'cap', 'all', 8), remedy('timeout 500 ms', 'timeout', 'all', 501),
];
const bursts = [
  remedy('burst, cold pool', 'warm', 'burst', 600, { MONGO_POOLSIZE: 20 }),
  remedy('burst, warm pool', 'warm', 'burst', 120, { MONGO_POOLSIZE: 20, MONGO_MIN_POOLSIZE: 20 }),
];

describe('06-cold-start', () => {
  const name = '06-cold-start';

  test('right when the two bursts were compared', () => {
    expectAnswer(name, { results: [resultOf(treated), resultOf(bursts)] }, 5, [3, 0.2]);
  });

  test('not yet without both bursts', () => {
    expect(check(name, { results: [resultOf(treated), resultOf(bursts.slice(1))], answer: 5 })).toMatchObject({
      isRight: false, words: expect.stringContaining('--remedies warm'),
    });
  });
});

describe('07-change-streams', () => {
  const name = '07-change-streams';
  const frozen = resultOf([{ name: 'copy 5', settings: {}, measured: { count: 20, failures: 20 } }], { leaks: 5, secondClient: false });
  const cured = resultOf([{ name: 'copy 5', settings: {}, measured: { count: 20, failures: 0 } }], { leaks: 5, secondClient: true });
  const halfway = resultOf([{ name: 'copy 5', settings: {}, measured: { count: 20, failures: 3 } }], { leaks: 4, secondClient: false });
  const unleaked = resultOf([{ name: 'copy 5', settings: {}, measured: { count: 20, failures: 0 } }], { secondClient: true });

  test('right when both the freeze and its cure were seen', () => {
    expect(check(name, { results: [cured, frozen] })).toMatchObject({ isRight: true, words: expect.stringContaining('20 of 20') });
  });

  test.each([
    ['nothing was run', [], /no run yet/],
    ['a lane was left free', [halfway, cured], /no run yet/],
    ['only the freeze was seen', [frozen], /--second-client/],
    ['the second client had no listeners', [unleaked, frozen], /--second-client/],
  ])('not yet when %s', (_, results, words) => {
    expect(check(name, { results })).toMatchObject({ isRight: false, words: expect.stringMatching(words) });
  });
});

describe('08-remedies', () => {
  const name = '08-remedies';

  test('right when those were counted that keep customers quick', () => {
    expectAnswer(name, { results: [resultOf([...treated, ...bursts])] }, 2, [1, 3, 5]);
  });

  test('not yet when remedies were not compared', () => {
    expect(check(name, { results: [resultOf([...treated.slice(0, 3), ...bursts])], answer: 1 })).toMatchObject({
      isRight: false, words: expect.stringMatching(/no run of several remedies/),
    });
  });
});

describe('09-one-client-or-several', () => {
  const name = '09-one-client-or-several';
  const [one, several, gathered] = [['one', 2800], ['several', 2700], ['gathered', 5600]].map(([handle, perSec]) => (
    rate(`c128 ${handle}`, Number(perSec), { handle, connections: 128 })));

  test('right when the rates were divided', () => {
    expectAnswer(name, { results: [resultOf([one, several, gathered])] }, 2, [0.5, 1]);
  });

  test('not yet when one of them is missing', () => {
    expect(check(name, { results: [resultOf([one, gathered])], answer: 2 })).toMatchObject({ isRight: false, words: expect.stringMatching(/no run/) });
  });
});

describe('10-batching', () => {
  const name = '10-batching';

  test('right when the rates were divided', () => {
    expectAnswer(name, { results: [resultOf([rate('1/100 plain', 3600), rate('1/100 gathered', 100_000), rate('100/100 plain', 6000)])] },
      17, [28, 1]);
  });

  test('not yet when one of them is missing', () => {
    expect(check(name, { results: [resultOf([rate('1/100 gathered', 100_000)])], answer: 17 })?.isRight).toBe(false);
  });
});

describe('11-workers', () => {
  const name = '11-workers';
  const ways = [[1, 90_000], [8, 120_000], [64, 60_000]].map(([workers, perSec]) => rate(`${workers}`, perSec, { case: 7, workers }));

  test('right when the best was found', () => {
    expectAnswer(name, { results: [resultOf(ways)] }, 8, [1, 64]);
    expect(check(name, { results: [resultOf(ways)], answer: 8 })?.words).toBe('8 moved 120,000 operations a second, 64 moved 60,000.');
  });

  test('not yet when there is nothing to compare', () => {
    expect(check(name, { results: [resultOf(ways.slice(0, 1))], answer: 1 })?.isRight).toBe(false);
    expect(check(name, { results: [resultOf([ways[0], rate('8', 1, { case: 3, workers: 8 })])], answer: 1 })?.isRight).toBe(false);
  });
});

describe('12-your-own-pool', () => {
  const name = '12-your-own-pool';

  test('right with what advise says of the trace', async () => {
    const trace = await readTrace('examples/ordinary-minute.jsonl');
    expect(check(name, { trace, answer: 14 })).toMatchObject({ isRight: true });
    expect(check(name, { trace, answer: 15 })).toMatchObject({ isRight: false, words: expect.stringContaining('so are fewer') });
  });

  test('not yet with a trace in which nothing helps', () => {
    const count = 400;
    const trace = {
      header: {}, routes: ['/fast'], warnings: [], waitMs: new Array(count).fill(0), useMs: new Array(count).fill(80),
      askedMs: Array.from({ length: count }, (_, index) => index * 10), routeOf: new Array(count).fill(0),
    };
    expect(check(name, { trace, answer: 14 })).toMatchObject({ isRight: false, words: expect.stringMatching(/No pool keeps the promise/) });
  });
});

describe('13-fleet-budget', () => {
  test('right with the largest pool that fits', () => {
    expectAnswer('13-fleet-budget', {}, 5, [4, 6, 7, 73]);
  });
});

test('every lesson has samples here', async () => {
  // Each describe block above bears the name of its lesson.
  const text = await readFile(new URL(import.meta.url), 'utf8');
  expect(lessons.map(({ name }) => name).filter((name) => !text.includes(`describe('${name}'`))).toEqual([]);
});
