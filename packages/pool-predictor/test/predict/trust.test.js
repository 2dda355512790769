import { describe, expect, test } from '@jest/globals';
import { hideUnsure, judgeTrust } from '../../src/predict/trust.js';

/** @import { Load } from '../../src/load/load.js' */
/** @import { TraceCheck } from '../../src/predict/check-trace.js' */
/** @import { Trace } from '../../src/trace/trace.js' */

const trace = /** @type {Trace} */ (/** @type {unknown} */ ({ header: { maxPoolSize: 8 }, waitMs: new Array(200) }));
const callers = { callers: 24, callersShare: 1 };
const [open, closed] = [{}, { callers }].map((load) => /** @type {Load} */ (/** @type {unknown} */ (load)));
/** @param {Partial<TraceCheck>} changes @returns {TraceCheck} */
const checkOf = (changes) => ({
  of: 'waits',
  status: 'holds',
  reason: null,
  poolSize: 8,
  figures: [],
  waits: { count: 100, otherShare: 0.8, openings: 50 },
  rateRatio: 1,
  useRatios: {},
  ...changes,
});
const holds = checkOf({});

describe('figures are withheld', () => {
  const withheldOf = (/** @type {ReturnType<typeof judgeTrust>} */ { isWithheld }) =>
    [1, 4, 5, 8, 15, 16].filter((size) => isWithheld(size));

  test('at all sizes but the recorded one if the check fails', () => {
    const trust = judgeTrust({ trace, load: open }, checkOf({ status: 'fails', reason: 'otherWaits' }));
    expect(withheldOf(trust)).toEqual([1, 4, 5, 15, 16]);
  });

  test('far from the recorded size, where a full pool of callers hides what the server does', () => {
    const trust = judgeTrust({ trace, load: closed }, holds);
    expect(withheldOf(trust)).toEqual([1, 4, 16]);
  });

  test.each([
    ['the server said what it did', { trace: { ...trace, server: { cores: 2, busyCores: 0.1 } }, load: closed }],
    ['the user said so', { trace, load: closed, serverCores: /** @type {const} */ ('none') }],
    ['there is a second recording', { trace, load: closed, others: [trace] }],
    ['the load is open', { trace, load: open }],
    ['few waited', { trace: { ...trace, waitMs: Array.from({ length: 201 }, () => 0) }, load: closed }],
  ])('nowhere if %s', (_, input) => {
    expect(withheldOf(judgeTrust(input, holds))).toEqual([]);
  });

  test('although the server was asked, if its cores are a guess', () => {
    const guessed = /** @type {Trace} */ ({ ...trace, sharing: { source: 'guessed' } });
    expect(withheldOf(judgeTrust({ trace: guessed, load: closed }, holds))).toEqual([1, 4, 16]);
  });
});

test('bands widen with each doubling, more for callers, and less with a second recording', () => {
  const widths = (/** @type {Parameters<typeof judgeTrust>[0]} */ input) =>
    [8, 16, 4, 2].map((size) => judgeTrust(input, holds).widenBy(size));
  expect(widths({ trace, load: open })).toEqual([0, 0.1, 0.1, 0.2]);
  expect(widths({ trace, load: closed })).toEqual([0, 0.2, 0.2, 0.4]);
  expect(widths({ trace, load: closed, others: [trace] })).toEqual([0, 0.1, 0.1, 0.2]);
  const unknown = /** @type {Trace} */ ({ ...trace, header: {} });
  expect(judgeTrust({ trace: unknown, load: open }, holds).widenBy(4)).toBe(0);
});
describe('a figure is not shown', () => {
  const times = { p50Ms: 10, p95Ms: 40, p99Ms: 50, maxMs: 60, meanMs: 12 };
  const ends = (/** @type {number} */ by) => ({
    routes: { '/a': { ...times, p50Ms: 10 * by, p95Ms: 40 * by } },
    meanWaitMs: 3,
  });
  /** @param {Parameters<typeof judgeTrust>[0]} input @param {TraceCheck} check @param {{ poolSize?: number, by?: number }} [options] */
  const hiddenOf = (input, check, { poolSize = 4, by = 1.5 } = {}) => {
    const predicted = /** @type {any} */ ({ ...ends(1), low: ends(1 / by), high: ends(by) });
    const { variant } = hideUnsure(judgeTrust(input, check), { settings: { poolSize }, predicted });
    expect(predicted.routes['/a']).toEqual(times);
    return Object.entries(variant.predicted.routes['/a']).flatMap(([name, ms]) => (Number.isNaN(ms) ? [name] : []));
  };
  const notChecked = checkOf({ status: 'notChecked', reason: 'nobodyWaited' });
  const plain = /** @type {Trace} */ ({
    ...trace,
    socketOf: [1, 2, 1],
    server: { cores: 2, busyCores: 0.7 },
  });

  test('if its band allows twice or half as much, but by more than 5 ms', () => {
    expect(hiddenOf({ trace, load: open }, holds)).toEqual([]);
    expect(hiddenOf({ trace, load: open }, holds, { by: 2.1 })).toEqual(['p50Ms', 'p95Ms']);
    expect(hiddenOf({ trace, load: open }, holds, { by: 1.4 })).toEqual([]);
    expect(hiddenOf({ trace, load: open }, holds, { by: 3, poolSize: 8 })).toEqual([]);
  });

  test('if nothing was checked, except medians', () => {
    expect(hiddenOf({ trace, load: open }, notChecked)).toEqual(['p95Ms', 'p99Ms', 'maxMs', 'meanMs']);
  });

  test('but all are if the recording shows who waits for answers, and that the server had cores to spare', () => {
    expect(hiddenOf({ trace: plain, load: open }, notChecked)).toEqual([]);
    expect(judgeTrust({ trace: plain, load: open }, notChecked).isPlain).toBe(true);
    const busy = { cores: 2, busyCores: 0.9 };
    expect(hiddenOf({ trace: { ...plain, server: busy }, load: open }, notChecked)).toHaveLength(4);
    const withUnknown = (/** @type {number} */ count) => {
      const socketOf = Array.from({ length: 100 }, (_, row) => (row < count ? -1 : row));
      return hiddenOf({ trace: { ...plain, socketOf }, load: open }, notChecked);
    };
    expect(withUnknown(6)).toHaveLength(4);
    // Requests that go on when the recording ends have no line yet.
    expect(withUnknown(5)).toEqual([]);
  });
});
