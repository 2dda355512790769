import { describe, expect, test } from '@jest/globals';
import { traceText } from 'test-support/trace-text.js';
import { predict } from '../../src/predict/predict.js';
import { joinReadings } from '../../src/predict/readings.js';
import { openRecording } from '../../src/predict/recording.js';
import { hideUncertain } from '../../src/predict/shown-figures.js';
import { judgeTrust } from '../../src/predict/trust.js';
import { readTraceText } from '../../src/reading/read-trace.js';
import { callers, responseMs, run, TIMES } from '../trace/traces.js';

/** @import { Prediction } from '../../src/predict/readings.js' */

describe('two readings of a load', () => {
  /** @param {number} ms @param {Partial<Prediction['load']>} load */
  const foresee = (ms, load) => {
    const endOf = (/** @type {number} */ by) => ({
      meanWaitMs: ms * by,
      routes: { '/a': { count: 9, p95Ms: ms * by } },
    });
    const predicted = { ...endOf(1), low: endOf(0.9), high: endOf(1.1) };
    return /** @type {Prediction} */ (
      /** @type {unknown} */ ({ load: { floor: ms, ...load }, variants: [{ settings: { poolSize: 2 }, predicted }] })
    );
  };
  test.each([
    ['longer', 100, 20],
    ['shorter', 20, 100],
  ])('the figures are the likely ones, here the %s; bands hold both, and the need is the larger', (_, ms, other) => {
    const [likely, fewest] = [foresee(ms, { knee: 7, peakActive: 4 }), foresee(other, { knee: 3, peakActive: 6 })];
    const { variants, load: need } = joinReadings(likely, fewest);
    const { low, high, ...figures } = variants[0].predicted;
    expect(figures).toEqual({ meanWaitMs: ms, routes: { '/a': { count: 9, p95Ms: ms } } });
    expect([low, high].map((end) => [end?.meanWaitMs, end?.routes['/a'].p95Ms])).toEqual([
      [18, 18],
      [expect.closeTo(110), expect.closeTo(110)],
    ]);
    expect(need).toMatchObject({ floor: ms, knee: 7, peakActive: 6, best: { size: 7 } });
  });

  test('no size is enough for both if there is none for one', () => {
    const found = [foresee(1, { knee: null }), foresee(1, { knee: 3 })];
    for (const [one, two] of [found, found.toReversed()]) {
      const { load: need } = joinReadings(one, two);
      expect([need.knee, need.best.size]).toEqual([null, null]);
    }
  });

  test('one reading is the prediction', () => {
    const only = foresee(1, { knee: 2, peakActive: 9 });
    expect(joinReadings(only)).toEqual({ ...only, load: { ...only.load, best: { size: 2, isServerLimit: false } } });
  });
});

test('a timer beside callers, each with a socket, leaves it clear who waits: the figures stay', async () => {
  const untilMs = 12_000;
  const timer = Array.from({ length: 12 }, (_, tick) => ({ atMs: 500 + 1000 * tick, route: 'timer', serviceMs: 300 }));
  const sent = [...callers({ count: 12, untilMs, service: TIMES.steady(20), think: TIMES.exponential(40) }), ...timer];
  const checkouts = run(sent, 4, untilMs).map(({ route, user, arrivedAtMs: atMs, waitMs, finishedAtMs }) => ({
    ...{ atMs, waitMs, useMs: finishedAtMs - atMs - waitMs, route },
    ...(route !== 'timer' && { socket: user }),
  }));
  const recording = openRecording([await readTraceText(traceText({ poolSize: 4, checkouts }))]);
  const { load } = recording;
  expect(load.callers).toMatchObject({ callers: 12, callersShare: 1, outside: timer.length, fewest: 12 });
  const trust = judgeTrust({ ...recording, serverCores: 'none' }, null);
  const { variants } = await predict({
    load,
    services: load.services,
    poolSizes: [1, 2],
    seeds: 19,
    widen: trust.widen,
  });
  const { variants: shown } = hideUncertain(trust, variants);
  for (const { settings, predicted } of shown) {
    const measuredMs = responseMs(run(sent, settings.poolSize, untilMs), '/slow', 0.95);
    expect(predicted.routes['/slow'].p95Ms / measuredMs).toBeCloseTo(1, 1);
    expect(predicted.low?.routes['/slow'].p95Ms).toBeLessThan(measuredMs);
    expect(predicted.high?.routes['/slow'].p95Ms).toBeGreaterThan(measuredMs);
  }
});

describe('callers without keep-alive', () => {
  const UNTIL_MS = 10_000;
  const sent = callers({ count: 6, untilMs: UNTIL_MS, service: TIMES.steady(20), think: TIMES.exponential(60) });
  const recorded = readTraceText(
    traceText({
      poolSize: 4,
      checkouts: run(sent, 4, UNTIL_MS).map(({ route, arrivedAtMs, waitMs, finishedAtMs }, socket) => ({
        ...{ atMs: arrivedAtMs, waitMs, useMs: finishedAtMs - arrivedAtMs - waitMs, route, socket },
      })),
    }),
  );
  const measuredMs = responseMs(run(sent, 1, UNTIL_MS), '/slow', 0.95);

  /** What is shown with one connection. @param {{ callers?: number }} [options] */
  async function ask(options) {
    const recording = openRecording([await recorded], options);
    const { load } = recording;
    const trust = judgeTrust(recording, null);
    const { services } = load;
    const { variants } = await predict({ load, services, poolSizes: [1], seeds: 19, widen: trust.widen });
    const { variants: shown, hidden } = hideUncertain(trust, variants);
    const { routes, low, high } = shown[0].predicted;
    const [ms, lowMs, highMs] = [routes, low?.routes, high?.routes].map((each) => Number(each?.['/slow'].p95Ms));
    return { ms, lowMs, highMs, callers: load.callers, reasons: hidden.map(({ reason }) => reason) };
  }

  test('have a range that holds what happened, because each of their sockets has one request', async () => {
    const { ms, lowMs, highMs, callers: facts, reasons } = await ask();
    expect(facts).toMatchObject({ aloneShare: 1, fewest: expect.any(Number) });
    expect(facts.fewest).toBeLessThanOrEqual(6);
    expect(ms).toBeNaN();
    expect(reasons).toContainEqual({ code: 'wideBand', figures: { fewest: facts.fewest } });
    expect(lowMs).toBeLessThan(measuredMs);
    expect(highMs).toBeGreaterThan(5 * measuredMs);
  });

  test('have figures if the user says how many they are', async () => {
    const { ms, callers: facts } = await ask({ callers: 6 });
    expect(facts).toMatchObject({ callersShare: 1, fewest: null });
    expect(ms / measuredMs).toBeCloseTo(1, 0);
  });

  test('or that they wait for nothing, which hides that they would', async () => {
    const { ms, lowMs, callers: facts } = await ask({ callers: 0 });
    expect(facts).toMatchObject({ aloneShare: 1, fewest: null });
    expect(Number.isNaN(ms) ? lowMs : ms).toBeGreaterThan(measuredMs);
  });
});
