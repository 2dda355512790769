import { expect, test } from '@jest/globals';
import { compareUsers } from '../../src/harness/sent-users.js';

const uniform = [{ durationMs: 10_000, arrivalCount: 3000 }];
const poisson = [{ durationMs: 10_000, arrivalRate: 300, mode: /** @type {const} */ ('poisson') }];

test.each([
  [uniform, { 'vusers.created': 3000 }, undefined],
  [uniform, { 'vusers.created': 2999 }, 'Artillery sent 2999 users instead of 3000 (0 %)'],
  [uniform, { 'vusers.created': 2900, 'vusers.skipped': 100 }, undefined],
  [uniform, {}, 'Artillery sent 0 users instead of 3000 (-100 %)'],
  [poisson, { 'vusers.created': 2840 }, undefined],
  [poisson, { 'vusers.created': 2700 }, 'Artillery sent 2700 users instead of 3000 (-10 %), which is not chance: the load was not the '
    + 'one of the scenario'],
  [poisson, { 'vusers.created': 3300 }, 'Artillery sent 3300 users instead of 3000 (+10 %)'],
])('%j and %j: %s', (phases, /** @type {Record<string, number>} */ counters, warning) => {
  const { figures, warnings } = compareUsers({ phases }, { counters, summaries: {} });
  expect(figures.usersPlanned).toBe(3000);
  expect(figures.usersSent).toBe((counters['vusers.created'] ?? 0) + (counters['vusers.skipped'] ?? 0));
  expect(warnings).toEqual(warning ? [expect.stringContaining(warning)] : []);
});
