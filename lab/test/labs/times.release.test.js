import { expect, test } from '@jest/globals';
import { mixed } from '../../labs/mixed/mixed-lab.js';
import { remedies } from '../../labs/remedies/remedies-lab.js';
import { saturation } from '../../labs/saturation/saturation-lab.js';
import { sessions } from '../../labs/sessions/sessions-lab.js';
import { isBusyMachine } from '../../labs/remedies/criterion.js';
import { measureUntil } from 'test-support/waiting.js';
import { measureLab } from '../support/measure-lab.js';

/** @import { Result } from '../../report/result-types.js' */

/** What each variant of a lab measured. @param {Result} result @returns {Record<string, any>} */
const figuresOf = ({ variants }) => Object.fromEntries(variants.map(({ name, measured }) => [name, { ...measured }]));

test('mixed: with the driver of 2020 and 3 connections, the slowest request takes 9 s, not 7', async () => {
  const [{ measured, published, exact }] = (await measureLab(mixed, { driver: '3', poolSizes: [3] })).variants;
  expect(measured).toMatchObject({ requests: 10, failures: 0 });
  // Today's driver would take `exact`.
  expect(Math.abs(measured?.maxMs - published?.maxMs)).toBeLessThan(published?.maxMs - exact?.maxMs - 1000);
});

test('remedies: each one does what it is for', async () => {
  const options = { treated: 2, remedies: ['client', 'limit'], slowMs: 500, environment: 'smoke' };
  /** @param {Result} result whether customers wait for no administrator */
  const isFree = ({ variants: [, , { measured }] }) =>
    measured?.routes['/fast'].p50Ms < measured?.routes['/slow'].p50Ms / 2;
  const result = await measureUntil(() => measureLab(remedies, options), isFree);
  expect(isFree(result)).toBe(true);
  const [alone, untreated] = result.variants.map(({ measured }) => measured);
  expect(untreated?.routes['/fast'].p99Ms).toBeGreaterThan(500);
  expect(remedies.takeaway(result)).toMatch(
    isBusyMachine(/** @type {any} */ (alone))
      ? /^Other programs used this machine/
      : /^With pool 2, .*Almost as good, within /,
  );
});

test('saturation: callers wait for one connection, and not for one each', async () => {
  const sizes = { poolSizes: [1, 2], reference: 8, loads: ['closed'], callers: 6 };
  const figures = figuresOf(
    await measureLab(saturation, { ...sizes, share: 0.5, heavyMs: 2, measureMs: 60, repeat: 3 }),
  );
  expect(figures['closed, 1'].waitMs).toBeGreaterThan(figures['closed, 1'].useMs);
  expect(figures['compared: 8'].useMs).toBeGreaterThan(figures['compared: 8'].waitMs);
  // Repeats of the large pool together have some of both.
  expect(figures['compared: 8']).toMatchObject({
    heavy: { p50Ms: expect.any(Number) },
    cheap: { p99Ms: expect.any(Number) },
  });
});

test('sessions: over a distance, ten connections answer many times as much as one', async () => {
  const options = { rtt: 50, workers: [10], queries: [5], poolSizes: [10], strategies: ['fixed', 'copy'] };
  const { '10 workers: fixed': fixed, '10 workers: copy 10': copy } = figuresOf(await measureLab(sessions, options));
  // Timers are up to a millisecond early, each way.
  expect(fixed.ratePerSec).toBeLessThan(1000 / 48);
  expect(copy.p50Ms).toBeGreaterThan(48);
  expect(copy.ratePerSec / fixed.ratePerSec).toBeGreaterThan(3);
});

test('sessions: with the chosen network delay, a query takes as long as it should', async () => {
  const options = { queryMs: 50, workers: [1], queries: [40], strategies: ['fixed'] };
  const { p50Ms, threadBusy } = figuresOf(await measureLab(sessions, options))['1 worker: fixed'];
  expect(p50Ms).toBeGreaterThan(48);
  expect(threadBusy).toBeLessThan(0.9);
});

test('sessions: a query waits for the answer to each change stream before it', async () => {
  const common = { strategies: ['copy'], workers: [4], poolSizes: [2], queries: [2] };
  const p99Of = async (/** @type {object} */ options) =>
    figuresOf(await measureLab(sessions, { ...common, ...options }))['4 workers: copy 2'].p99Ms;
  // The server answers a stream after a second, and then all queries in the queue go first.
  expect(await p99Of({ leaks: 2 })).toBeGreaterThan(500);
  // Two lanes: two streams are answered, then the other two. The queries may start late in the first round.
  expect(await p99Of({ leaks: 4, maxAwait: 300 })).toBeGreaterThan(1.5 * 300);
});
