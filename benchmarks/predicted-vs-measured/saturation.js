// A server that is full, predicted from one trace: a quarter of the queries takes 32 ms of a core, the rest is a findOne.
//
// Rules, fixed before measuring:
// - Two loads: 64 callers who wait for their answers, and random arrivals at 0.8 of what the server answers to those with a pool
//   of 8. Each runs for 6 s with pools of 1 to 64, one after another, and again in the next run. All sizes of a run get the
//   same arrivals. What was recorded with 4 and with 16 are the traces, with what the server said of its cores.
// - p50 and p99 of wait plus use, of both queries: the median of the predictions lies within 15 % or 5 ms of the median of the
//   measurements. From 4 at all sizes, from 16 at those below.
// - The size with the smallest p99 of the heavy query lies within one step of the measured one.
// - advise says above which size the server is the bottleneck, and how much longer the p99 of the heavy query is with twice as
//   many connections. Measured one after the other, the median ratio lies within 20 % of what it says, and above 1.
import os from 'node:os';
import { advise, createTraceLoad, parseSlo, predict, quantile, shareServer, summariseTrace } from 'mongodb-pool-predictor';
import { createClient } from '../../src/mongo/client.js';
import { seedCustomers } from '../../src/mongo/demo-data.js';
import { openMongo } from '../../src/mongo/open.js';
import { calibrateWork } from '../../src/mongo/work-query.js';
import { compare } from './compare.js';
import { CALLERS, drawArrivals, record } from './full-server.js';

/** @import { Trace } from 'mongodb-pool-predictor/node' */
/** @import { PartContext, Table } from '../parts/run-parts.js' */
/** @import { Arrivals, Recording } from './full-server.js' */

const POOLS = [1, 2, 4, 8, 16, 32, 64];
/** @type {[from: number, to: number[]][]} */
const PREDICTED = [[4, POOLS], [16, [1, 2, 4, 8]]];
const OPEN_SHARE = 0.8;
const ALLOWED = 0.15;
const ALLOWED_RATIO = 0.2;

/** @type {import('../parts/run-parts.js').Part} */
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
  const ranges = [];
  try {
    await seedCustomers(observer);
    const speed = await calibrateWork(observer, { signal });
    let openRate = 0;
    /** @param {number} pool @param {Arrivals | null} arrivals */
    const recordAt = async (pool, arrivals) => {
      const client = createClient(mongo.url, { ...settings, poolSize: pool, minPoolSize: pool });
      try {
        return await record(client, { pool, speed, observer, arrivals, signal });
      } finally {
        await client.close();
      }
    };
    for (let run = 1; run <= runs; run++) {
      for (const kind of /** @type {const} */ (['closed', 'open'])) {
        const bySize = new Map();
        const arrivals = kind === 'open' ? drawArrivals(openRate) : null;
        for (const pool of POOLS) {
          say(`${kind}, pool ${pool}, run ${run}, load average ${os.loadavg()[0].toFixed(1)}`);
          bySize.set(pool, await recordAt(pool, arrivals));
        }
        recorded[kind].push(bySize);
        openRate ||= OPEN_SHARE * /** @type {Recording} */ (bySize.get(8)).ratePerSec;
      }
    }
    for (const [kind, [first]] of Object.entries(recorded)) {
      say(`${kind}, the range of advise`);
      const { trace } = /** @type {Recording} */ (first.get(4));
      ranges.push({ kind, ...await checkRange(trace, runs, recordAt, () => (kind === 'open' ? drawArrivals(openRate) : null)) });
    }
  } finally {
    await observer.close();
    await mongo.stop();
  }
  /** @type {Table[]} */
  const tables = [{
    title: 'Above which size the server is the bottleneck, and p99 of the heavy query with twice that size: times as long',
    rows: ranges, isMet: ranges.every((row) => !row.measured.includes('OFF')),
  }];
  for (const [kind, rounds] of Object.entries(recorded)) tables.push(await comparePredictions(kind, rounds));
  return tables;
}

/**
 * @param {Trace} trace
 * @param {number} runs
 * @param {(pool: number, arrivals: Arrivals | null) => Promise<Recording>} recordAt
 * @param {() => Arrivals | null} draw the load of one run
 */
async function checkRange(trace, runs, recordAt, draw) {
  const load = createTraceLoad(shareServer([trace], { pool: { maxPoolSize: 4 } }), { resample: true });
  const { saturation } = await advise({ load, services: load.services, slos: [parseSlo('heavy p50 < 60s')], headroom: 1, seeds: 59 });
  const slowdown = saturation?.slowdown;
  if (!slowdown) return { upper: 'none', says: '', measured: 'OFF' };
  const { poolSize, p99Ms, largerSize, largerMs } = slowdown;
  const ratios = [];
  for (let run = 0; run < runs; run++) {
    const arrivals = draw();
    const [upper, twice] = [await recordAt(poolSize, arrivals), await recordAt(largerSize, arrivals)]
      .map((recording) => summariseTrace(recording.trace).routes.heavy.p99Ms);
    ratios.push(twice / upper);
  }
  const median = quantile(ratios, 0.5);
  const says = largerMs / p99Ms;
  const isRight = median > 1 && Math.abs(median / says - 1) <= ALLOWED_RATIO;
  return {
    upper: poolSize, says: says.toFixed(2),
    measured: `${median.toFixed(2)} (${ratios.map((ratio) => ratio.toFixed(2)).join(' ')})${isRight ? '' : ' OFF'}`,
  };
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
