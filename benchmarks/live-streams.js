// Does the live page leak, or slow down, when many look at it under load? The app runs in a child process with 200
// open event streams and 1000 requests a second; its heap is read after garbage collection before and after.
//
//   node benchmarks/live-streams.js [--seconds 30]
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { Agent, get } from 'node:http';
import { Command } from 'commander';
import { parsePositive } from '../src/cli/options.js';
import { createLogger } from '../src/logger.js';
import { readSettings } from '../src/settings.js';
import { start } from '../src/start.js';

const STREAMS = 200;
const RATE_PER_SEC = 1000;
const TICK_MS = 10;
const WARM_UP_S = 5;

if (process.send) await serve();
else await measure();

/** The child: the app, and its heap on request. */
async function serve() {
  const settings = readSettings({ ...process.env, PORT: '0', MONGO_POOLSIZE: '20' });
  const closers = [];
  const url = await start(settings, { log: createLogger('warn'), closers, signal: new AbortController().signal });
  process.on('message', () => {
    globalThis.gc();
    process.send({ heapMB: process.memoryUsage().heapUsed / 2 ** 20, rssMB: process.memoryUsage().rss / 2 ** 20 });
  });
  process.once('disconnect', async () => {
    while (closers.length > 0) await closers.pop()();
    process.exit();
  });
  process.send({ url });
}

async function measure() {
  const { seconds } = new Command('live-streams.js').option('--seconds <n>', 'how long', parsePositive, 30).parse().opts();
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
  const before = await askHeap(child);
  for (const stream of streams) stream.events = 0;
  const startedAt = performance.now();
  const { answered, failed } = await sendLoad(url, seconds);
  const tookS = (performance.now() - startedAt) / 1000;
  const rates = streams.map(({ events }) => events / tookS).sort((a, b) => a - b);
  const after = await askHeap(child);

  process.stdout.write([
    `${STREAMS} streams, ${seconds} s, ${Math.round(answered / tookS)} requests a second answered, ${failed} failed`,
    `pool events a second and stream: min ${rates[0].toFixed(2)}, median ${rates[STREAMS / 2].toFixed(2)}`,
    `heap after collection: ${before.heapMB.toFixed(1)} MB before, ${after.heapMB.toFixed(1)} MB after, `
    + `ratio ${(after.heapMB / before.heapMB).toFixed(3)} (RSS ${before.rssMB.toFixed(0)} and ${after.rssMB.toFixed(0)} MB)`,
    '',
  ].join('\n'));
  child.disconnect();
  await once(child, 'exit');
  process.exit();
}

/**
 * Open arrivals at a fixed rate, whatever the app answers.
 * @param {string} url
 * @param {number} seconds
 */
async function sendLoad(url, seconds) {
  const agent = new Agent({ keepAlive: true });
  const total = RATE_PER_SEC * seconds;
  let sent = 0;
  let answered = 0;
  let failed = 0;
  await new Promise((resolve) => {
    const note = (good) => {
      if (good) answered += 1;
      else failed += 1;
      if (answered + failed === total) resolve();
    };
    const startedAt = performance.now();
    const ticker = setInterval(() => {
      const due = Math.min(total, Math.floor((performance.now() - startedAt) / 1000 * RATE_PER_SEC));
      for (; sent < due; sent++) {
        get(`${url}/fast`, { agent }, (response) => {
          response.resume().once('end', () => note(response.statusCode === 200));
        }).once('error', () => note(false));
      }
      if (sent === total) clearInterval(ticker);
    }, TICK_MS);
  });
  agent.destroy();
  return { answered, failed };
}

/** @param {import('node:child_process').ChildProcess} child */
async function askHeap(child) {
  child.send('heap');
  const [heap] = await once(child, 'message');
  return heap;
}
