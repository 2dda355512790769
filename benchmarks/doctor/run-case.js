import http from 'node:http';
import { once, setMaxListeners } from 'node:events';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { recordTrace } from '../../lab/cli/record-trace.js';
import { startAttachedApp } from '../../lab/harness/attached-app.js';
import { openProxy } from './proxy.js';

/** @import { Case, InjectedLoad } from './cases.js' */

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
    const calls = { random, isBurst, signal: stop.signal, lastMs: Math.max(LAST_MS, drainMs), agents: new Map() };
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

/**
 * @typedef {object} Calls
 * @property {() => number} random
 * @property {boolean} [isBurst]
 * @property {AbortSignal} signal
 * @property {number} lastMs
 * @property {Map<string, http.Agent>} agents that several loads share, by name
 */

/** Callers that arrive as they like. @param {number} port @param {InjectedLoad} load @param {Calls} calls */
async function callOpen(port, load, { random, isBurst, signal, lastMs, agents }) {
  const { ratePerSec, callers, periodMs } = load;
  const agent = chooseAgent(load, agents);
  const calls = isBurst ? Array.from({ length: callers }, () => call(port, load, agent)) : [];
  let atMs = performance.now();
  while (!signal.aborted) {
    const swing = periodMs ? 1 + 0.9 * Math.sin((2 * Math.PI * atMs) / periodMs) : 1;
    atMs += (-Math.log(1 - random()) / (ratePerSec * swing)) * 1000;
    await sleep(Math.max(0, atMs - performance.now()), undefined, { signal }).catch(() => {});
    if (!signal.aborted) calls.push(call(port, load, agent));
  }
  await Promise.race([Promise.all(calls), sleep(lastMs)]);
  agent.destroy();
}

/** Callers that wait for their answers. @param {number} port @param {InjectedLoad} load @param {Calls} calls */
async function callClosed(port, load, { random, isBurst, signal, lastMs, agents }) {
  const { callers, thinkMs } = load;
  // Each has its own connection, as a browser has.
  const own = Array.from({ length: callers }, () => chooseAgent(load, agents));
  const done = own.map(async (agent) => {
    if (!isBurst) await sleep(random() * thinkMs);
    while (!signal.aborted) {
      await call(port, load, agent);
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
  for (const agent of own) agent.destroy();
}

/** @param {InjectedLoad} load @param {Map<string, http.Agent>} agents */
function chooseAgent({ agent: name, maxSockets = Infinity }, agents) {
  if (name === undefined || name === 'none') return new http.Agent({ keepAlive: name === undefined, maxSockets });
  const agent = agents.get(name) ?? new http.Agent({ keepAlive: true, maxSockets });
  agents.set(name, agent);
  return agent;
}

/** @param {number} port @param {InjectedLoad} load @param {http.Agent} agent */
async function call(port, { route, timeoutMs, retries = 0 }, agent) {
  for (let attempt = 0; attempt <= retries; attempt++) if (await request(port, route, agent, timeoutMs)) return;
}

/**
 * @param {number} port @param {string} route @param {http.Agent} agent @param {number} [timeoutMs]
 * @returns {Promise<boolean>} whether it was answered without an error
 */
function request(port, route, agent, timeoutMs) {
  const signal = timeoutMs === undefined ? undefined : AbortSignal.timeout(timeoutMs);
  return new Promise((resolve) => {
    http
      .get({ port, host: '127.0.0.1', path: route, agent, signal }, (response) =>
        response
          .resume()
          .on('error', () => {})
          .on('close', () => resolve(Number(response.statusCode) < 500)),
      )
      .on('error', () => resolve(false));
  });
}
