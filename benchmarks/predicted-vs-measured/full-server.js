import { setTimeout as sleep } from 'node:timers/promises';
import { Checkouts, monitorPool } from 'mongodb-pool-monitor';
import { busyCores } from 'mongodb-pool-monitor/live';
import { runClosedLoop } from '../../src/harness/closed-loop.js';
import { customersOf, pickEmail } from '../../src/mongo/demo-data.js';
import { createServerLoadReader } from '../../src/mongo/server-load.js';
import { createWorkQuery } from '../../src/mongo/work-query.js';
import { traceOf } from '../../src/harness/trace-of.js';

/** @import { MongoClient } from 'mongodb' */
/** @import { Trace } from 'mongodb-pool-predictor/node' */
/** @import { WorkSpeed } from '../../src/mongo/work-query.js' */

export const CALLERS = 64;
const HEAVY_MS = 32;
const HEAVY_SHARE = 0.25;
const WITHIN_MS = 6000;

/** @typedef {{ trace: Trace, ratePerSec: number }} Recording */
/** @typedef {{ atMs: number, route: string }[]} Arrivals */

/**
 * @param {MongoClient} client
 * @param {{ pool: number, speed: WorkSpeed, observer: MongoClient, arrivals: Arrivals | null, signal: AbortSignal }} options arrivals:
 *   null for callers
 * @returns {Promise<Recording>}
 */
export async function record(client, { pool, speed, observer, arrivals, signal }) {
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
export function drawArrivals(ratePerSec) {
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
