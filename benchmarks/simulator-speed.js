// How fast is the simulator, and how much memory does it use? The load is 95 users with a fast query to 5 with a slow one,
// on a pool of 10 that is 83 % busy. Each row runs in a separate process, to measure its peak memory.
//
//   node benchmarks/simulator-speed.js [--max-requests 10000000]
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { Command } from 'commander';
import { simulate } from 'mongodb-pool-predictor';
import { parsePositive } from '../src/cli/option-parsers.js';

const REQUESTS = [10_000, 100_000, 1_000_000];

if (process.send) process.send(measure(Number(process.argv[2])));
else {
  const { maxRequests } = new Command('simulator-speed.js')
    .description('Measures the speed and the peak memory of the simulator.')
    .option('--max-requests <n>', 'requests of the longest simulation', parsePositive, 10_000_000)
    .parse().opts();
  await printTable([...REQUESTS.filter((requests) => requests < maxRequests), maxRequests]);
}

/** @param {number} requests */
function measure(requests) {
  const ratePerSec = 400;
  const startedAtMs = performance.now();
  const result = simulate({
    workload: {
      phases: [{ durationMs: (requests / ratePerSec) * 1000, arrivalRate: ratePerSec, mode: 'poisson' }],
      scenarios: [
        { weight: 95, steps: [{ kind: 'request', route: '/fast' }] },
        { weight: 5, steps: [{ kind: 'request', route: '/slow' }] },
      ],
    },
    services: {
      '/fast': { kind: 'lognormal', medianMs: 2, sigma: 0.5 },
      '/slow': { kind: 'exponential', meanMs: 370 },
    },
    pool: { maxPoolSize: 10 },
  });
  const seconds = (performance.now() - startedAtMs) / 1000;
  return {
    requests: result.requests,
    seconds: seconds.toFixed(3),
    'requests/s': Math.round(result.requests / seconds),
    'peak RSS, MB': Math.round(process.resourceUsage().maxRSS / 1024),
    utilisation: result.utilisation.toFixed(3),
    '/fast p99, ms': Math.round(result.routes['/fast'].p99Ms),
  };
}

/** @param {number[]} counts of requests */
async function printTable(counts) {
  const rows = [];
  for (const requests of counts) {
    const child = fork(fileURLToPath(import.meta.url), [String(requests)]);
    const [row] = await once(child, 'message');
    rows.push(row);
  }
  // eslint-disable-next-line no-console
  console.table(rows);
}
