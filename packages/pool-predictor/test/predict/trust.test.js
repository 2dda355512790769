import { describe, expect, test } from '@jest/globals';
import { traceText } from 'test-support/trace-text.js';
import { PREDICTION } from '../../src/assumptions/prediction-assumptions.js';
import { findImpatience, judgeFailures } from '../../src/predict/known-failures.js';
import { hideUncertain } from '../../src/predict/shown-figures.js';
import { judgeTrust } from '../../src/predict/trust.js';
import { poolOfApp } from '../../src/predict/pool-settings.js';
import { predict } from '../../src/predict/predict.js';
import { openRecording, pickReplayed } from '../../src/predict/recording.js';
import { predictWhatIf } from '../../src/predict/what-if.js';
import { choosePoolSizes } from '../../src/predict/what-if-sizes.js';
import { pickPool } from '../../src/trace/pick-pool.js';
import { summariseTrace } from '../../src/trace/trace.js';
import { readTraceText } from '../../src/reading/read-trace.js';
import { record, requests } from '../doctor/recordings.js';

/** @import { Load } from '../../src/load/load.js' */
/** @import { PredictedFigures } from '../../src/runs/run-figures.js' */
/** @import { Recording } from '../../src/predict/recording.js' */
/** @import { WhatIf } from '../../src/predict/what-if.js' */
/** @import { TraceCheck } from '../../src/predict/check-trace.js' */
/** @import { Trace } from '../../src/trace/trace.js' */

describe('clients who leave', () => {
  /**
   * A pool of 4 and 100 requests of 20 ms, 10 ms apart, some of which are left.
   * @param {number} count @param {(index: number) => number} leftAfterMs
   */
  const leave = async (count, leftAfterMs) => {
    const recorded = await record(
      Array.from({ length: 100 }, (_, request) => {
        const isLeft = request >= 100 - count;
        const line = { atMs: 10 * request, route: 0, request };
        const durationMs = isLeft ? leftAfterMs(request) : 25;
        return [
          { ...line, waitMs: 0, useMs: 20, pool: 0, connection: 1 + (request % 4) },
          { ...line, durationMs, status: isLeft ? 0 : 500 },
        ];
      }).flat(),
      { maxPoolSize: { value: 4, from: 'code' } },
    );
    return openRecording([recorded]);
  };
  const codesOf = (/** @type {Recording} */ recording) => {
    const { reasonToHide, refusal } = judgeTrust(recording, null);
    return { all: refusal?.code, codes: [299, 301].map((ms) => reasonToHide({ poolSize: 2, ms })?.code) };
  };

  test('after about the same time have a time limit, and longer figures are hidden', async () => {
    const recording = await leave(5, (request) => 299 + (request % 3));
    expect(findImpatience(recording.trace)).toEqual({ afterMs: 300, count: 5, isMuch: false });
    expect(codesOf(recording)).toEqual({ all: undefined, codes: [undefined, 'clientsGiveUp'] });
  });

  test('and are more than 5 % hide all, because they may have tried again', async () => {
    expect(codesOf(await leave(6, () => 300))).toEqual({
      all: 'clientsGiveUp',
      codes: ['clientsGiveUp', 'clientsGiveUp'],
    });
  });

  test('at different times, or rarely, hide nothing', async () => {
    const [closed, rare] = [await leave(40, (request) => 3 * request), await leave(0, () => 0)];
    expect([closed, rare].map(({ trace }) => findImpatience(trace))).toEqual([null, null]);
    expect(findImpatience({ patience: { longestMs: 25, leftMs: [300], requests: 101 } })).toBeNull();
  });

  test('were not answered: the answer would have come after the last query', async () => {
    const { trace } = await leave(1, () => 300);
    expect(summariseTrace(trace).maxMs).toBe(25);
  });

  test('make the number of failures unknown where a request takes longer than any answer', async () => {
    const [all, some] = [await leave(0, () => 0), await leave(1, () => 300)];
    const codesAt = (/** @type {Recording} */ { trace }, /** @type {number} */ poolSize) =>
      [25, 50, 51].map((maxMs) => judgeFailures(trace)(poolSize, /** @type {any} */ ({ maxMs }))?.code ?? null);
    // Whoever waited may wait for twice as long.
    expect(codesAt(all, 2)).toEqual([null, null, 'unknownFailures']);
    expect(codesAt(all, 4)).toEqual([null, null, null]);
    expect(codesAt(some, 4)).toEqual([null, null, 'unknownFailures']);
    // A time limit of 30 ms leaves no doubt.
    expect(codesAt(await leave(5, () => 30), 4)).toEqual([null, 'unknownFailures', 'unknownFailures']);
  });

  test.each([
    ['has requests, but no answers', { request: 0 }, 35],
    ['has no requests', {}, 20],
  ])('wait as long as a recording shows that %s', async (_, request, longestMs) => {
    const lines = [0, 15].map((atMs) => ({ atMs, waitMs: 5, useMs: 15, pool: 0, route: 0, ...request }));
    expect(pickPool(await record(lines)).trace.patience).toMatchObject({ longestMs });
  });

  test('a prediction says why the number is unknown, at sizes that make requests wait', async () => {
    const recorded = await record(
      Array.from({ length: 100 }, (_, row) => ({ atMs: row, waitMs: 0, useMs: 2, pool: 0, route: 0 })),
      { maxPoolSize: { value: 4, from: 'code' } },
    );
    const recording = openRecording([recorded]);
    const { load } = recording;
    const { variants } = await predict({ load, services: load.services, poolSizes: [1, 4], seeds: 19 });
    const { variants: shown, hidden } = hideUncertain(judgeTrust(recording, null), variants);
    expect(
      shown.map(({ predicted: { failures, low, routes } }) => [failures, low?.failures, routes['/fast'].failures]),
    ).toEqual([
      [NaN, NaN, NaN],
      [0, 0, 0],
    ]);
    expect(hidden.filter(({ reason }) => reason.code === 'unknownFailures')).toEqual([
      { reason: { code: 'unknownFailures', figures: { longestMs: 2 } }, poolSizes: [1], isAll: false },
    ]);
    const { poolSizes, failures, unknownFailures } = /** @type {WhatIf} */ (await predictWhatIf(recorded));
    expect([1, 4].map((size) => failures[poolSizes.indexOf(size)])).toEqual([NaN, 0]);
    expect(unknownFailures?.code).toBe('unknownFailures');
  });
});

describe('trust', () => {
  /** 200 queries of 20 ms in 2 s: two connections are in use. */
  const trace = /** @type {Trace} */ ({
    header: { maxPoolSize: 8 },
    ...{ routes: ['/a'], routeOf: new Array(200).fill(0), warnings: [] },
    checkOutStartedMs: Array.from({ length: 200 }, (_, row) => 9.95 * row),
    ...{ waitMs: new Array(200).fill(0), useMs: new Array(200).fill(20) },
  });
  /** How queries share a server without facts. @type {import('../../src/trace/trace.js').ServerFit} */
  const fitted = {
    ...{ source: 'fitted', cores: 2, range: null, workShares: {}, aloneMs: new Float64Array(), sliceMs: 2, seen: 8 },
  };
  const callers = { callers: 24, callersShare: 1, fewest: 9 };
  const [open, closed] = [{}, { callers }].map((load) => /** @type {Load} */ (/** @type {unknown} */ (load)));
  const [holds, fails, notChecked] = /** @type {const} */ (['holds', 'fails', 'notChecked']).map((status) => ({
    ...{ status, poolSize: 2, figures: [], rateRatio: 1, useRatios: {} },
  }));

  test.each(
    /** @type {[string, Partial<Trace>, TraceCheck | null, object | null][]} */ ([
      ['nothing speaks against it', {}, null, null],
      ['another recording is predicted', {}, holds, null],
      ['another recording says too little', {}, notChecked, null],
      ['another recording is not predicted', {}, fails, { code: 'otherRecording', figures: fails }],
      ['1 of 20 checkouts got no connection', { unservedShare: 0.049 }, null, null],
      ['more got none', { unservedShare: 0.051 }, null, { code: 'unserved', figures: {} }],
    ]),
  )('all sizes have figures, or none: %s', (_, changes, check, reason) => {
    const { refusal, reasonToHide } = judgeTrust({ trace: { ...trace, ...changes }, load: closed }, check);
    expect(refusal).toEqual(reason);
    for (const poolSize of [4, 8]) expect(reasonToHide({ poolSize, ms: 20 })).toEqual(reason);
  });

  describe('bands', () => {
    const times = { count: 30, p95Ms: 100 };
    const figures = /** @type {PredictedFigures} */ (
      /** @type {unknown} */ ({
        routes: { '/a': times },
        low: { routes: { '/a': times } },
        high: { routes: { '/a': times } },
      })
    );
    const closeTo = (/** @type {number[]} */ ...steps) => steps.map((step) => expect.closeTo(step));
    /**
     * By how many steps a band is widened.
     *
     * @param {number[]} sizes
     * @param {Partial<Parameters<typeof judgeTrust>[0]>} [input]
     * @param {TraceCheck} [check]
     */
    const widthsOf = (sizes, input, check) =>
      sizes.map((size) => {
        const { low, high } = judgeTrust({ trace, load: open, ...input }, check ?? null).widen(figures, size);
        const [lowMs, highMs] = [low, high].map((end) => Number(end?.routes['/a'].p95Ms));
        expect(10_000 / highMs).toBeCloseTo(lowMs);
        return (highMs / 100 - 1) / PREDICTION.widenPerDoubling;
      });

    test('widen with each doubling or halving of the recorded size', () => {
      expect(widthsOf([8, 16, 4, 2])).toEqual(closeTo(0, 1, 1, 2));
      expect(widthsOf([8, 16, 4, 2], { load: closed })).toEqual(closeTo(0, 1, 1, 2));
      expect(widthsOf([4], { trace: { ...trace, header: {} } })).toEqual([0]);
      expect(widthsOf([4], { trace: { ...trace, header: { maxPoolSize: 0 } } })).toEqual([0]);
    });

    test('narrow towards the size of another recording that is predicted, and only there', () => {
      const sizes = [16, 8, 4, 2, 1];
      const others = [{ ...trace, header: { maxPoolSize: 2 } }];
      expect(widthsOf(sizes)).toEqual(closeTo(1, 0, 1, 2, 3));
      expect(widthsOf(sizes, { others }, holds)).toEqual(closeTo(1, 0, 1, 0, 1));
      for (const check of [notChecked, undefined]) expect(widthsOf(sizes, { others }, check)).toEqual(widthsOf(sizes));
      expect(widthsOf(sizes, { others: [trace, { ...trace, header: {} }] }, holds)).toEqual(widthsOf(sizes));
    });

    test('are the margin of advice where callers who wait share a server', () => {
      const margins = (/** @type {Partial<Trace>} */ changes, load = closed) =>
        [4, 8, 16].map(
          (size) =>
            judgeTrust({ trace: { ...trace, ...changes }, load }, null).marginAt(size) / PREDICTION.widenPerDoubling,
        );
      const shared = { sharing: fitted, server: { cores: 2, busyCores: 1 } };
      expect(margins(shared)).toEqual(closeTo(2, 0, 2));
      expect(margins({ ...shared, header: {} })).toEqual([0, 0, 0]);
      expect(margins({})).toEqual([0, 0, 0]);
      expect(margins(shared, open)).toEqual([0, 0, 0]);
    });

    test('widen more on a server that is busier', () => {
      const widths = (/** @type {Partial<Trace>} */ changes) =>
        widthsOf([8, 16], { trace: { ...trace, sharing: fitted, ...changes } });
      expect(widths({ server: { cores: 2, busyCores: 0 } })).toEqual(closeTo(0, 1));
      expect(widths({ server: { cores: 2, busyCores: 1 } })).toEqual(closeTo(0, 2));
      expect(widths({ server: { cores: 3, busyCores: 1, otherBusyCores: 1 } })).toEqual(closeTo(0, 2));
      expect(widths({ server: { cores: 1, busyCores: 1 } })).toEqual(closeTo(0, 5));
      // Queries that do not share it say nothing.
      expect(widths({ server: { cores: 2, busyCores: 1 }, sharing: undefined })).toEqual(closeTo(0, 1));
      // Half of the 20 ms of each query is work: of two cores, one is busy.
      const sharing = { ...fitted, workShares: { '/a': 0.5 }, aloneMs: new Float64Array(200).fill(20) };
      expect(widths({ sharing })).toEqual(closeTo(0, 2));
    });
  });

  describe('a figure is not shown', () => {
    const times = { p50Ms: 10, p95Ms: 40, p99Ms: 50, maxMs: 60, meanMs: 12 };
    const ends = (/** @type {number} */ by) => ({
      routes: { '/a': { ...times, p50Ms: 10 * by, p95Ms: 40 * by } },
      meanWaitMs: 3,
    });
    /** @param {{ poolSize?: number, by?: number }} figures by: how many times as much the band allows */
    const hide = ({ poolSize = 4, by = 1.5 }) => {
      const predicted = /** @type {any} */ ({ ...ends(1), low: ends(1 / by), high: ends(by) });
      const shown = hideUncertain(judgeTrust({ trace, load: closed }, null), [{ settings: { poolSize }, predicted }]);
      expect(predicted.routes['/a']).toEqual(times);
      return shown;
    };

    test('if its band allows twice or half as much, but by more than 5 ms: then its band is', () => {
      for (const figures of [{}, { by: 1.9 }, { by: 3, poolSize: 8 }]) expect(hide(figures).hidden).toEqual([]);
      const { variants, hidden } = hide({ by: 2.1 });
      const { routes, low, high } = variants[0].predicted;
      expect(routes['/a']).toEqual({ ...times, p50Ms: NaN, p95Ms: NaN });
      expect([low, high].map((end) => end?.routes['/a'].p95Ms)).toEqual([40 / 2.1, 40 * 2.1]);
      expect(hidden).toEqual([{ reason: { code: 'wideBand', figures: { fewest: 9 } }, poolSizes: [4], isAll: false }]);
    });

    test('of a few ms, if it allows 5 ms more or less', () => {
      const { reasonToHide } = judgeTrust({ trace, load: open }, null);
      const whyOf = (/** @type {{ ms: number, lowMs?: number, highMs?: number }} */ figure) =>
        reasonToHide({ poolSize: 4, ...figure });
      const figures = [{ lowMs: 1.2 }, { lowMs: 0.8 }].map((ends) => ({ ms: 6, ...ends }));
      const short = [5.8, 6.2].map((highMs) => ({ ms: 1, highMs }));
      const wide = { code: 'wideBand', figures: { fewest: null } };
      expect([...figures, ...short].map(whyOf)).toEqual([null, wide, null, wide]);
    });

    test('and neither is its band, if that is not the reason', () => {
      const predicted = /** @type {any} */ ({ ...ends(1), low: ends(0.9), high: ends(1.1) });
      const hideBelow = (/** @type {number} */ limitMs) =>
        hideUncertain(
          {
            reasonToHide: ({ ms }) => (ms < limitMs ? { code: 'clientsGiveUp', figures: {} } : null),
            whyUnknownFailures: () => null,
          },
          [{ settings: { poolSize: 16 }, predicted }],
        );
      const { routes, low, high } = hideBelow(20).variants[0].predicted;
      expect([routes, low?.routes, high?.routes].map((each) => each?.['/a'].p50Ms)).toEqual([NaN, NaN, NaN]);
      // The shortest time is the mean wait, which is not one of a route.
      expect(hideBelow(predicted.meanWaitMs + 1).hidden).toEqual([]);
      expect([hideBelow(20), hideBelow(Infinity)].map(({ hidden }) => hidden.map(({ isAll }) => isAll))).toEqual([
        [false],
        [true],
      ]);
    });
  });
});

describe('what if', () => {
  /** @typedef {{ atMs: number, useMs: number, route: number, socket?: number }} SentRequest */

  const IDLE_SERVER = { event: 'server', atMs: 1, cores: 2, busyCores: 0.1 };

  /**
   * A recording of requests that were served in turn, each on a socket of its own unless it says so.
   * @param {number} size of the pool, 0 for no limit @param {SentRequest[]} sent @param {(waitMs: number) => number}
   *   [distort] the waits @param {number} [endMs] of the recording @param {boolean} [isSilent] the server says nothing
   */
  function play(size, sent, distort = (ms) => ms, endMs = Infinity, isSilent = false) {
    const freeAtMs = Array.from({ length: size || sent.length }, () => 0);
    const lines = sent.map(({ atMs, useMs, route, socket }, index) => {
      const connection = freeAtMs.indexOf(Math.min(...freeAtMs));
      const waitMs = distort(Math.max(0, freeAtMs[connection] - atMs));
      freeAtMs[connection] = atMs + waitMs + useMs;
      const ids = { request: index, route };
      if (atMs >= endMs) return [];
      const behind = [[0, 0, 900]];
      if (atMs + waitMs >= endMs) return { ...ids, atMs, waitMs: endMs - atMs, pool: 0, outcome: 'waiting', behind };
      const served = { ...ids, atMs, waitMs, pool: 0, ...(waitMs > 0 && { behind }) };
      if (freeAtMs[connection] > endMs) return { ...served, useMs: endMs - atMs - waitMs, outcome: 'checkedOut' };
      return [
        { ...served, useMs, connection: connection + 1 },
        { ...ids, atMs, durationMs: waitMs + useMs, status: 200, socket: socket ?? index + 1 },
      ];
    });
    const options = { maxPoolSize: { value: size, from: 'code' } };
    return record(isSilent ? lines.flat() : [...lines.flat(), IDLE_SERVER], options);
  }

  /** Every 50 ms a short query, or a report of 380 ms instead of every eleventh. */
  const BUSY = Array.from({ length: 221 }, (_, index) =>
    index % 11 === 0 ? { atMs: index * 50, useMs: 380, route: 1 } : { atMs: index * 50, useMs: 4, route: 0 },
  );
  const [FAST, REPORT] = ['/fast', '/report'];

  test('it has no figures of a full pool whose server is silent', async () => {
    const whatIf = await predictWhatIf(await play(1, BUSY, undefined, undefined, true));
    expect(whatIf).toMatchObject({ poolSizes: [], doubt: { code: 'unknownServer' } });
    const half = BUSY.filter(({ useMs }) => useMs < 10);
    expect(await predictWhatIf(await play(1, half, undefined, undefined, true))).toMatchObject({ doubt: null });
  });

  test('it has the figures of predict, to the digit, at every size', async () => {
    const recorded = await play(1, BUSY);
    const whatIf = await predictWhatIf(recorded);
    if (!whatIf) throw new Error('there is no answer');
    const recording = openRecording([recorded]);
    const { trace, load, overhead, settings } = recording;
    const { poolSizes } = whatIf;
    const trust = judgeTrust({ trace, load }, null);
    const { variants } = await predict({
      ...{ load, services: load.services, overhead, poolSizes, widen: trust.widen },
      poolOf: (poolSize) => poolOfApp({ ...settings, poolSize }),
    });
    expect(poolSizes).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
    for (const [route, { figure, predicted: shown, count }] of Object.entries(whatIf.routes)) {
      expect(figure).toBe('p95Ms');
      expect(count).toBe(Array.from(trace.routeOf).filter((row) => trace.routes[row] === route).length);
      const certain = hideUncertain(trust, variants).variants;
      expect(shown.map(({ ms, lowMs, highMs }) => [ms, lowMs, highMs])).toEqual(
        certain.map(({ predicted: { routes, low, high } }) =>
          [routes, low?.routes, high?.routes].map((each) => each?.[route].p95Ms),
        ),
      );
      for (const { ms, lowMs, highMs } of shown) expect(Number(lowMs) > ms || ms > Number(highMs)).toBe(false);
    }
    expect(whatIf).toMatchObject({ recordedSize: 1, doubt: null, failures: poolSizes.map(() => 0) });
    const { measuredMs, predicted: shown } = whatIf.routes[FAST];
    expect(measuredMs).toBeGreaterThan(300);
    expect(shown[0].ms / measuredMs).toBeCloseTo(1, 1);
    expect(shown[9].ms).toBeLessThan(5);
    expect(shown.map(({ isSame }) => isSame)).toEqual(shown.map((_, index) => index === 0));
  });

  test('a size at which a route may take longer than it did is not enough', async () => {
    const sent = Array.from({ length: 417 }, (_, index) => ({
      ...{ atMs: index * 120, useMs: index % 20 === 7 ? 4000 : 2, route: index % 20 === 7 ? 1 : 0 },
    }));
    const whatIf = await predictWhatIf(await play(2, sent));
    const { poolSizes = [], best, routes = {} } = whatIf ?? {};
    const { predicted: shown, measuredMs } = routes[FAST];
    const mayBeSlower = poolSizes.filter((_, index) => Number(shown[index].highMs) > measuredMs);
    expect(mayBeSlower).toContain(3);
    expect(mayBeSlower).not.toContain(best?.size);
  });

  test('of fewer than 20 requests it has the slowest', async () => {
    const slow = Array.from({ length: 5 }, (_, index) => ({ atMs: index * 1000, useMs: 5000, route: 1 }));
    const fast = Array.from({ length: 19 }, (_, index) => ({ atMs: 5000 + index * 5000, useMs: 5, route: 0 }));
    const sent = [...slow, ...fast].sort((a, b) => a.atMs - b.atMs);
    const whatIf = await predictWhatIf(await play(1, sent));
    expect(whatIf).toMatchObject({ doubt: null, routes: { [FAST]: { figure: 'maxMs' } } });
    // With two connections, it may be twice as long in another run.
    const slowest = whatIf?.routes[REPORT].predicted.slice(0, 5);
    expect(slowest?.map(({ ms }) => ms)).toEqual([21_000, NaN, 7000, 6000, 5000]);
    expect(slowest?.map(({ reason }) => reason?.code)).toEqual(
      [1, 2, 3, 4, 5].map((size) => (size === 2 ? 'wideBand' : undefined)),
    );
    expect(slowest?.[1]).toMatchObject({ lowMs: expect.any(Number), highMs: expect.any(Number) });
  });

  test('a route that callers would not get to in time with fewer connections has no figures', async () => {
    const [size, callers, endMs] = [3, 7, 4000];
    const freeAtMs = Array.from({ length: size }, () => 0);
    const nextMs = Array.from({ length: callers }, (_, caller) => caller / 2);
    /** @type {Parameters<typeof record>[0]} */
    const lines = [];
    for (let request = 0; Math.min(...nextMs) < endMs; request++) {
      const atMs = Math.min(...nextMs);
      const [caller, connection] = [nextMs.indexOf(atMs), freeAtMs.indexOf(Math.min(...freeAtMs))];
      const ids = { request, route: request === 250 ? 1 : 0, atMs };
      const useMs = 30 + (request % 7) * 5;
      const waitMs = Math.max(0, freeAtMs[connection] - atMs);
      freeAtMs[connection] = atMs + waitMs + useMs;
      nextMs[caller] = freeAtMs[connection] + 5;
      const behind = waitMs > 0 ? [[0, 0, 900]] : undefined;
      lines.push(
        { ...ids, waitMs, useMs, pool: 0, connection: connection + 1, behind },
        { ...ids, durationMs: waitMs + useMs, status: 200, socket: caller + 1 },
      );
    }
    const options = { maxPoolSize: { value: size, from: 'code' } };
    const whatIf = await predictWhatIf(await record([...lines, IDLE_SERVER], options));
    expect(whatIf).toMatchObject({ recordedSize: size, doubt: null });
    expect(Object.keys(whatIf?.routes ?? {})).toEqual([FAST]);
  });

  describe('of a recording that ends in a jam', () => {
    /** A report a second takes five: it needs five connections. */
    const jam = Array.from({ length: 300 }, (_, index) =>
      index % 10 === 0 ? { atMs: index * 100, useMs: 5000, route: 1 } : { atMs: index * 100, useMs: 2, route: 0 },
    );

    test('what was measured is a lower bound, and other sizes have those that wait', async () => {
      const [cut, whole] = await Promise.all(
        [play(2, jam, undefined, 20_000), play(2, jam)].map(async (each) => predictWhatIf(await each)),
      );
      if (!cut || !whole) throw new Error('there is no answer');
      expect(cut).toMatchObject({ isOpen: true, doubt: null });
      expect(openRecording([await play(2, jam, undefined, 20_000)]).load.durationMs).toBeCloseTo(20_000);
      expect(whole.isOpen).toBe(false);
      expect(cut.routes[FAST].count).toBe(180);
      expect(cut.routes[FAST].measuredMs).toBeGreaterThan(5000);
      expect(cut.routes[FAST].measuredMs).toBeLessThan(Number(whole.routes[FAST].measuredMs));
      // The queue of two thirds of the load would drain, too: in the end, they would have waited longer than so far.
      const at = (/** @type {number} */ size) => cut.routes[FAST].predicted[cut.poolSizes.indexOf(size)];
      expect(at(2).ms).toBeGreaterThan(cut.routes[FAST].measuredMs);
      expect(at(8).lowMs).toBeLessThan(20);
      // Five of the slow ones at once on average, and more in 5 of 100 runs.
      for (const { best } of [cut, whole]) expect([10, 12, 15]).toContain(best?.size);
    });

    test('a route that was never answered gets no figures, and neither do the others', async () => {
      const first = jam.map((each) => (each.route === 0 ? { ...each, atMs: each.atMs + 1500 } : each));
      first.sort((a, b) => a.atMs - b.atMs);
      expect(await predictWhatIf(await play(1, first, undefined, 6000))).toMatchObject({
        ...{ isOpen: true, poolSizes: [], doubt: { code: 'unserved' } },
      });
      const before = await play(1, jam, undefined, 4000);
      expect(await predictWhatIf(before)).toBeNull();
      expect(pickPool(before).trace).toMatchObject({ waitMs: { length: 1 }, unservedShare: expect.closeTo(39 / 40) });
    });

    test('callers who wait are in it already, so that no more are added', async () => {
      const callers = Array.from({ length: 400 }, (_, index) => ({
        ...{ atMs: Math.floor(index / 4) * 40, useMs: 10, route: 0, socket: index % 4 },
      }));
      const { trace } = pickPool(await play(1, callers, undefined, 2005));
      expect(trace.waiting).toBeUndefined();
      expect(trace.unservedShare).toBe(0);
      expect(trace.warnings).toEqual([expect.stringMatching(/^\d checkouts still waited at the end and are left out/)]);
    });
  });

  test('a connection that is still in use is kept as long as others of its route that took longer', async () => {
    const uses = [10, 20, 30, 100, 50].map((useMs, index) => ({ atMs: index * 200, useMs, route: 0 }));
    const { trace } = pickPool(await play(1, uses, undefined, 815));
    expect(Array.from(trace.useMs)).toEqual([10, 20, 30, 100, 30]);
    const { trace: longest } = pickPool(
      await play(1, uses.with(4, { atMs: 800, useMs: 500, route: 0 }), undefined, 1200),
    );
    expect(longest.useMs[4]).toBe(400);
  });

  describe('it has no figures', () => {
    test.each([
      ['the pool had no limit', play(0, BUSY), 'unlimitedPool'],
      [
        'the size of the pool is unknown',
        record(
          requests(30, () => ({ waitMs: 0 })),
          {},
        ),
        'unknownSize',
      ],
      ['there are few requests', play(1, BUSY.slice(0, 19)), 'fewRequests'],
    ])('where %s', async (_, recorded, code) => {
      expect(await predictWhatIf(await recorded)).toMatchObject({ poolSizes: [], routes: {}, doubt: { code } });
    });

    test('without a checkout that got a connection', async () => {
      const failed = { atMs: 0, waitMs: 9, pool: 0, route: 0, outcome: 'checkOutFailed', reason: 'timeout' };
      expect(await predictWhatIf(await record([failed]))).toBeNull();
    });
  });

  describe('the sizes', () => {
    test.each([
      [1, 0.5, 10],
      [6, 0.5, 12],
      [1, 22, 70],
      [100, 1, 200],
      [700, 1, 1000],
    ])('with %i connections and %d busy go up to %i', (recordedSize, needed, largest) => {
      expect(choosePoolSizes(recordedSize, needed).at(-1)).toBe(largest);
    });

    test('include the recorded one', () => {
      expect(choosePoolSizes(13, 1)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 13, 15, 20, 25, 30]);
      expect(choosePoolSizes(5000, 1).at(-1)).toBe(5000);
    });
  });
});

describe('of a large recording', () => {
  /** @param {number} count of checkouts @param {number} routes */
  const recordRoutes = (count, routes) =>
    readTraceText(
      traceText({
        poolSize: 1,
        checkouts: Array.from({ length: count }, (_, atMs) => ({ atMs, useMs: 0.5, route: `/${atMs % routes}` })),
      }),
    );

  test('about 10,000 checkouts are replayed and checked', async () => {
    const recorded = await recordRoutes(10_500, 1);
    const { trace } = pickReplayed(recorded);
    expect(Math.abs(trace.waitMs.length - 10_000)).toBeLessThan(100);
    expect(openRecording([recorded]).trace).toEqual(trace);
  });

  test('50 routes are', async () => {
    expect(pickReplayed(await recordRoutes(55, 55)).trace.routes).toHaveLength(50);
  });
});
