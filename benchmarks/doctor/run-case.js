import http from 'node:http';
import { once, setMaxListeners } from 'node:events';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { recordTrace } from '../../lab/cli/record-trace.js';
import { startAttachedApp } from '../../lab/harness/attached-app.js';
import { openProxy } from './proxy.js';

/** @import { Case } from './cases.js' */

const APP = fileURLToPath(new URL('app.js', import.meta.url));
const START_MS = 30_000;
const SECONDS = 6;
/** The load starts this long after the recording. */
const LEAD_MS = 300;
/** The last calls may take this long, where nobody waits for their answers. */
const LAST_MS = 1000;

/**
 * Runs an app with an injected cause under load, and records it.
 *
 * @param {Case} injected
 * @param {{ mongoPort: number, mongoUrl?: string, isOpen: boolean, random: () => number, folder: string, name: string,
 *   signal: AbortSignal, halfway?: () => Promise<unknown> }} options mongoUrl: the app reaches it without a proxy;
 *   halfway: what happens in the middle of the load
 * @returns {Promise<string>} trace file
 */
export async function recordCase(
  injected,
  { mongoPort, mongoUrl, isOpen, random, folder, name, signal, halfway = () => Promise.resolve() },
) {
  const { app: settings, faults = {}, load, isBurst, seconds = SECONDS, drainMs = 0 } = injected;
  const proxy = await openProxy(mongoPort, faults);
  const app = await startAttachedApp([process.execPath, APP], {
    signal,
    env: {
      MONGO_URL: mongoUrl ?? `mongodb://127.0.0.1:${proxy.port}/?directConnection=true`,
      APP_CASE: JSON.stringify(settings),
    },
  });
  const out = path.join(folder, `${name}.jsonl`);
  try {
    const { port, url } = await app.until(
      (processes) =>
        processes.flatMap(({ ports: [first], url: page }) => (first && page ? { port: first, url: page } : []))[0],
      { ms: START_MS, otherwise: 'the app did not start' },
    );
    const [stop, end] = [new AbortController(), new AbortController()];
    // Each caller listens to it.
    setMaxListeners(0, stop.signal);
    const calls = { random, isBurst, signal: stop.signal, lastMs: Math.max(LAST_MS, drainMs) };
    const loaded = sleep(LEAD_MS).then(() =>
      Promise.all(load.map((each) => ((each.isOpen ?? isOpen) ? callOpen : callClosed)(port, each, calls))),
    );
    const recorded = recordTrace(
      { option: 'app', url, headers: {} },
      { out, every: 250, maxMb: 100, signal: end.signal, onStart: () => {}, onEnd: () => {} },
    );
    await Promise.race([recorded, sleep((seconds * 1000) / 2)]);
    await halfway();
    await Promise.race([recorded, sleep((seconds * 1000) / 2)]);
    stop.abort();
    if (drainMs > 0) await Promise.race([recorded, loaded]);
    end.abort();
    await recorded;
    await loaded;
  } finally {
    await app.stop();
    proxy.close();
  }
  return out;
}

/** @typedef {{ random: () => number, isBurst?: boolean, signal: AbortSignal, lastMs: number }} Calls */

/** Callers that arrive as they like. @param {number} port @param {Case['load'][0]} load @param {Calls} calls */
async function callOpen(port, { route, ratePerSec, callers, periodMs }, { random, isBurst, signal, lastMs }) {
  const agent = new http.Agent({ keepAlive: true });
  const calls = isBurst ? Array.from({ length: callers }, () => call(port, route, agent)) : [];
  let atMs = performance.now();
  while (!signal.aborted) {
    const swing = periodMs ? 1 + 0.9 * Math.sin((2 * Math.PI * atMs) / periodMs) : 1;
    atMs += (-Math.log(1 - random()) / (ratePerSec * swing)) * 1000;
    await sleep(Math.max(0, atMs - performance.now()), undefined, { signal }).catch(() => {});
    if (!signal.aborted) calls.push(call(port, route, agent));
  }
  await Promise.race([Promise.all(calls), sleep(lastMs)]);
  agent.destroy();
}

/** Callers that wait for their answers. @param {number} port @param {Case['load'][0]} load @param {Calls} calls */
async function callClosed(port, { route, callers, thinkMs }, { random, isBurst, signal, lastMs }) {
  // Each has its own connection, as a browser has.
  const agents = Array.from({ length: callers }, () => new http.Agent({ keepAlive: true }));
  const done = agents.map(async (agent) => {
    if (!isBurst) await sleep(random() * thinkMs);
    while (!signal.aborted) {
      await call(port, route, agent);
      await sleep(-Math.log(1 - random()) * thinkMs, undefined, { signal }).catch(() => {});
    }
  });
  await Promise.race([
    Promise.all(done),
    sleep(1000)
      .then(() => once(signal, 'abort'))
      .then(() => sleep(lastMs))
      .catch(() => {}),
  ]);
  for (const agent of agents) agent.destroy();
}

/** @param {number} port @param {string} route @param {http.Agent} agent */
function call(port, route, agent) {
  return new Promise((resolve) => {
    http
      .get({ port, host: '127.0.0.1', path: route, agent }, (response) => response.resume().on('close', resolve))
      .on('error', resolve);
  });
}
