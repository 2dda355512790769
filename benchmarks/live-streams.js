// Does the live page leak memory or slow down when many people watch it under load? Runs the app in a child process with
// 200 open event streams and 1000 requests a second, and reads its heap after garbage collection before and after.
//
//   node benchmarks/live-streams.js [--seconds 30]
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { Agent, get } from 'node:http';
import { Command } from 'commander';
import { parsePositive } from '../src/cli/option-parsers.js';
import { createLogger } from '../src/logger.js';
import { readSettings } from '../src/settings.js';
import { start } from '../src/start.js';

/** @typedef {{ heapMB: number, rssMB: number }} Memory */

const STREAMS = 200;
const RATE_PER_SEC = 1000;
const TICK_MS = 10;
const WARM_UP_S = 5;

if (process.send) await serve();
else await measure();

/** The child: the app. It replies to every message with its memory after garbage collection. */
async function serve() {
  const settings = readSettings({ ...process.env, PORT: '0', MONGO_POOLSIZE: '20' });
  /** @type {(() => unknown)[]} */
  const closers = [];
  const url = await start(settings, { log: createLogger('warn'), closers, signal: new AbortController().signal });
  process.on('message', () => {
    globalThis.gc?.();
    const { heapUsed, rss } = process.memoryUsage();
    process.send?.({ heapMB: heapUsed / 2 ** 20, rssMB: rss / 2 ** 20 });
  });
  process.once('disconnect', async () => {
    for (const close of closers.toReversed()) await close();
    process.exit();
  });
  process.send?.({ url });
}

async function measure() {
  const { seconds } = new Command('live-streams.js')
    .description('Measures the memory of the app and the rate of its page\'s events with 200 open streams.')
    .option('--seconds <n>', 'duration of the load', parsePositive, 30)
    .parse().opts();
  const child = fork(new URL(import.meta.url), { execArgv: ['--expose-gc'] });
  const [{ url }] = await once(child, 'message');
  const streams = Array.from({ length: STREAMS }, () => ({ events: 0 }));
  for (const stream of streams) {
    get(`${url}/pool/events`, { agent: false }, (response) => {
      response.on('data', (chunk) => {
        stream.events += chunk.toString().split('event: pool').length - 1;
      });
    });
  }
  await sendLoad(url, WARM_UP_S);
  const before = await readMemory(child);
  for (const stream of streams) stream.events = 0;
  const startedAtMs = performance.now();
  const { answered, failed } = await sendLoad(url, seconds);
  const tookS = (performance.now() - startedAtMs) / 1000;
  const rates = streams.map(({ events }) => events / tookS).sort((a, b) => a - b);
  const after = await readMemory(child);

  process.stdout.write([
    `${STREAMS} streams, ${seconds} s, ${Math.round(answered / tookS)} requests/s answered, ${failed} failed`,
    `pool events per second and stream: min ${rates[0].toFixed(2)}, median ${rates[STREAMS / 2].toFixed(2)}`,
    `heap after garbage collection: ${before.heapMB.toFixed(1)} MB before, ${after.heapMB.toFixed(1)} MB after, `
    + `ratio ${(after.heapMB / before.heapMB).toFixed(3)} (RSS ${before.rssMB.toFixed(0)} MB before, ${after.rssMB.toFixed(0)} MB after)`,
    '',
  ].join('\n'));
  child.disconnect();
  await once(child, 'exit');
  process.exit();
}

/** Runs an open loop with a fixed arrival rate. @param {string} url @param {number} seconds */
async function sendLoad(url, seconds) {
  const agent = new Agent({ keepAlive: true });
  const total = RATE_PER_SEC * seconds;
  let sent = 0;
  let answered = 0;
  let failed = 0;
  await /** @type {Promise<void>} */ (new Promise((resolve) => {
    /** @param {boolean} isOk */
    const count = (isOk) => {
      if (isOk) answered += 1;
      else failed += 1;
      if (answered + failed === total) resolve();
    };
    const startedAtMs = performance.now();
    const ticker = setInterval(() => {
      const due = Math.min(total, Math.floor((performance.now() - startedAtMs) / 1000 * RATE_PER_SEC));
      for (; sent < due; sent++) {
        get(`${url}/fast`, { agent }, (response) => {
          response.resume().once('end', () => count(response.statusCode === 200));
        }).once('error', () => count(false));
      }
      if (sent === total) clearInterval(ticker);
    }, TICK_MS);
  }));
  agent.destroy();
  return { answered, failed };
}

/** @param {import('node:child_process').ChildProcess} child */
async function readMemory(child) {
  child.send('memory');
  const [memory] = /** @type {[Memory]} */ (await once(child, 'message'));
  return memory;
}
