// Callers who wait for their answers, predicted from a trace: 32 callers of /slow (SLOW_MS 50), and 24 callers of /slow
// with 8 of /fast who think for 20 ms. The trace says nothing about callers: the predictor must find them.
//
// Rules, fixed before measuring:
// - Each load runs for 8 s with pools of 2, 4, 8 and 16, one after another, and again in the next run. The checkouts
//   that the app recorded with 4 are the trace from which 2, 8 and 16 are predicted; 2 is also predicted from those
//   recorded with 16.
// - p50 and p95 of the HTTP response times: the median of the predictions lies within 15 % of the median of the
//   measurements, or within 5 ms for /fast.
import os from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { PoolClient } from 'mongodb-pool-page/client';
import { createTraceLoad, predict, quantile } from 'mongodb-pool-predictor';
import { startApp } from '../../lab/harness/app-process.js';
import { runClosedLoop } from '../../lab/harness/loads/closed-loop.js';
import { requestOnce } from '../../lab/harness/loads/request-once.js';
import { useMsOf, waitMsOf } from '../../lab/harness/warm-up.js';
import { warmUp } from '../../lab/harness/warm-up.js';
import { openMongo } from '../../src/mongo/embedded.js';

const POOLS = [2, 4, 8, 16];
/** @type {[from: number, to: number][]} */
const PREDICTED = [
  [4, 2],
  [4, 8],
  [4, 16],
  [16, 2],
];
const SLOW_MS = 50;
const WITHIN_MS = 8000;
const ALLOWED = 0.15;
const WARM_UP = { rounds: 50, requests: 200, everyMs: 2 };
const SHARES = /** @type {const} */ ({ p50Ms: 0.5, p95Ms: 0.95 });

/** @type {Record<string, number>} */
const NOISE_MS = { '/fast': 5, '/slow': 0 };

/** @typedef {{ route: string, callers: number, thinkMs: number }} Callers */
/** @typedef {Awaited<ReturnType<typeof measure>>} Measured */
/**
 * @typedef {Measured & Awaited<ReturnType<typeof predictResponses>> & { load: string, from: number, to: number }} Round
 */

/** @type {Record<string, Callers[]>} */
const LOADS = {
  '32 slow': [{ route: '/slow', callers: 32, thinkMs: 0 }],
  '24 slow, 8 fast': [
    { route: '/slow', callers: 24, thinkMs: 0 },
    { route: '/fast', callers: 8, thinkMs: 20 },
  ],
};

/** @type {import('../parts/run-parts.js').BenchmarkPart} */
export const PART = {
  name: 'closed-loop',
  about: 'callers who wait for their answers, from a trace at another pool size (2 minutes a run)',
  async run({ settings, signal, say, runs }) {
    /** @type {Round[]} */
    const rounds = [];
    const mongo = await openMongo(settings, { report: say, signal });
    try {
      for (let run = 1; run <= runs; run++) {
        for (const load of Object.keys(LOADS)) {
          /** @type {Record<number, Measured>} */
          const byPool = {};
          for (const pool of POOLS) {
            say(`${load}, pool ${pool}, run ${run}, load average ${os.loadavg()[0].toFixed(1)}`);
            byPool[pool] = await measure(mongo.url, pool, LOADS[load], signal);
          }
          for (const [from, to] of PREDICTED) {
            rounds.push({ load, from, to, ...byPool[to], ...(await predictResponses(byPool[from], from, to)) });
          }
        }
      }
    } finally {
      await mongo.stop();
    }
    const rows = Object.keys(LOADS).flatMap((load) =>
      PREDICTED.flatMap(([from, to]) =>
        LOADS[load].map(({ route }) =>
          compare(
            route,
            rounds.filter((round) => round.load === load && round.from === from && round.to === to),
          ),
        ),
      ),
    );
    return [
      {
        title:
          'Closed loops, response times in ms: each measurement, then the medians measured / predicted; allowed 15 ' +
          '%. Last: how many callers the predictor found',
        rows,
        isMet: rows.every((row) => Object.values(row).every((text) => !String(text).includes('OFF'))),
      },
    ];
  },
};

/** Makes a row of the table. @param {string} route @param {Round[]} rounds of one load and two pools */
function compare(route, rounds) {
  const [{ load, from, to }] = rounds;
  const figures = Object.entries(SHARES).flatMap(([figure, share]) => {
    const measured = rounds.map(({ responsesMs }) => quantile(responsesMs[route], share));
    const predicted = rounds.map((round) => round.predicted[route][/** @type {keyof typeof SHARES} */ (figure)]);
    const [measuredMs, predictedMs] = [measured, predicted].map((values) => quantile(values, 0.5));
    const isOff = Math.abs(measuredMs - predictedMs) > Math.max(ALLOWED * predictedMs, NOISE_MS[route]);
    return [
      [`${figure} measured`, measured.map((ms) => ms.toFixed(0)).join(' ')],
      [figure, `${measuredMs.toFixed(1)} / ${predictedMs.toFixed(1)}${isOff ? ' OFF' : ''}`],
    ];
  });
  return {
    load,
    from,
    to,
    route,
    ...Object.fromEntries(figures),
    callers: rounds.map(({ callers }) => callers).join(' '),
  };
}

/**
 * @param {string} mongoUrl
 * @param {number} pool
 * @param {Callers[]} callers
 * @param {AbortSignal} signal
 */
async function measure(mongoUrl, pool, callers, signal) {
  const app = await startApp(
    { MONGO_URL: mongoUrl, MONGO_POOLSIZE: String(pool), SLOW_MS: String(SLOW_MS) },
    { signal },
  );
  try {
    const { lastId, overheadsMs } = await warmUp(app.url, pool, WARM_UP);
    /** @type {Record<string, number[]>} */
    const responsesMs = {};
    await Promise.all(
      callers.map(({ route, callers: workers, thinkMs }) => {
        responsesMs[route] = [];
        return runClosedLoop(
          {
            workers,
            total: 100_000,
            withinMs: WITHIN_MS,
            task: async () => {
              const { status, tookMs } = await requestOnce(new URL(route, app.url), { signal });
              if (status !== 200) throw new Error(`${route} answered HTTP ${status}`);
              responsesMs[route].push(tookMs);
              if (thinkMs > 0) await sleep(thinkMs);
            },
          },
          { signal },
        );
      }),
    );
    const { checkouts } = await new PoolClient(app.url).checkoutsSince(lastId);
    return { responsesMs, overheadsMs, checkouts };
  } finally {
    await app.stop();
  }
}

/** @param {Measured} recorded @param {number} from pool size @param {number} to pool size */
async function predictResponses({ overheadsMs, checkouts }, from, to) {
  const load = createTraceLoad(traceOf(checkouts, { maxPoolSize: from }));
  const overhead = { kind: /** @type {const} */ ('sample'), valuesMs: overheadsMs };
  const {
    variants: [{ predicted }],
  } = await predict({ load, services: load.services, poolSizes: [to], overhead, seeds: 19 });
  return { predicted: predicted.routes, callers: load.callers.callers };
}

/**
 * Makes a trace of checkouts.
 * @param {Measured['checkouts']} checkouts those without a route are left out
 * @param {{ maxPoolSize: number }} header
 */
function traceOf(checkouts, header) {
  const named = checkouts
    .filter(({ checkedInAtMs, route }) => checkedInAtMs !== null && route !== null)
    .sort((a, b) => a.checkOutStartedAtMs - b.checkOutStartedAtMs);
  const routes = [...new Set(named.map(({ route }) => String(route)))];
  return {
    header,
    routes,
    checkOutStartedMs: named.map(({ checkOutStartedAtMs }) => checkOutStartedAtMs - named[0].checkOutStartedAtMs),
    waitMs: named.map(waitMsOf),
    useMs: named.map(useMsOf),
    routeOf: named.map(({ route }) => routes.indexOf(String(route))),
    warnings: [],
  };
}
