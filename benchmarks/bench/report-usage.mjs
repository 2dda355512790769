// Loaded before an app: says on 'usage' how much processor time and memory it has taken so far, and how long its event loop was
// busy at the longest since the question before.
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout as delay } from 'node:timers/promises';

/** Until the garbage collection itself has been counted. */
const SETTLE_MS = 20;

const loop = monitorEventLoopDelay({ resolution: 1 });
loop.enable();
process.on('message', async (message) => {
  if (message !== 'usage') return;
  const longestDelayMs = loop.max / 1e6;
  globalThis.gc?.();
  await delay(SETTLE_MS);
  loop.reset();
  const { user, system } = process.cpuUsage();
  process.send?.({ cpuUs: user + system, heapBytes: process.memoryUsage().heapUsed, longestDelayMs });
});
process.channel?.unref();
