import { describe, expect, test } from '@jest/globals';
import { createScenarioLoad } from '../src/load/scenario-load.js';
import { checkTrace } from '../src/predict/check-trace.js';
import { predict } from '../src/predict/predict.js';
import { quantile } from '../src/base/sample-statistics.js';
import { readWorkload } from '../src/scenario/workload.js';
import { createRandom } from '../src/simulator/random.js';
import { GAPS, recordMixed, responseMs, run, TIMES, toTrace, visitors } from './trace/traces.js';
import { createTraceLoad } from '../src/load/trace-load.js';
import { checkClosed, checkOpen, CLOSED, OPEN } from './trace/follow-up-cases.js';
import { compareRounded, KINDS } from './trace/rounded-loads.js';
import { shareServer } from '../src/server/share-server.js';
import { simulate } from '../src/simulator/simulate.js';
import { record, WAITS } from './server/recordings.js';

/** @import { Trace } from '../src/trace/trace.js' */

test('the check of a steady load by another recording passes in nine of ten checks or more', async () => {
  let held = 0;
  for (let seed = 1; seed <= 20; seed++) {
    const [trace, other] = [0, 100].map((more) => recordMixed({ seed: seed + more, count: 500 }));
    if ((await checkTrace(trace, { pool: { maxPoolSize: 3 }, other })).status === 'holds') held++;
  }
  // The binomial of 20 and 0.9 is below 15 in 1 of 90 cases.
  expect(held).toBeGreaterThanOrEqual(15);
});

test('the band of a small sample is wide: it contains the next percentile about as often as it should', async () => {
  const load = createScenarioLoad(
    readWorkload(`
config:
  phases: [{ duration: 50, arrivalCount: 100 }]
scenarios: [{ flow: [{ get: { url: /fast } }] }]
`),
  );
  let within = 0;
  for (let trial = 0; trial < 60; trial++) {
    const random = createRandom(trial, 'measured');
    const measure = (/** @type {number} */ length) => Array.from({ length }, () => 2 * Math.exp(0.5 * random.normal()));
    const {
      variants: [
        {
          predicted: { low, high },
        },
      ],
    } = await predict({
      load,
      poolSizes: [10],
      services: { '/fast': { kind: 'sample', valuesMs: measure(50) } },
      seeds: 59,
    });
    const p95Ms = quantile(measure(100), 0.95);
    if (p95Ms >= Number(low?.routes['/fast'].p95Ms) && p95Ms <= Number(high?.routes['/fast'].p95Ms)) within++;
  }
  // 54 of 60 on average; the binomial has 95 of 100 between 49 and 58.
  expect(within).toBeGreaterThan(48);
});

describe('users of a trace', () => {
  describe('follow-ups', () => {
    test.each(OPEN)('$gap gaps, $service times, utilisation $utilisation: replayed as they came', checkOpen);

    test.each(CLOSED)('callers, $name, recorded at $poolSize: found, and predicted at other sizes', checkClosed);

    describe('users who come, send several requests and leave', () => {
      test.each([
        ['chains of three queries', 3, TIMES.steady(0.3)],
        ['five requests, 50 ms apart', 5, TIMES.fixed(50)],
      ])('%s', (name, requests, think) => {
        const arrivals = visitors({
          count: 500,
          gap: (random) => GAPS.poisson(40 * requests, random),
          service: TIMES.exponential(50),
          requests,
          think,
        });
        const load = createTraceLoad(toTrace(run(arrivals, 4), 4));
        expect(load.callers.callersShare).toBeLessThan(0.05);
        expect(load.callers.visitsShare).toBeGreaterThan(0.9);
        expect(Math.abs(load.callers.visits / 500 - 1)).toBeLessThan(0.15);
        for (const size of [2, 3, 4, 8]) {
          const [actualMs, predictedMs] = [run(arrivals, size), run(load.arrivals(1, 1), size)].map((records) =>
            responseMs(records, '/slow', 0.95),
          );
          expect({ size, off: Math.abs(predictedMs / actualMs - 1) < 0.15 || { actualMs, predictedMs } }).toEqual({
            size,
            off: true,
          });
        }
      });
    });
  });

  describe('rounded times', () => {
    const SEEDS = Array.from({ length: 4 }, (_, index) => index + 1);
    /**
     * Callers who come back a little later meet others, so a p95 of 2000 requests differs by up to 3 % for this reason
     * alone.
     */
    const REQUESTS = 5000;
    /** Shorter waits than this many steps of the clock are mostly rounding. */
    const MIN_WAIT_STEPS = 10;

    test.each(Object.keys(KINDS).flatMap((kind) => [0.01, 0.1, 1].map((stepMs) => [kind, stepMs])))(
      'random loads of %s, rounded to %s ms: mean wait and p95 within 5 %',
      async (kind, stepMs) => {
        const compared = [];
        for (const seed of SEEDS)
          compared.push(await compareRounded(String(kind), { seed, count: REQUESTS, stepMs: Number(stepMs) }));
        const clear = compared.filter(({ meanWaitMs }) => meanWaitMs >= MIN_WAIT_STEPS * Number(stepMs));
        expect(clear.length).toBeGreaterThan(SEEDS.length / 2);
        for (const { waitRatio, p95Ratios } of clear)
          for (const ratio of [waitRatio, ...p95Ratios]) expect(Math.abs(ratio - 1)).toBeLessThan(0.05);
      },
    );
  });
});

describe('a shared server', () => {
  /** @param {Trace} trace @param {number} maxPoolSize */
  function replay(trace, maxPoolSize) {
    const load = createTraceLoad(trace);
    return simulate({
      arrivals: load.arrivals(1, 1),
      services: load.services,
      pool: { maxPoolSize },
      server: load.server,
    });
  }

  describe('how the queries of a trace share the server', () => {
    test.each([8, 16])('an open load at pool %d shows the cores, and what other sizes do', (size) => {
      const trace = shareServer([toTrace(record('open', size), size)], { pool: { maxPoolSize: size } });
      expect(trace.sharing).toMatchObject({ source: 'fitted', workShares: { '/heavy': 1, '/cheap': 1 } });
      expect(trace.sharing?.cores).toBeGreaterThan(1.6);
      expect(trace.sharing?.cores).toBeLessThan(2.5);
      for (const other of [2, 4, 32]) {
        const measured = record('open', other);
        const { routes } = replay(trace, other);
        for (const share of [0.5, 0.95]) {
          const ms = responseMs(measured, '/heavy', share);
          expect(Math.abs((share === 0.5 ? routes['/heavy'].p50Ms : routes['/heavy'].p95Ms) / ms - 1)).toBeLessThan(
            0.15,
          );
        }
      }
    });

    test('callers who keep all connections busy: the server must tell its cores, and then sizes can be predicted', () => {
      const recorded = toTrace(record('closed', 4), 4);
      expect(shareServer([recorded]).sharing).toBeUndefined();
      const told = { ...recorded, server: { cores: 2, busyCores: 1.98 } };
      const trace = shareServer([told], { pool: { maxPoolSize: 4 } });
      expect(trace.sharing).toMatchObject({ source: 'recorded', seen: 4 });
      for (const other of [1, 16, 48]) {
        const measured = record('closed', other);
        const { routes } = replay(trace, other);
        for (const route of ['/heavy', '/cheap']) {
          const ms = responseMs(measured, route, 0.5);
          expect(Math.abs(routes[route].p50Ms - ms)).toBeLessThan(Math.max(0.15 * ms, 2));
        }
      }
    });

    test('two traces of other sizes show the cores at once', () => {
      const [four, one] = [4, 1].map((size) => toTrace(record('closed', size), size));
      const { sharing } = shareServer([four, one], { pool: { maxPoolSize: 4 } });
      expect(sharing?.cores).toBeGreaterThan(1.6);
      expect(sharing?.cores).toBeLessThan(2.5);
      const [low, high] = sharing?.range ?? [];
      expect(low).toBeLessThan(2);
      expect(high).toBeGreaterThan(2);
    });

    test('the cores that the user says are taken', () => {
      const { sharing } = shareServer([toTrace(record('closed', 4), 4)], { cores: 3, pool: { maxPoolSize: 4 } });
      expect(sharing).toMatchObject({ source: 'given', cores: 3, range: null });
    });

    test.each(/** @type {const} */ (['open', 'closed']))(
      'a replay at the recorded size has the recorded uses, %s',
      (kind) => {
        const recorded = { ...toTrace(record(kind, 8), 8), server: { cores: 2, busyCores: 1.7 } };
        const { routes } = replay(shareServer([recorded], { pool: { maxPoolSize: 8 } }), 8);
        for (const [route, name] of recorded.routes.entries()) {
          const uses = Array.from(recorded.useMs).filter((_, index) => recorded.routeOf[index] === route);
          const mean = uses.reduce((sum, ms) => sum + ms, 0) / uses.length;
          expect((routes[name].meanMs - routes[name].wait.meanMs) / mean).toBeCloseTo(1, 1);
        }
      },
    );

    test.each(/** @type {const} */ (['open', 'closed']))(
      'queries that do not slow each other down are left alone, %s',
      (kind) => {
        for (let seed = 1; seed <= (kind === 'open' ? 10 : 1); seed++) {
          for (const size of [2, 8, 32]) {
            const trace = toTrace(
              record(kind, size, { services: WAITS, seed, untilMs: kind === 'open' ? 4000 : 1000 }),
              size,
            );
            expect(shareServer([trace])).toBe(trace);
            // The server is idle, however many connections are in use.
            const idle = { ...trace, server: { cores: 2, busyCores: 0.2 } };
            expect(shareServer([idle])).toBe(idle);
          }
        }
      },
    );
  });
});
