// Does the app leak memory or slow down over time? Serves it 70 % of its capacity, and records its memory, descriptors and
// p99. Exits with 1 if one of them grew. Needs /proc.
//
//   node benchmarks/soak.js [--minutes 10]
import autocannon from 'autocannon';
import { Command } from 'commander';
import { quantile } from 'mongodb-pool-predictor';
import { parsePositive } from '../src/cli/option-parsers.js';
import { runHttpLoad } from '../src/harness/http-load.js';
import { withApp } from './chaos/test-bed.js';

const UTILISATION = 0.7;
const CONNECTIONS = 20;
const PROBE_MS = 10_000;
const SAMPLE_MS = 1000;
const MAX_MB_PER_MINUTE = 1;
const MAX_NEW_DESCRIPTORS = 5;
const MAX_P99_RATIO = 1.2;

const program = new Command('soak.js')
  .description('Loads the app with 70 % of its capacity and checks its memory, descriptors and p99 for growth.')
  .option('--minutes <n>', 'duration of the load', parsePositive, 10)
  .parse();
const { minutes } = program.opts();
if (process.platform !== 'linux') program.error('error: soak.js runs on Linux only, because it reads /proc');

await withApp({ MONGO_POOLSIZE: '10' }, async ({ app }) => {
  const { measured, failed: problem } = await runHttpLoad({
    url: `${app.url}/fast`, connections: CONNECTIONS, warmUpMs: PROBE_MS, durationMs: PROBE_MS,
  });
  if (!measured) throw new Error(problem);
  const capacityPerSec = Number(measured.ratePerSec);
  const ratePerSec = Math.round(UTILISATION * capacityPerSec);
  process.stderr.write(`capacity ${Math.round(capacityPerSec)} requests/s; sending ${ratePerSec}/s for ${minutes} min\n`);

  /** @type {{ atMin: number, rssMB: number, descriptors: number }[]} */
  const samples = [];
  const startedAtMs = performance.now();
  const sampling = setInterval(async () => {
    const usage = await app.readProcess();
    if (usage) samples.push({ atMin: (performance.now() - startedAtMs) / 60_000, ...usage });
  }, SAMPLE_MS);
  const { answers, errors } = await sendLoad(app.url, ratePerSec, minutes * 60);
  clearInterval(sampling);

  // The warm-up fills buffers, compiles code and fills the record of recent checkouts.
  const warmUpMin = Math.min(2, minutes / 3);
  const warm = samples.filter(({ atMin }) => atMin >= warmUpMin);
  const [start, end] = [warm[0], warm[warm.length - 1]];
  const slope = fitSlope(warm.map(({ atMin, rssMB }) => [atMin, rssMB]));
  const spanMs = Math.min(60_000, minutes * 60_000 / 4);
  /** @param {number} fromMs */
  const p99From = (fromMs) => quantile(
    answers.filter(({ atMs }) => atMs >= fromMs && atMs < fromMs + spanMs).map(({ tookMs }) => tookMs), 0.99);
  const [firstMs, lastMs] = [p99From(warmUpMin * 60_000), p99From(minutes * 60_000 - spanMs)];
  const failed = errors + answers.filter(({ status }) => status !== 200).length;

  report('answered', `${answers.length}, ${failed} failed`, failed === 0);
  report('RSS', `${start.rssMB.toFixed(1)} MB after the warm-up, ${end.rssMB.toFixed(1)} MB at the end, `
    + `slope ${slope.toFixed(2)} MB/min`, slope < MAX_MB_PER_MINUTE);
  report('descriptors', `${start.descriptors} after the warm-up, ${end.descriptors} at the end`,
    end.descriptors - start.descriptors <= MAX_NEW_DESCRIPTORS);
  report('p99', `${firstMs.toFixed(2)} ms in the first ${spanMs / 1000} s after the warm-up, `
    + `${lastMs.toFixed(2)} ms in the last, ratio ${(lastMs / firstMs).toFixed(2)}`, lastMs / firstMs < MAX_P99_RATIO);
});

/**
 * Sends requests at a constant rate over a few connections, which costs the client little CPU.
 * @param {string} url
 * @param {number} ratePerSec
 * @param {number} seconds
 */
async function sendLoad(url, ratePerSec, seconds) {
  /** @type {{ atMs: number, status: number, tookMs: number }[]} */
  const answers = [];
  const startedAtMs = performance.now();
  const options = {
    url: `${url}/fast`, connections: CONNECTIONS, overallRate: ratePerSec, duration: seconds, sampleInt: SAMPLE_MS,
  };
  const load = autocannon(options);
  load.on('response', (client, status, bytes, tookMs) => {
    answers.push({ atMs: performance.now() - startedAtMs, status, tookMs });
  });
  const { errors } = await load;
  return { answers, errors };
}

/** Fits a line by least squares. @param {[x: number, y: number][]} points */
function fitSlope(points) {
  /** @param {(point: [x: number, y: number]) => number} valueOf */
  const mean = (valueOf) => points.reduce((sum, point) => sum + valueOf(point), 0) / points.length;
  const meanX = mean(([x]) => x);
  const meanY = mean(([, y]) => y);
  return mean(([x, y]) => (x - meanX) * (y - meanY)) / mean(([x]) => (x - meanX) ** 2);
}

/** @param {string} name @param {string} figures @param {boolean} isOk */
function report(name, figures, isOk) {
  process.stdout.write(`${name.padEnd(12)} ${figures}${isOk ? '' : '  <- over the limit'}\n`);
  if (!isOk) process.exitCode = 1;
}
