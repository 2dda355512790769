import { expect, test } from '@jest/globals';
import { runLab } from '../../../src/harness/run-lab.js';
import { remedies } from '../../../src/labs/remedies/remedies-lab.js';
import { listFindings } from '../../../src/report/findings.js';
import { readSettings } from '../../../src/settings.js';
import { sharedMongoUrl } from '../../support/environment.js';
import { measureUntil } from '../../support/measure-until.js';

const defaults = Object.fromEntries(Object.entries(remedies.options).map(([name, option]) => [name, option.default]));

test('measured, each remedy does what it is for', async () => {
  const controller = new AbortController();
  const options = { ...defaults, treated: 2, remedies: ['client', 'limit'], slowMs: 500, environment: 'smoke' };
  /** @param {Awaited<ReturnType<typeof runLab>>} result whether customers wait for no administrator */
  const isFree = ({ variants: [, , { measured }] }) => (
    measured?.routes['/fast'].p50Ms < measured?.routes['/slow'].p50Ms / 2);
  const result = await measureUntil(() => runLab(remedies, options, {
    settings: readSettings({ MONGO_URL: sharedMongoUrl() }), signal: controller.signal,
    report: () => {}, onStep: () => {},
  }), isFree);
  expect(isFree(result)).toBe(true);
  expect(result.variants.map(({ name, error }) => [name, error])).toEqual(
    ['pool 2, no /slow', 'pool 2', 'second client 1+1', 'limit of 1'].map((name) => [name, undefined]));
  const [alone, untreated, client, limit] = result.variants.map(({ measured }) => measured);
  expect(alone?.requests).toBe(untreated?.routes['/fast'].count);
  expect(untreated?.routes['/fast'].p99Ms).toBeGreaterThan(500);
  for (const figures of [untreated, client, limit]) {
    expect(figures).toMatchObject({ requests: 110, routes: { '/fast': { refused: 0, failures: 0 } } });
    expect(figures?.connections).toBeGreaterThanOrEqual(3);
  }
  expect(limit?.routes['/slow'].refused).toBeGreaterThan(0);
  expect(client?.routes['/slow']).toMatchObject({ refused: 0 });
  expect(remedies.takeaway(result)).toMatch(/^With pool 2, .*Almost as good, within /);
  expect(listFindings(remedies, result).map(({ claim }) => claim)).toContain(
    'second client 1+1 / pool 2, no /slow: p99 of /fast');
});
