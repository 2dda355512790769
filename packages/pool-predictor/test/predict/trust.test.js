import { describe, expect, test } from '@jest/globals';
import { traceText } from 'test-support/trace-text.js';
import { findImpatience, judgeFailures } from '../../src/predict/known-failures.js';
import { hideUncertain } from '../../src/predict/shown-figures.js';
import { judgeTrust } from '../../src/predict/trust.js';
import { poolOfApp } from '../../src/predict/pool-settings.js';
import { predict } from '../../src/predict/predict.js';
import { checkRecording, openRecording, pickReplayed } from '../../src/predict/recording.js';
import { predictWhatIf } from '../../src/predict/what-if.js';
import { choosePoolSizes, findEnough } from '../../src/predict/what-if-sizes.js';
import { pickPool } from '../../src/trace/pick-pool.js';
import { summariseTrace } from '../../src/trace/trace.js';
import { readTraceText } from '../../src/reading/read-trace.js';
import { record } from '../doctor/recordings.js';

/** @import { Load } from '../../src/load/load.js' */
/** @import { PredictedFigures } from '../../src/runs/run-figures.js' */
/** @import { Recording } from '../../src/predict/recording.js' */
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
  const codesOf = async (/** @type {Recording} */ recording) => {
    const { reasonToHide, refusal } = judgeTrust(recording, await checkRecording(recording));
    const codes = [299, 301].map((ms) => reasonToHide({ name: 'p50Ms', poolSize: 2, ms })?.code);
    return { all: refusal?.code, codes };
  };

  test('after about the same time have a time limit, and longer figures are hidden', async () => {
    const recording = await leave(5, (request) => 299 + (request % 3));
    expect(findImpatience(recording.trace)).toEqual({ afterMs: 300, count: 5, isMuch: false });
    expect(await codesOf(recording)).toEqual({ all: undefined, codes: [undefined, 'clientsGiveUp'] });
  });

  test('and are more than 5 % hide all, because they may have tried again', async () => {
    expect(await codesOf(await leave(6, () => 300))).toEqual({
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
      [25, 30, 31].map((maxMs) => judgeFailures(trace)(poolSize, /** @type {any} */ ({ maxMs }))?.code ?? null);
    // The same but for 5 ms is as long.
    expect(codesAt(all, 2)).toEqual([null, null, 'unknownFailures']);
    expect(codesAt(all, 4)).toEqual([null, null, null]);
    expect(codesAt(some, 4)).toEqual([null, null, 'unknownFailures']);
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
    const { variants: shown, hidden } = hideUncertain(judgeTrust(recording, checkOf({})), variants);
    expect(
      shown.map(({ predicted: { failures, low, routes } }) => [failures, low?.failures, routes['/fast'].failures]),
    ).toEqual([
      [NaN, NaN, NaN],
      [0, 0, 0],
    ]);
    expect(hidden.filter(({ reason }) => reason.code === 'unknownFailures')).toEqual([
      { reason: { code: 'unknownFailures', figures: { longestMs: 2 } }, poolSizes: [1], isAll: false },
    ]);
  });
});

/** @param {Partial<TraceCheck>} changes @returns {TraceCheck} */
function checkOf(changes) {
  return {
    of: 'waits',
    status: 'holds',
    reason: null,
    poolSize: 8,
    figures: [],
    waits: { count: 100, otherShare: 0.8, openings: 50 },
    rateRatio: 1,
    useRatios: {},
    ...changes,
  };
}

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
  const callers = { callers: 24, callersShare: 1 };
  const [open, closed] = [{}, { callers }].map((load) => /** @type {Load} */ (/** @type {unknown} */ (load)));
  const holds = checkOf({});
  const loop = { busyShare: 0.5, busyMs: 30, isLate: false };
  /** @param {number} restMs of each response, beyond its queries */
  const restingFor = (restMs) => ({
    ...open,
    services: { '/a': { kind: /** @type {const} */ ('requests'), requests: [{ queriesMs: [20], restMs }] } },
  });

  describe('figures are withheld', () => {
    const withheldOf = (/** @type {ReturnType<typeof judgeTrust>} */ { refusalAt }) =>
      [1, 4, 5, 8, 15, 16].filter((size) => refusalAt(size));

    test('at all sizes if the check fails', () => {
      const trust = judgeTrust({ trace, load: open }, checkOf({ status: 'fails', reason: 'otherWaits' }));
      expect(withheldOf(trust)).toEqual([1, 4, 5, 8, 15, 16]);
    });

    describe('at all sizes if requests piled up on a full server', () => {
      const piled = /** @type {any} */ ({
        ...trace,
        server: { cores: 2, busyCores: 1.8 },
        sharing: fitted,
        waitMs: Array.from({ length: 200 }, (_, row) => 10 * row),
        useMs: Array.from({ length: 200 }, () => 30),
      });
      /** @param {Partial<Trace>} changes @param {object} [more] */
      const whyOf = (changes, more) =>
        judgeTrust({ trace: { ...piled, ...changes }, load: open, ...more }, holds).refusal?.code ?? null;

      test('it is so', () => {
        expect(withheldOf(judgeTrust({ trace: piled, load: open }, holds))).toEqual([1, 4, 5, 8, 15, 16]);
        expect(whyOf({})).toBe('growingQueue');
        expect(whyOf({ server: { cores: 4, busyCores: 1.8, otherBusyCores: 2 } })).toBe('growingQueue');
      });

      test.each([
        ['requests take as long at the end', { waitMs: Array.from({ length: 200 }, () => 1000) }],
        ['the server had cores to spare', { server: { cores: 2, busyCores: 1.2 } }],
        ['queries do not share it', { sharing: undefined }],
        ['its cores are not known', { server: undefined }],
      ])('but not if %s', (_, changes) => {
        expect(whyOf(changes)).toBeNull();
      });

      test('which takes the last third twice as long as the first', () => {
        const times = [1.9, 2.1].map((growth) =>
          Array.from({ length: 201 }, (_, row) => (row < 134 ? 100 : 100 * growth)),
        );
        expect(times.map((useMs) => whyOf({ useMs, waitMs: useMs.map(() => 0) }))).toEqual([null, 'growingQueue']);
      });

      test('nor if callers wait for answers, or more is known', () => {
        expect(whyOf({}, { load: closed })).toBeNull();
        expect(whyOf({}, { others: [piled] })).toBeNull();
        expect(whyOf({}, { serverCores: 2 })).toBeNull();
      });
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
      const guessed = { ...trace, sharing: { ...fitted, source: /** @type {const} */ ('guessed') } };
      expect(withheldOf(judgeTrust({ trace: guessed, load: closed }, holds))).toEqual([1, 4, 16]);
    });
  });

  describe('bands', () => {
    /** Figures of a short query, and of one that keeps the server busy. @param {number} peakActive */
    const figuresOf = (peakActive) => {
      const times = { count: 30, p95Ms: 100, meanUseMs: 9 };
      const routes = { '/short': times, '/long': { ...times, p95Ms: 1000, meanUseMs: 80 } };
      return /** @type {PredictedFigures} */ (
        /** @type {unknown} */ ({ peakActive, routes, low: { routes }, high: { routes } })
      );
    };
    /** @param {Parameters<typeof judgeTrust>[0]} input @param {number} size @param {number} [peakActive] */
    const endsOf = (input, size, peakActive = 1) => {
      const { low, high } = judgeTrust(input, holds).widen(figuresOf(peakActive), size);
      return ['/short', '/long'].map((route) => [low, high].map((end) => Math.round(Number(end?.routes[route].p95Ms))));
    };

    test('widen with each doubling, more for callers, and less with a second recording', () => {
      const widths = (/** @type {Parameters<typeof judgeTrust>[0]} */ input) =>
        [8, 16, 4, 2].map((size) => endsOf(input, size)[0][1] - 100);
      expect(widths({ trace, load: open })).toEqual([0, 5, 5, 10]);
      expect(widths({ trace, load: closed })).toEqual([0, 10, 10, 20]);
      expect(widths({ trace, load: closed, others: [trace] })).toEqual([0, 5, 5, 10]);
      const unknown = /** @type {Trace} */ ({ ...trace, header: {} });
      expect(endsOf({ trace: unknown, load: open }, 4)).toEqual([
        [100, 100],
        [1000, 1000],
      ]);
    });

    test('are the margin of advice where callers who wait share a server', () => {
      const margins = (/** @type {Partial<Trace>} */ changes, load = closed) =>
        [4, 8, 16].map((size) => judgeTrust({ trace: { ...trace, ...changes }, load }, holds).marginAt(size));
      const shared = { sharing: fitted, server: { cores: 2, busyCores: 1 } };
      expect(margins(shared)).toEqual([0.2, 0, 0.2]);
      expect(margins({ ...shared, header: {} })).toEqual([0, 0, 0]);
      expect(margins({})).toEqual([0, 0, 0]);
      expect(margins(shared, open)).toEqual([0, 0, 0]);
    });

    test('widen more on a server that is busier', () => {
      const widths = (/** @type {Partial<Trace>} */ changes, load = open) =>
        [8, 16].map((size) => endsOf({ trace: { ...trace, sharing: fitted, ...changes }, load }, size)[0][1] - 100);
      expect(widths({ server: { cores: 2, busyCores: 0 } })).toEqual([0, 10]);
      expect(widths({ server: { cores: 2, busyCores: 1 } })).toEqual([0, 20]);
      expect(widths({ server: { cores: 3, busyCores: 1, otherBusyCores: 1 } })).toEqual([0, 20]);
      const full = { server: { cores: 1, busyCores: 1 } };
      expect(widths(full)).toEqual([0, 100]);
      expect(widths(full, closed)).toEqual([0, 30]);
      // Half of the 20 ms of each query is work: of two cores, one is busy.
      const sharing = { ...fitted, workShares: { '/a': 0.5 }, aloneMs: new Float64Array(200).fill(20) };
      expect(widths({ sharing })).toEqual([0, 20]);
    });

    test('widen with how busy requests kept the event loop of the app, twice as much if it was late', () => {
      const widths = (/** @type {Partial<Trace>} */ changes, restMs = 30) =>
        [8, 16].map((size) => endsOf({ trace: { ...trace, ...changes }, load: restingFor(restMs) }, size)[0][1] - 100);
      expect(widths({ loop })).toEqual([0, 10]);
      expect(widths({ loop: { ...loop, isLate: true } })).toEqual([0, 20]);
      expect(widths({ loop, sharing: fitted, server: { cores: 4, busyCores: 1 } })).toEqual([0, 20]);
      // The rest of their responses is shorter, so it was busy with something else, too.
      expect(widths({ loop }, 0)).toEqual([0, 5]);
    });

    test('reach lower for short queries where more share the server than recorded: they may get a turn at once', () => {
      const sharing = { ...fitted, aloneMs: Float64Array.of(1, 20) };
      const server = { cores: 2, busyCores: 0 };
      const shared = { ...trace, routes: ['/short', '/long'], routeOf: [0, 1], sharing, server };
      expect(endsOf({ trace: shared, load: open }, 16, 8)[0]).toEqual([91, 110]);
      expect(endsOf({ trace: shared, load: open }, 16, 9)).toEqual([
        [83, 110],
        [909, 1100],
      ]);
    });
  });

  describe('a figure is not shown', () => {
    const times = { p50Ms: 10, p95Ms: 40, p99Ms: 50, maxMs: 60, meanMs: 12 };
    const ends = (/** @type {number} */ by) => ({
      routes: { '/a': { ...times, p50Ms: 10 * by, p95Ms: 40 * by } },
      meanWaitMs: 3,
    });
    /**
     * @param {Parameters<typeof judgeTrust>[0]} input
     * @param {TraceCheck} check
     * @param {{ poolSize?: number, by?: number }} [options]
     */
    const hiddenOf = (input, check, { poolSize = 4, by = 1.5 } = {}) => {
      const predicted = /** @type {any} */ ({ ...ends(1), low: ends(1 / by), high: ends(by) });
      const { variants } = hideUncertain(judgeTrust(input, check), [{ settings: { poolSize }, predicted }]);
      expect(predicted.routes['/a']).toEqual(times);
      return Object.entries(variants[0].predicted.routes['/a']).flatMap(([name, ms]) =>
        Number.isNaN(ms) ? [name] : [],
      );
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

    test('of a few ms, if it allows 5 ms more or less', () => {
      const { reasonToHide } = judgeTrust({ trace, load: open }, holds);
      const whyOf = (/** @type {{ ms: number, lowMs?: number, highMs?: number }} */ figure) =>
        reasonToHide({ name: 'p50Ms', poolSize: 4, ...figure })?.code;
      const figures = [{ lowMs: 1.2 }, { lowMs: 0.8 }].map((ends) => ({ ms: 6, ...ends }));
      const short = [5.8, 6.2].map((highMs) => ({ ms: 1, highMs }));
      expect([...figures, ...short].map(whyOf)).toEqual([undefined, 'wideBand', undefined, 'wideBand']);
    });

    test('if nothing was checked, except medians', () => {
      expect(hiddenOf({ trace, load: open }, notChecked)).toEqual(['p95Ms', 'p99Ms', 'maxMs', 'meanMs']);
    });

    test('but all are above the recorded size, because a larger pool saves no more than the few recorded waits', () => {
      expect(hiddenOf({ trace, load: open }, notChecked, { poolSize: 16 })).toEqual([]);
      const few = checkOf({ status: 'notChecked', reason: 'fewWaits' });
      expect(hiddenOf({ trace, load: open }, few, { poolSize: 16 })).toEqual([]);
      expect(hiddenOf({ trace, load: open }, few, { poolSize: 16, by: 3 })).toEqual(['p50Ms', 'p95Ms']);
      const ofOther = checkOf({ of: 'trace', status: 'notChecked', reason: 'fewRequests' });
      expect(hiddenOf({ trace, load: open }, ofOther, { poolSize: 16 })).toHaveLength(4);
      const unknown = checkOf({ status: 'notChecked', reason: 'unknownSize', poolSize: NaN });
      expect(hiddenOf({ trace: { ...trace, header: {} }, load: open }, unknown, { poolSize: 16 })).toHaveLength(4);
    });

    describe('where the server would have more or less to do', () => {
      const full = { ...trace, header: { maxPoolSize: 2 } };
      /**
       * @param {{ busyCores: number, cores?: number, otherBusyCores?: number }} server
       * @param {number} inUse
       * @param {object} [changes]
       */
      const whyOf = (server, inUse, changes) =>
        judgeTrust({ trace: { ...full, server: { cores: 2, ...server } }, load: open, ...changes }, holds).reasonToHide(
          { name: 'p50Ms', poolSize: 8, inUse, ms: 20 },
        )?.code ?? null;

      test('it is not shown', () => {
        // Each connection keeps 0.35 cores busy, so 8 of them would need 2.8.
        expect(whyOf({ busyCores: 0.7 }, 8)).toBe('busyServer');
        expect(whyOf({ busyCores: 0.7 }, 2)).toBeNull();
        expect(whyOf({ busyCores: 1.8 }, 1)).toBe('busyServer');
      });

      test('but it is if queries hardly need the server, or if something shows how they slow each other down', () => {
        expect(whyOf({ busyCores: 0.1 }, 8)).toBeNull();
        expect(whyOf({ busyCores: 0.7, cores: 8 }, 8)).toBeNull();
        expect(whyOf({ busyCores: 0.7 }, 8, { others: [full] })).toBeNull();
        expect(whyOf({ busyCores: 0.7 }, 8, { serverCores: 'none' })).toBeNull();
        expect(whyOf({ busyCores: 0.7 }, 8, { trace: { ...full, sharing: fitted } })).toBeNull();
      });

      test('of one core, queries wait sooner', () => {
        expect(whyOf({ busyCores: 0.3, cores: 2 }, 4)).toBeNull();
        expect(whyOf({ busyCores: 0.3, cores: 1 }, 4)).toBe('busyServer');
        expect(whyOf({ busyCores: 0.3, otherBusyCores: 1 }, 4)).toBe('busyServer');
      });

      test('and hiding it says so', () => {
        const predicted = /** @type {any} */ ({ ...ends(1), utilisation: 1 });
        const input = { trace: { ...full, server: { cores: 2, busyCores: 0.7 } }, load: open };
        const { variants, hidden } = hideUncertain(
          judgeTrust(input, holds),
          [8, 2, 9].map((poolSize) => ({ settings: { poolSize }, predicted })),
        );
        expect(hidden).toEqual([{ reason: { code: 'busyServer', figures: {} }, poolSizes: [8, 9], isAll: true }]);
        expect(variants.map((variant) => variant.predicted.meanWaitMs)).toEqual([NaN, 3, NaN]);
      });
    });

    describe('where requests may wait for the event loop of the app', () => {
      /** @param {number} busyMs @param {{ restMs?: number, inUse?: number, ms?: number, others?: Trace[] }} [figure] */
      const whyOf = (busyMs, { restMs = 30, inUse = 2, ms = 20, others = [] } = {}) =>
        judgeTrust(
          { trace: { ...trace, loop: { ...loop, busyMs } }, load: restingFor(restMs), others },
          holds,
        ).reasonToHide({ name: 'p50Ms', poolSize: 16, inUse, ms })?.code ?? null;

      test('it is not shown if that may take 15 % and 5 ms', () => {
        // M/M/1: a loop that is busy half of the time makes each request wait for as long as it keeps the loop busy.
        expect([4.8, 5.2].map((busyMs) => whyOf(busyMs))).toEqual([null, 'busyLoop']);
        expect([7.2, 7.8].map((busyMs) => whyOf(busyMs, { ms: 50 }))).toEqual([null, 'busyLoop']);
        expect(whyOf(7, { others: [trace] })).toBeNull();
      });

      test('but other work of the loop does not count: a request needs no more than the rest of its response', () => {
        expect(whyOf(20, { restMs: 10 })).toBeNull();
        expect(whyOf(20, { restMs: 15 })).toBe('busyLoop');
      });

      test('nor if requests would come so fast that the loop has more to do', () => {
        expect(whyOf(1, { inUse: 3 })).toBeNull();
        expect(whyOf(2, { inUse: 3 })).toBe('busyLoop');
        expect(whyOf(1, { inUse: 4 })).toBe('busyLoop');
        // With a smaller pool, fewer meet there than were recorded.
        expect(whyOf(7, { inUse: 1 })).toBe('busyLoop');
      });

      test('and hiding only some says that some are left', () => {
        const predicted = /** @type {any} */ ({ ...ends(1), utilisation: 1 });
        const hideBelow = (/** @type {number} */ limitMs) => {
          /** @param {{ ms: number }} figure @returns {import('../../src/base/finding.js').CodedFinding | null} */
          const reasonToHide = ({ ms }) => (ms < limitMs ? { code: 'busyLoop', figures: {} } : null);
          const { hidden } = hideUncertain({ reasonToHide, whyUnknownFailures: () => null }, [
            { settings: { poolSize: 16 }, predicted },
          ]);
          return hidden.map(({ isAll }) => isAll);
        };
        // The shortest time is the mean wait, which is not one of a route.
        expect(hideBelow(predicted.meanWaitMs + 1)).toEqual([]);
        expect([hideBelow(20), hideBelow(Infinity)]).toEqual([[false], [true]]);
      });
    });

    test('but all are if the recording shows who waits for answers, and that the server had cores to spare', () => {
      expect(hiddenOf({ trace: plain, load: open }, notChecked)).toEqual([]);
      expect(judgeTrust({ trace: plain, load: open }, notChecked).showsEverything).toBe(true);
      // What is unclear there, is in two readings, which are shown side by side.
      expect(hiddenOf({ trace: plain, load: { ...open, closedReading: closed } }, notChecked)).toEqual([]);
      const busy = { cores: 2, busyCores: 0.9 };
      const shared = { ...plain, sharing: fitted };
      expect(hiddenOf({ trace: shared, load: open }, notChecked)).toEqual([]);
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
});

describe('what if', () => {
  /** @typedef {{ atMs: number, useMs: number, route: number, socket?: number }} SentRequest */

  /**
   * A recording of requests that were served in turn, each on a socket of its own unless it says so.
   * @param {number} size of the pool, 0 for no limit @param {SentRequest[]} sent @param {(waitMs: number) => number}
   *   [distort] the waits @param {number} [endMs] of the recording
   */
  function play(size, sent, distort = (ms) => ms, endMs = Infinity) {
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
    return record(lines.flat(), { maxPoolSize: { value: size, from: 'code' } });
  }

  /** Every 50 ms a short query, or a report of 380 ms instead of every eleventh. */
  const BUSY = Array.from({ length: 221 }, (_, index) =>
    index % 11 === 0 ? { atMs: index * 50, useMs: 380, route: 1 } : { atMs: index * 50, useMs: 4, route: 0 },
  );
  const [FAST, REPORT] = ['/fast', '/report'];

  test('it has the figures of predict, to the digit, at every size', async () => {
    const recorded = await play(1, BUSY);
    const whatIf = await predictWhatIf(recorded);
    if (!whatIf) throw new Error('there is no answer');
    const recording = openRecording([recorded]);
    const { trace, load, overhead, settings } = recording;
    const { poolSizes } = whatIf;
    const trust = judgeTrust({ trace, load }, await checkRecording(recording));
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
    const { poolSizes = [], enough = 0, routes = {} } = whatIf ?? {};
    const { predicted: shown, measuredMs } = routes[FAST];
    const mayBeSlower = poolSizes.filter((_, index) => Number(shown[index].highMs) > measuredMs);
    expect(mayBeSlower).toContain(3);
    expect(mayBeSlower).not.toContain(poolSizes[enough]);
  });

  test('of fewer than 20 requests it has the slowest', async () => {
    const slow = Array.from({ length: 5 }, (_, index) => ({ atMs: index * 1000, useMs: 5000, route: 1 }));
    const fast = Array.from({ length: 19 }, (_, index) => ({ atMs: 5000 + index * 5000, useMs: 5, route: 0 }));
    const sent = [...slow, ...fast].sort((a, b) => a.atMs - b.atMs);
    const whatIf = await predictWhatIf(await play(1, sent));
    expect(whatIf).toMatchObject({
      doubt: null,
      check: { status: 'holds' },
      routes: { [FAST]: { figure: 'maxMs' } },
    });
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
    const whatIf = await predictWhatIf(await record(lines, { maxPoolSize: { value: size, from: 'code' } }));
    expect(whatIf).toMatchObject({ recordedSize: size, poolSizes: [2, 3, 4, 5] });
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
      expect(cut).toMatchObject({ isOpen: true, doubt: null, check: { status: 'holds' } });
      expect(openRecording([await play(2, jam, undefined, 20_000)]).load.durationMs).toBeCloseTo(20_000);
      expect(whole.isOpen).toBe(false);
      expect(cut.routes[FAST].count).toBe(180);
      expect(cut.routes[FAST].measuredMs).toBeGreaterThan(5000);
      expect(cut.routes[FAST].measuredMs).toBeLessThan(Number(whole.routes[FAST].measuredMs));
      // The queue of two thirds of the load would drain, too: in the end, they would have waited longer than so far.
      const at = (/** @type {number} */ size) => cut.routes[FAST].predicted[cut.poolSizes.indexOf(size)];
      expect(at(2).ms).toBeGreaterThan(cut.routes[FAST].measuredMs);
      expect(at(8).lowMs).toBeLessThan(20);
      for (const { poolSizes, enough } of [cut, whole]) expect([6, 7, 8]).toContain(poolSizes[enough]);
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
    const calm = BUSY.map((request) => ({ ...request, useMs: 4 }));
    const brief = BUSY.slice(0, 10);

    test.each([
      ['nobody waited', play(1, calm), 'nobodyWaited'],
      ['the pool had no limit', play(0, BUSY), 'unlimitedPool'],
      ['the pool does not explain the waits', play(1, BUSY, (ms) => ms * 0.5), 'figures'],
      ['it does not explain a few waits either', play(1, brief, (ms) => ms * 0.5), 'fewWaits'],
    ])('where %s', async (_, recorded, code) => {
      expect(await predictWhatIf(await recorded)).toMatchObject({ poolSizes: [], routes: {}, doubt: { code } });
    });

    test('at other sizes, where requests may wait for a busy event loop', async () => {
      const recorded = await play(1, BUSY);
      recorded.seconds.loop.push({ atMs: 0, process: 0, meanMs: 1, maxMs: 9, busy: 0.9 });
      recorded.requests.durationMs.forEach((ms, row, column) => (column[row] = ms + 10));
      expect(await predictWhatIf(recorded)).toMatchObject({ poolSizes: [1], doubt: { code: 'busyLoop' } });
    });

    test('without a checkout that got a connection', async () => {
      const failed = { atMs: 0, waitMs: 9, pool: 0, route: 0, outcome: 'checkOutFailed', reason: 'timeout' };
      expect(await predictWhatIf(await record([failed]))).toBeNull();
    });
  });

  describe('a size is left out if who waits for answers matters there', () => {
    /** Pairs, of which the second waits. @type {SentRequest[]} */
    const pairs = Array.from({ length: 50 }, (_, index) =>
      [0, 0].map((route) => ({ atMs: 100 * index, useMs: 10, route })),
    ).flat();
    /**
     * The report comes 90 ms after the answer to the request before it on its socket. Of two connections, if it waited
     * for that, it would come while both are in use, and be later by lateMs.
     * @param {number} lateMs @param {number} useMs of the report
     */
    const sizesOf = async (lateMs, useMs) => {
      const group = [
        { atMs: 0, useMs: 101 + lateMs, route: 0 },
        { atMs: 1, useMs: 10, route: 0, socket: 999 },
        { atMs: 50, useMs: 100 + lateMs, route: 0 },
        { atMs: 201 + lateMs, useMs, route: 1, socket: 999 },
      ];
      const sent = [...pairs, ...group.map((each) => ({ ...each, atMs: 10_000 + each.atMs }))];
      const whatIf = await predictWhatIf(await play(1, sent));
      return { doubt: whatIf?.doubt?.code, first: whatIf?.poolSizes.slice(0, 3) };
    };

    test.each([
      ['5 ms', [4.5, 5.5], 20],
      ['5 % of a longer one', [45, 55], 1000],
    ])('and changes a figure by more than %s', async (_, [same, other], useMs) => {
      expect(await sizesOf(same, useMs)).toEqual({ doubt: undefined, first: [1, 2, 3] });
      expect(await sizesOf(other, useMs)).toEqual({ doubt: 'sharedSockets', first: [1, 3, 4] });
    });
  });

  test.each([
    ['the smallest that larger ones do not better', [900, 20, 8, 4], [80, 12, 9, 8], [0, 0, 0, 0], 2],
    ['none with failures that another has not', [4, 5], [8, 9], [1, 0], 1],
    ['where each is bad for one route, the least bad', [100, 150, 300], [900, 400, 390], [0, 0, 0], 1],
  ])('the size that is enough: %s', (_, fastMs, reportMs, failures, index) => {
    expect(findEnough(failures, [fastMs, reportMs])).toBe(index);
  });

  describe('the sizes', () => {
    test.each([
      [1, 0.5, 10],
      [6, 0.5, 12],
      [1, 22, 50],
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
