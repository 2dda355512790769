// Does the app leak or slow down with time? It serves 70 % of what it can, and its memory, its descriptors and its p99
// are read all the while.
//
//   node benchmarks/soak.js [--minutes 10]
import autocannon from 'autocannon';
import { Command } from 'commander';
import { parsePositive } from '../src/cli/options.js';
import { quantile } from '../src/predict/quantile.js';
import { withApp } from './chaos/stage.js';

const SHARE = 0.7;
const CONNECTIONS = 20;
const PROBE_SECONDS = 10;
const SAMPLE_MS = 1000;
const MOST_MB_A_MINUTE = 1;
const MOST_SPARE_DESCRIPTORS = 5;
const MOST_P99_RATIO = 1.2;

const { minutes } = new Command('soak.js').option('--minutes <n>', 'how long', parsePositive, 10).parse().opts();

await withApp({ MONGO_POOLSIZE: '10' }, async ({ app }) => {
  const capacityPerSec = await measureCapacity(app.url);
  const ratePerSec = Math.round(SHARE * capacityPerSec);
  process.stderr.write(`${Math.round(capacityPerSec)} requests a second at most; ${minutes} minutes at ${ratePerSec}\n`);

  const samples = [];
  const startedAt = performance.now();
  const sampling = setInterval(async () => {
    samples.push({ atMin: (performance.now() - startedAt) / 60_000, ...await app.readProcess() });
  }, SAMPLE_MS);
  const { answers, errors } = await sendSteadily(app.url, ratePerSec, minutes * 60);
  clearInterval(sampling);

  // The warm-up: buffers, compiled code, and the record of the last minutes' checkouts.
  const warmUpMin = Math.min(2, minutes / 3);
  const settled = samples.filter(({ atMin }) => atMin >= warmUpMin);
  const slope = fitSlope(settled.map(({ atMin, rssMB }) => [atMin, rssMB]));
  const spare = settled.at(-1).descriptors - settled[0].descriptors;
  const spanMs = Math.min(60_000, minutes * 60_000 / 4);
  const p99Of = (fromMs) => quantile(
    answers.filter(({ atMs }) => atMs >= fromMs && atMs < fromMs + spanMs).map(({ tookMs }) => tookMs), 0.99);
  const [first, last] = [p99Of(warmUpMin * 60_000), p99Of(minutes * 60_000 - spanMs)];
  const failed = errors + answers.filter(({ status }) => status !== 200).length;

  report('answered', `${answers.length}, ${failed} failed`, failed === 0);
  report('RSS', `${settled[0].rssMB.toFixed(1)} MB after the warm-up, ${settled.at(-1).rssMB.toFixed(1)} MB at the end, `
    + `slope ${slope.toFixed(2)} MB a minute`, slope < MOST_MB_A_MINUTE);
  report('descriptors', `${settled[0].descriptors} and ${settled.at(-1).descriptors}`, spare <= MOST_SPARE_DESCRIPTORS);
  report('p99', `${first.toFixed(2)} ms in the first ${spanMs / 1000} s after it, ${last.toFixed(2)} ms in the last, `
    + `ratio ${(last / first).toFixed(2)}`, last / first < MOST_P99_RATIO);
});

/** @param {string} url */
async function measureCapacity(url) {
  const once = () => autocannon({ url: `${url}/fast`, connections: CONNECTIONS, duration: PROBE_SECONDS });
  await once();
  return (await once()).requests.average;
}

/** At a steady rate, by a client that costs little beside the app. */
async function sendSteadily(url, ratePerSec, seconds) {
  const answers = [];
  const startedAt = performance.now();
  const load = autocannon({ url: `${url}/fast`, connections: CONNECTIONS, overallRate: ratePerSec, duration: seconds });
  load.on('response', (client, status, bytes, tookMs) => {
    answers.push({ atMs: performance.now() - startedAt, status, tookMs });
  });
  const { errors } = await load;
  return { answers, errors };
}

/** Least squares. @param {[number, number][]} points */
function fitSlope(points) {
  const mean = (values) => values.reduce((sum, value) => sum + value, 0) / values.length;
  const meanX = mean(points.map(([x]) => x));
  const meanY = mean(points.map(([, y]) => y));
  const sum = (of) => points.reduce((total, point) => total + of(point), 0);
  return sum(([x, y]) => (x - meanX) * (y - meanY)) / sum(([x]) => (x - meanX) ** 2);
}

function report(name, figures, isGood) {
  process.stdout.write(`${name.padEnd(12)} ${figures}${isGood ? '' : '  <- not as it should be'}\n`);
  if (!isGood) process.exitCode = 1;
}
