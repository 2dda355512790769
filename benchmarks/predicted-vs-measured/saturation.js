// A server that is full, predicted from one trace: a quarter of the queries takes 32 ms of a core, the rest is a findOne.
//
// Rules, fixed before measuring:
// - Two loads: 64 callers who wait for their answers, and random arrivals at 0.8 of what the server answers to those with a pool
//   of 8. Each runs for 6 s with pools of 1 to 64, one after another, and again in the next run. All sizes of a run get the
//   same arrivals. What was recorded with 4 and with 16 are the traces, with what the server said of its cores.
// - p50 and p99 of wait plus use, of both queries: the median of the predictions lies within 15 % or 5 ms of the median of the
//   measurements. From 4 at all sizes, from 16 at those below.
// - The size with the smallest p99 of the heavy query lies within one step of the measured one.
import os from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { Checkouts, monitorPool } from 'mongodb-pool-monitor';
import { createTraceLoad, predict, quantile, shareServer, summariseTrace } from 'mongodb-pool-predictor';
import { runClosedLoop } from '../../src/harness/closed-loop.js';
import { createClient } from '../../src/mongo/client.js';
import { customersOf, pickEmail, seedCustomers } from '../../src/mongo/demo-data.js';
import { openMongo } from '../../src/mongo/open.js';
import { busyCores, createServerLoadReader } from '../../src/mongo/server-load.js';
import { calibrateWork, createWorkQuery } from '../../src/mongo/work-query.js';
import { compare } from './compare.js';
import { traceOf } from './trace-of.js';

/** @import { MongoClient } from 'mongodb' */
/** @import { Trace } from 'mongodb-pool-predictor/node' */
/** @import { WorkSpeed } from '../../src/mongo/work-query.js' */
/** @import { PartContext } from '../predicted-vs-measured.js' */

const POOLS = [1, 2, 4, 8, 16, 32, 64];
/** @type {[from: number, to: number[]][]} */
const PREDICTED = [[4, POOLS], [16, [1, 2, 4, 8]]];
const CALLERS = 64;
const HEAVY_MS = 32;
const HEAVY_SHARE = 0.25;
const OPEN_SHARE = 0.8;
const WITHIN_MS = 6000;
const ALLOWED = 0.15;

/** @typedef {{ trace: Trace, ratePerSec: number }} Recording */
/** @typedef {{ atMs: number, route: string }[]} Arrivals */

/** @type {import('../predicted-vs-measured.js').Part} */
export const PART = {
  name: 'saturation',
  about: 'a server that is full, from a trace at another pool size (3 minutes a run)',
  run: compareSaturation,
};

/** @param {PartContext} context */
async function compareSaturation({ settings, signal, say, runs }) {
  const mongo = await openMongo(settings, { report: say, signal });
  const observer = createClient(mongo.url, { ...settings, poolSize: 1 });
  /** @type {Record<'closed' | 'open', Map<number, Recording>[]>} */
  const recorded = { closed: [], open: [] };
  try {
    await seedCustomers(observer);
    const speed = await calibrateWork(observer, { signal });
    let openRate = 0;
    for (let run = 1; run <= runs; run++) {
      for (const kind of /** @type {const} */ (['closed', 'open'])) {
        const bySize = new Map();
        const arrivals = kind === 'open' ? drawArrivals(openRate) : null;
        for (const pool of POOLS) {
          say(`${kind}, pool ${pool}, run ${run}, load average ${os.loadavg()[0].toFixed(1)}`);
          const client = createClient(mongo.url, { ...settings, poolSize: pool, minPoolSize: pool });
          try {
            bySize.set(pool, await record(client, { pool, speed, observer, arrivals, signal }));
          } finally {
            await client.close();
          }
        }
        recorded[kind].push(bySize);
        openRate ||= OPEN_SHARE * /** @type {Recording} */ (bySize.get(8)).ratePerSec;
      }
    }
  } finally {
    await observer.close();
    await mongo.stop();
  }
  const tables = [];
  for (const [kind, rounds] of Object.entries(recorded)) tables.push(await comparePredictions(kind, rounds));
  return tables;
}

/**
 * @param {MongoClient} client
 * @param {{ pool: number, speed: WorkSpeed, observer: MongoClient, arrivals: Arrivals | null, signal: AbortSignal }} options arrivals:
 *   null for callers
 * @returns {Promise<Recording>}
 */
async function record(client, { pool, speed, observer, arrivals, signal }) {
  const monitor = monitorPool(client);
  const checkouts = new Checkouts({ keptMs: 10 * WITHIN_MS, maxKept: 1e6 });
  checkouts.watch(monitor);
  const [customers, work] = [customersOf(client), createWorkQuery(client, speed)];
  await client.connect();
  while (monitor.snapshot().totals.idle < pool) await sleep(20, undefined, { signal });
  /** @param {string} route */
  const query = (route) => checkouts.run({ route }, () => (
    route === 'heavy' ? work(HEAVY_MS) : customers.findOne({ email: pickEmail() })));
  const read = createServerLoadReader(observer);
  const before = await read();
  if (arrivals) await send(arrivals, query, signal);
  else await runClosedLoop({ workers: CALLERS, total: 1e6, task: () => query(drawRoute()), withinMs: WITHIN_MS, signal });
  const after = await read();
  const server = { cores: Number(after.cores), busyCores: Number(busyCores(before, after)) };
  const trace = traceOf(checkouts.list(), { maxPoolSize: pool, server });
  return { trace, ratePerSec: (1000 * trace.waitMs.length) / (after.atMs - before.atMs) };
}

function drawRoute() {
  return Math.random() < HEAVY_SHARE ? 'heavy' : 'cheap';
}

/** @param {number} ratePerSec @returns {Arrivals} */
function drawArrivals(ratePerSec) {
  const arrivals = [];
  for (let atMs = 0; atMs < WITHIN_MS; atMs -= (Math.log(1 - Math.random()) * 1000) / ratePerSec) {
    arrivals.push({ atMs, route: drawRoute() });
  }
  return arrivals;
}

/** @param {Arrivals} arrivals @param {(route: string) => Promise<unknown>} query @param {AbortSignal} signal */
async function send(arrivals, query, signal) {
  const sent = [];
  const startedAtMs = performance.now();
  for (const { atMs, route } of arrivals) {
    const leftMs = startedAtMs + atMs - performance.now();
    if (leftMs > 0) await sleep(leftMs, undefined, { signal });
    sent.push(query(route));
  }
  await Promise.all(sent);
}

/** @param {string} kind @param {Map<number, Recording>[]} rounds one for each run */
async function comparePredictions(kind, rounds) {
  const rows = [];
  const best = [];
  for (const [from, to] of PREDICTED) {
    const predictions = await Promise.all(rounds.map((round) => predictFrom(/** @type {Recording} */ (round.get(from)), from, to)));
    const measured = to.map((pool) => rounds.map((round) => summariseTrace(/** @type {Recording} */ (round.get(pool)).trace).routes));
    const [measuredP99, predictedP99] = [measured, to.map((_, index) => predictions.map((one) => one[index]))]
      .map((sizes) => sizes.map((each) => quantile(each.map((routes) => routes.heavy.p99Ms), 0.5)));
    for (const [index, pool] of to.entries()) {
      rows.push({ from, pool, ...Object.fromEntries(['heavy', 'cheap'].flatMap((route) => /** @type {const} */ (['p50Ms', 'p99Ms'])
        .map((figure) => {
          const [measuredMs, predictedMs] = [measured[index], predictions.map((one) => one[index])]
            .map((each) => quantile(each.map((routes) => routes[route][figure]), 0.5));
          return [`${route} ${figure.slice(0, 3)}`, compare(measuredMs, predictedMs, ALLOWED)];
        }))) });
    }
    best.push([measuredP99, predictedP99].map((values) => values.indexOf(Math.min(...values))));
    rows.push({ from, pool: `best: ${best[best.length - 1].map((index) => to[index]).join(' / ')}` });
  }
  return {
    title: `A full server, ${kind === 'open' ? `arrivals at ${OPEN_SHARE} of its capacity` : `${CALLERS} callers`}: wait plus use in ms, `
      + 'medians measured / predicted; allowed 15 %',
    rows,
    isMet: rows.every((row) => Object.values(row).every((text) => !String(text).includes('OFF')))
      && best.every(([one, other]) => Math.abs(one - other) <= 1),
  };
}

/** @param {Recording} recording @param {number} from @param {number[]} poolSizes */
async function predictFrom({ trace }, from, poolSizes) {
  const load = createTraceLoad(shareServer([trace], { pool: { maxPoolSize: from } }), { resample: true });
  const { variants } = await predict({ load, services: load.services, poolSizes, seeds: 19 });
  return variants.map(({ predicted }) => predicted.routes);
}
