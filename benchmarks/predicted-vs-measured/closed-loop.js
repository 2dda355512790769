// Callers who wait for their answers, predicted from a trace: 32 callers of /slow (SLOW_MS 50), and 24 callers of /slow with
// 8 of /fast who think for 20 ms. The trace says nothing about callers: the predictor must find them.
//
// Rules, fixed before measuring:
// - Each load runs for 8 s with pools of 2, 4, 8 and 16, one after another, and again in the next run. The checkouts that the app
//   recorded with 4 are the trace from which 2, 8 and 16 are predicted; 2 is also predicted from those recorded with 16.
// - p50 and p95 of the HTTP response times: the median of the predictions lies within 15 % or 5 ms of the median of the
//   measurements. For /slow the 5 ms don't count.
import os from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { createTraceLoad, predict, quantile } from 'mongodb-pool-predictor';
import { startApp } from '../../src/harness/app-process.js';
import { runClosedLoop } from '../../src/harness/closed-loop.js';
import { requestOnce } from '../../src/harness/request-once.js';
import { readCheckouts, warmUp } from '../../src/harness/warm-up.js';
import { openMongo } from '../../src/mongo/open.js';
import { compare } from './compare.js';
import { traceOf } from '../../src/harness/trace-of.js';

const POOLS = [2, 4, 8, 16];
/** @type {[from: number, to: number][]} */
const PREDICTED = [[4, 2], [4, 8], [4, 16], [16, 2]];
const SLOW_MS = 50;
const WITHIN_MS = 8000;
const ALLOWED = 0.15;
const WARM_UP = { rounds: 50, requests: 200, everyMs: 2 };
const SHARES = { p50: 0.5, p95: 0.95 };

/** @import { RouteResult } from '../../packages/pool-predictor/src/simulator/route-stats.js' */

/** @typedef {{ route: string, callers: number, thinkMs: number }} Callers */

/** @type {{ name: string, callers: Callers[] }[]} */
const LOADS = [
  { name: '32 slow', callers: [{ route: '/slow', callers: 32, thinkMs: 0 }] },
  { name: '24 slow, 8 fast', callers: [{ route: '/slow', callers: 24, thinkMs: 0 }, { route: '/fast', callers: 8, thinkMs: 20 }] },
];

/** @type {import('../parts/run-parts.js').Part} */
export const PART = {
  name: 'closed-loop',
  about: 'callers who wait for their answers, from a trace at another pool size (2 minutes a run)',
  run: compareClosedLoops,
};

/** @param {import('../parts/run-parts.js').PartContext} context */
async function compareClosedLoops({ settings, signal, say, runs }) {
  /** @type {{ load: object, from: number, to: number, measured: Record<string, number[]>, predicted: Record<string, RouteResult>, callers: number }[]} */
  const rounds = [];
  const mongo = await openMongo(settings, { report: say, signal });
  try {
    for (let run = 1; run <= runs; run++) {
      for (const load of LOADS) {
        /** @type {Map<number, Awaited<ReturnType<typeof measure>>>} */
        const byPool = new Map();
        for (const pool of POOLS) {
          say(`${load.name}, pool ${pool}, run ${run}, load average ${os.loadavg()[0].toFixed(1)}`);
          byPool.set(pool, await measure(mongo.url, pool, load.callers, signal));
        }
        for (const [from, to] of PREDICTED) {
          const [recorded, measured] = [from, to].map((pool) => /** @type {Awaited<ReturnType<typeof measure>>} */ (byPool.get(pool)));
          rounds.push({ load, from, to, measured: measured.responsesMs, ...await predictResponses(recorded, from, to) });
        }
      }
    }
  } finally {
    await mongo.stop();
  }
  const rows = LOADS.flatMap((load) => PREDICTED.flatMap(([from, to]) => load.callers.map(({ route }) => {
    const ofRow = rounds.filter((round) => round.load === load && round.from === from && round.to === to);
    return {
      load: load.name, from, to, route,
      ...Object.fromEntries(Object.entries(SHARES).flatMap(([figure, share]) => {
        const measured = ofRow.map((round) => quantile(round.measured[route], share));
        const [measuredMs, predictedMs] = [measured, ofRow.map(({ predicted }) => predicted[route][figure === 'p50' ? 'p50Ms' : 'p95Ms'])].map((each) => quantile(each, 0.5));
        const text = compare(measuredMs, predictedMs, ALLOWED);
        return [
          [`${figure} measured`, measured.map((ms) => ms.toFixed(0)).join(' ')],
          [figure, route === '/slow' ? text.replace('(ms)', 'OFF') : text],
        ];
      })),
      callers: ofRow.map(({ callers }) => callers).join(' '),
    };
  })));
  return [{
    title: 'Closed loops, response times in ms: each measurement, then the medians measured / predicted; allowed 15 %. '
      + 'Last: how many callers the predictor found',
    rows, isMet: rows.every((row) => Object.values(row).every((text) => !String(text).includes('OFF'))),
  }];
}

/**
 * @param {string} mongoUrl
 * @param {number} pool
 * @param {Callers[]} callers
 * @param {AbortSignal} signal
 */
async function measure(mongoUrl, pool, callers, signal) {
  const app = await startApp({ MONGO_URL: mongoUrl, MONGO_POOLSIZE: String(pool), SLOW_MS: String(SLOW_MS) }, { signal });
  try {
    const { lastId, overheadsMs } = await warmUp(app.url, pool, WARM_UP);
    /** @type {Record<string, number[]>} */
    const responsesMs = {};
    await Promise.all(callers.map(({ route, callers: workers, thinkMs }) => {
      responsesMs[route] = [];
      return runClosedLoop({
        workers, total: 100_000, withinMs: WITHIN_MS, signal,
        task: async () => {
          const { status, tookMs } = await requestOnce(new URL(route, app.url), { signal });
          if (status !== 200) throw new Error(`${route} answered HTTP ${status}`);
          responsesMs[route].push(tookMs);
          if (thinkMs > 0) await sleep(thinkMs);
        },
      });
    }));
    const { checkouts } = await readCheckouts(app.url, lastId);
    return { responsesMs, overheadsMs, checkouts };
  } finally {
    await app.stop();
  }
}

/**
 * @param {Pick<Awaited<ReturnType<typeof measure>>, 'overheadsMs' | 'checkouts'>} recorded
 * @param {number} from
 * @param {number} to
 */
async function predictResponses({ overheadsMs, checkouts }, from, to) {
  const load = createTraceLoad(traceOf(checkouts, { maxPoolSize: from }));
  const overhead = { kind: /** @type {const} */ ('sample'), valuesMs: overheadsMs };
  const { variants: [{ predicted }] } = await predict({ load, services: load.services, poolSizes: [to], overhead, seeds: 19 });
  return { predicted: predicted.routes, callers: load.callers.callers };
}
