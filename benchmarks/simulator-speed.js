// How fast the simulator is and what memory it takes: 95 users with a fast query to 5 with a slow one, on a
// pool of 10 that is 83 % busy. Each row is a process of its own, so that its peak memory is its own.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { Command } from 'commander';
import { simulate } from '../src/predict/simulator/simulate.js';

if (process.send) process.send(measure(Number(process.argv[2])));
else {
  new Command('simulator-speed.js').parse();
  await printTable([1e4, 1e5, 1e6, 1e7]);
}

/** @param {number} requests */
function measure(requests) {
  const ratePerSec = 400;
  const startedAt = performance.now();
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
  const seconds = (performance.now() - startedAt) / 1000;
  return {
    requests: result.requests,
    seconds: seconds.toFixed(3),
    'requests/s': Math.round(result.requests / seconds),
    'peak RSS, MB': Math.round(process.resourceUsage().maxRSS / 1024),
    utilisation: result.utilisation.toFixed(3),
    '/fast p99, ms': Math.round(result.routes['/fast'].p99Ms),
  };
}

/** @param {number[]} counts */
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
