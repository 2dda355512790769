// How fast is the simulator, and how much memory does it use? Users who make one request each need no events; each row has the
// same load simulated with and without them. The load is 95 users with a fast query to 5 with a slow one, on a pool of 10 that
// is 83 % busy. Each measurement is a new process: it includes compiling, and has its own peak memory. Measurements of a row
// take turns, and the table has their medians. On a busy machine compare the CPU times.
//
//   node benchmarks/simulator-speed.js [--max-requests 10000000] [--repeats 3]
//
// The goals: 10^4 requests at no less than 500,000 a second, 10^6 in 0.3 s, 10^7 in 2.5 s.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { Command } from 'commander';
import { createScenarioLoad, predict } from 'mongodb-pool-predictor';
import { createSimulationThreads } from 'mongodb-pool-predictor/node';
import { simulate, simulateEvents } from '../packages/pool-predictor/src/simulator/simulate.js';
import { parsePositive } from '../src/cli/option-parsers.js';

/** @import { Service } from 'mongodb-pool-predictor' */

const REQUESTS = [10_000, 100_000, 1_000_000];
const RATE_PER_SEC = 400;
const POOL_SIZES = [9, 10, 12, 15, 20, 30];

/** @type {Record<string, Service>} */
const SERVICES = { '/fast': { kind: 'lognormal', medianMs: 2, sigma: 0.5 }, '/slow': { kind: 'exponential', meanMs: 370 } };

/** @type {Record<string, (size: number) => Promise<{ requests: number, utilisation: number }> | { requests: number, utilisation: number }>} */
const MEASUREMENTS = {
  'without events': (requests) => simulate(describeRun(requests)),
  'with events': (requests) => simulateEvents(describeRun(requests)),
  'loops and thinking': (requests) => simulate({ ...describeRun(requests), workload: describeUsers(requests) }),
  'one thread': (seconds) => predictHour(seconds, 1),
  threads: (seconds) => predictHour(seconds, availableParallelism()),
};

if (process.send) {
  const [, , name, size] = process.argv;
  process.send(await measure(name, Number(size)));
} else {
  const { maxRequests, repeats } = new Command('simulator-speed.js')
    .description('Measures the speed and the peak memory of the simulator.')
    .option('--max-requests <n>', 'requests of the longest simulation', parsePositive, 10_000_000)
    .option('--repeats <n>', 'measurements for each figure', parsePositive, 3)
    .parse().opts();
  await printTables([...REQUESTS.filter((requests) => requests < maxRequests), maxRequests], repeats);
}

/** @param {string} name @param {number} size */
async function measure(name, size) {
  const startedAtMs = performance.now();
  const before = process.cpuUsage();
  const { requests, utilisation } = await MEASUREMENTS[name](size);
  const seconds = (performance.now() - startedAtMs) / 1000;
  const { user, system } = process.cpuUsage(before);
  return { requests, utilisation, seconds, cpuSeconds: (user + system) / 1e6, peakMb: process.resourceUsage().maxRSS / 1024 };
}

/** @param {number} requests */
function describeRun(requests) {
  return {
    workload: {
      phases: [{
        durationMs: (requests / RATE_PER_SEC) * 1000, arrivalRate: RATE_PER_SEC, mode: /** @type {const} */ ('poisson'),
      }],
      scenarios: [{ weight: 95, steps: [request('/fast')] }, { weight: 5, steps: [request('/slow')] }],
    },
    services: SERVICES,
    pool: { maxPoolSize: 10 },
  };
}

/** Twenty requests of each user. @param {number} requests */
function describeUsers(requests) {
  const think = { kind: /** @type {const} */ ('think'), ms: 500, jitterMs: 250 };
  const loop = { kind: /** @type {const} */ ('loop'), count: 19, steps: [request('/fast'), think] };
  const ratePerSec = RATE_PER_SEC / 20;
  return {
    phases: [{
      durationMs: (requests / 20 / ratePerSec) * 1000, arrivalRate: ratePerSec, mode: /** @type {const} */ ('poisson'),
    }],
    scenarios: [{ steps: [loop, request('/slow')] }],
  };
}

/** @param {string} route */
function request(route) {
  return { kind: /** @type {const} */ ('request'), route };
}

/** Requests of all runs. @param {number} ratePerSec for an hour @param {number} threads */
async function predictHour(ratePerSec, threads) {
  const { workload } = describeRun(ratePerSec * 3600);
  const load = createScenarioLoad({ ...workload, phases: [{ durationMs: 3_600_000, arrivalRate: ratePerSec, mode: 'poisson' }] });
  const { simulateRuns, close } = createSimulationThreads({ load, services: SERVICES }, { threads });
  const { variants, load: { requests }, seeds } = await predict({ load, services: SERVICES, poolSizes: POOL_SIZES, simulateRuns })
    .finally(close);
  return { requests: Math.round(requests) * seeds * (POOL_SIZES.length + 1), utilisation: variants[0].predicted.utilisation };
}

/** @param {number[]} counts of requests @param {number} repeats */
async function printTables(counts, repeats) {
  const rows = [];
  for (const count of counts) rows.push(compare(count, await repeat(['with events', 'without events'], count, repeats)));
  const loops = await repeat(['loops and thinking'], 1_000_000, repeats);
  /* eslint-disable no-console */
  console.table(rows);
  console.log('Users who loop and think, which always needs events:');
  console.table(Object.entries(loops).map(([name, figures]) => ({ load: name, ...describe(figures) })));
  console.log(`predict: an hour at 100 requests per second, ${POOL_SIZES.length} sizes, ${availableParallelism()} threads:`);
  const hour = await repeat(['one thread', 'threads'], 100, 1);
  console.table(Object.entries(hour).map(([name, figures]) => ({ simulated: name, ...describe(figures) })));
  /* eslint-enable no-console */
}

/** @typedef {Awaited<ReturnType<typeof measure>>} Measured */

/** @param {number} count @param {Record<string, Measured>} measured */
function compare(count, measured) {
  const [events, now] = [measured['with events'], measured['without events']];
  return {
    requests: now.requests,
    'with events, s': events.seconds.toFixed(3),
    'without, s': now.seconds.toFixed(3),
    'requests/s': Math.round(now.requests / now.seconds),
    'times as fast': (events.seconds / now.seconds).toFixed(1),
    'CPU with, s': events.cpuSeconds.toFixed(3),
    'CPU without, s': now.cpuSeconds.toFixed(3),
    'peak RSS, MB': Math.round(now.peakMb),
    utilisation: now.utilisation.toFixed(3),
  };
}

/** @param {Measured} measured */
function describe({ requests, seconds, cpuSeconds, peakMb }) {
  return {
    requests,
    seconds: seconds.toFixed(3),
    'CPU, s': cpuSeconds.toFixed(3),
    'requests/s': Math.round(requests / seconds),
    'peak RSS, MB': Math.round(peakMb),
  };
}

/**
 * @param {string[]} names of measurements
 * @param {number} size
 * @param {number} repeats
 * @returns {Promise<Record<string, Measured>>} the median of each by time
 */
async function repeat(names, size, repeats) {
  /** @type {Record<string, Measured[]>} */
  const all = Object.fromEntries(names.map((name) => [name, []]));
  for (let i = 0; i < repeats; i++) {
    for (const name of names) {
      const child = fork(fileURLToPath(import.meta.url), [name, String(size)]);
      const [measured] = await once(child, 'message');
      await once(child, 'exit');
      all[name].push(measured);
    }
  }
  return Object.fromEntries(Object.entries(all).map(([name, each]) => (
    [name, each.sort((a, b) => a.seconds - b.seconds)[each.length >> 1]])));
}
