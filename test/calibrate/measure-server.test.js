import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from '@jest/globals';
import { measureServer } from '../../src/calibrate/measure-server.js';

const WORK_MS = 25;
const UNKNOWN = { cores: null, cpuMs: null, ticketsOut: null, ticketsTotal: null, queued: null, writeConflicts: null };

/** A server on which 2 queries work at once, and the others wait for one of them to end. */
function createFakeServer() {
  /** @type {((value?: unknown) => void)[]} */
  const waiting = [];
  let running = 0;
  let cpuMs = 0;
  return {
    readCpuMs: () => cpuMs,
    async work() {
      if (running === 2) await new Promise((resolve) => { waiting.push(resolve); });
      else running += 1;
      const startedAtMs = performance.now();
      await sleep(WORK_MS);
      cpuMs += performance.now() - startedAtMs;
      const next = waiting.shift();
      if (next) next();
      else running -= 1;
    },
    wait: () => sleep(2 * WORK_MS),
  };
}

test.each([[true, 'processor time'], [false, 'slowdown']])('that it tells its processor time is %p: the %s shows what is work', async (isTold) => {
  const server = createFakeServer();
  /** @type {string[]} */
  const steps = [];
  const { queries: [works, waits], found, numCores } = await measureServer(
    [{ route: '/works', run: server.work }, { route: '/waits', run: server.wait }], {
      readLoad: async () => ({ ...UNKNOWN, atMs: performance.now(), ...isTold && { cpuMs: server.readCpuMs(), cores: 2 } }),
      limitMs: performance.now() + 2000, maxCallers: 16, signal: new AbortController().signal, onStep: (step) => { steps.push(step); },
    });
  expect(works.workShare).toBe(1);
  expect(waits.workShare).toBeLessThan(0.4);
  expect(numCores).toBe(isTold ? 2 : null);
  expect(found?.cores).toBeGreaterThan(1);
  expect(found?.cores).toBeLessThan(2.5);
  expect(steps.slice(0, 4)).toEqual(['what the server does anyway', '/works alone', '/waits alone', '2 at once']);
});

test('queries without work need no load', async () => {
  const server = createFakeServer();
  const measured = await measureServer([{ route: '/waits', run: server.wait }], {
    readLoad: async () => ({ ...UNKNOWN, atMs: performance.now(), cpuMs: 0, cores: 2 }),
    limitMs: performance.now() + 200, maxCallers: 16, signal: new AbortController().signal, onStep: () => {},
  });
  expect(measured).toMatchObject({ queries: [{ route: '/waits', workShare: 0 }], load: null, found: null });
});
