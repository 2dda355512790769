import { expect, test } from '@jest/globals';
import { isAsGood, judgeRuns } from '../../src/advise/judgement.js';
import { parseSlo } from '../../src/advise/slo.js';

/** @import { Judgement } from '../../src/advise/judgement.js' */
/** @import { SimulationResult } from '../../src/simulator/simulate.js' */

/** @param {number} p99Ms of /x @param {object} [changes] @returns {SimulationResult} */
const runOf = (p99Ms, changes) =>
  /** @type {any} */ ({
    requests: 100,
    failures: 0,
    utilisation: p99Ms / 100,
    peakWaiting: p99Ms,
    routes: { '/x': { count: 100, all: { p99Ms, p50Ms: p99Ms / 2 } } },
    ...changes,
  });
/** 59 runs: as many as a limit needs that 95 of 100 runs keep. */
const RUNS = Array.from({ length: 59 }, (_, index) => runOf(index + 1)).reverse();
const GOALS = ['/x p99 < 59 ms', '/x p99 < 59.1 ms', '/x p50 < 30 ms'].map(parseSlo);

test('a goal is met if 95 of 100 runs stay below it, and all goals must be', () => {
  const { goals, ...rest } = judgeRuns(RUNS, GOALS);
  expect(goals.map(({ medianMs, upperMs, isMet }) => [medianMs, upperMs, isMet])).toEqual([
    [30, 59, false],
    [30, 59, true],
    [15, 29.5, true],
  ]);
  expect(rest).toMatchObject({ isMet: false, failureShare: 0, utilisation: 0.3, peakWaiting: 59, runs: RUNS });
  expect(judgeRuns(RUNS, GOALS.slice(1)).isMet).toBe(true);
});

test('a goal of a route that no request reached is missed, and failures count over all runs', () => {
  const lost = runOf(1, { failures: 30, requests: 50, routes: { '/x': { count: 0, all: { p99Ms: 1, p50Ms: 1 } } } });
  for (const one of [lost, { ...lost, routes: {} }]) {
    const { goals, failureShare } = judgeRuns([one], GOALS.slice(1));
    expect(goals.map(({ upperMs, isMet }) => [upperMs, isMet])).toEqual([
      [Infinity, false],
      [Infinity, false],
    ]);
    expect(failureShare).toBe(0.6);
  }
  const runs = [lost, ...RUNS.slice(0, -1)];
  expect(judgeRuns(runs, GOALS).failureShare).toBeCloseTo(30 / (50 + 58 * 100));
});

test('a pool is as good as the best within 5 % and 1 ms, for every goal', () => {
  const judgementOf = (/** @type {number[]} */ ...uppersMs) =>
    /** @type {Judgement} */ (/** @type {unknown} */ ({ goals: uppersMs.map((upperMs) => ({ upperMs })) }));
  const best = judgementOf(100, 10);
  expect(isAsGood(judgementOf(106, 11.5), best)).toBe(true);
  expect(isAsGood(judgementOf(106.1, 10), best)).toBe(false);
  expect(isAsGood(judgementOf(100, 11.6), best)).toBe(false);
});
