import { expect, test } from '@jest/globals';
import { compareUsers, foreseeLostUsers } from '../../src/harness/sent-users.js';

/** @typedef {import('mongodb-pool-predictor').Workload['phases'][number]} Phase */

const uniform = [{ durationMs: 10_000, arrivalCount: 3000 }];
const poisson = [{ durationMs: 10_000, arrivalRate: 300, mode: /** @type {const} */ ('poisson') }];

/** @type {[Phase[], Record<string, number>, string | undefined][]} */
const CASES = [
  [uniform, { 'vusers.created': 3000 }, undefined],
  [uniform, { 'vusers.created': 2999 }, 'Artillery sent 2999 users instead of 3000 (0 %)'],
  [uniform, { 'vusers.created': 2900, 'vusers.skipped': 100 }, undefined],
  [uniform, {}, 'Artillery sent 0 users instead of 3000 (-100 %)'],
  [poisson, { 'vusers.created': 2840 }, undefined],
  [poisson, { 'vusers.created': 2700 }, 'Artillery sent 2700 users instead of 3000 (-10 %), which is not chance: the load was not the '
    + 'one of the scenario'],
  [poisson, { 'vusers.created': 3300 }, 'Artillery sent 3300 users instead of 3000 (+10 %)'],
];

test.each(CASES)('%j and %j: %s', (phases, counters, warning) => {
  const { figures, warnings } = compareUsers({ phases }, { counters, summaries: {} });
  expect(figures.usersPlanned).toBe(3000);
  expect(figures.usersSent).toBe((counters['vusers.created'] ?? 0) + (counters['vusers.skipped'] ?? 0));
  expect(warnings).toEqual(warning ? [expect.stringContaining(warning)] : []);
});

test.each([
  [[], 1, undefined], [uniform, 1, undefined], [[{ ...poisson[0], mode: /** @type {const} */ ('uniform') }], 1, undefined],
  [[{ ...poisson[0], arrivalRate: 99 }], 1, undefined], [poisson, 4, undefined],
  [[{ ...poisson[0], arrivalRate: 100 }], 1, 'up to 100 users per second in a worker thread'],
  [poisson, 1, 'will send about 8 % fewer'], [poisson, 2, 'will send about 4 % fewer'],
])('%j with %i workers is expected to lose users: %s', (phases, workers, warning) => {
  expect(foreseeLostUsers({ phases }, workers)).toEqual(warning ? [expect.stringContaining(warning)] : []);
});
