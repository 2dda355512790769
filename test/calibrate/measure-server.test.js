import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterEach, beforeEach, expect, jest, test } from '@jest/globals';
import { measureServer } from '../../src/calibrate/measure-server.js';

const WORK_MS = 25;
const UNKNOWN = { cores: null, cpuMs: null, ticketsOut: null, ticketsTotal: null, queued: null, writeConflicts: null };

/** The clock of the tests, in ms. It moves only in `sleep`, so a busy machine does not change what is measured. */
let nowMs = 0;
/** @type {number[]} when the sleepers go on */
const wakeUps = [];

/** Waits by that clock. Who has to go on earlier does so first. @param {number} forMs */
async function sleep(forMs) {
  const untilMs = nowMs + forMs;
  wakeUps.push(untilMs);
  do await nextTurn(); while (Math.min(...wakeUps) < untilMs);
  nowMs = untilMs;
  wakeUps.splice(wakeUps.indexOf(untilMs), 1);
}

beforeEach(() => {
  nowMs = 0;
  jest.spyOn(performance, 'now').mockImplementation(() => nowMs);
  jest.spyOn(process, 'cpuUsage').mockReturnValue({ user: 0, system: 0 });
});
afterEach(() => { jest.restoreAllMocks(); });

/** A server on which 2 queries work at once, and the others wait for one of them to end. */
function createFakeServer() {
  /** @type {((value?: unknown) => void)[]} */
  const waiting = [];
  let running = 0;
  let cpuMs = 0;
  return {
    async readLoad() {
      await sleep(1);
      return { ...UNKNOWN, atMs: nowMs, cpuMs, cores: 2 };
    },
    async work() {
      if (running === 2) await new Promise((resolve) => { waiting.push(resolve); });
      else running += 1;
      await sleep(WORK_MS);
      cpuMs += WORK_MS;
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
      readLoad: async () => ({ ...await server.readLoad(), ...!isTold && UNKNOWN }),
      limitMs: 8000, maxCallers: 16, signal: new AbortController().signal, onStep: (step) => { steps.push(step); },
    });
  expect(works.workShare).toBe(1);
  expect(waits.workShare).toBe(0);
  expect(numCores).toBe(isTold ? 2 : null);
  expect(found?.cores).toBeCloseTo(2, 1);
  expect(steps.slice(0, 4)).toEqual(['what the server does anyway', '/works alone', '/waits alone', '2 at once']);
});

test('queries without work need no load', async () => {
  const server = createFakeServer();
  const measured = await measureServer([{ route: '/waits', run: server.wait }], {
    readLoad: server.readLoad, limitMs: 200, maxCallers: 16, signal: new AbortController().signal, onStep: () => {},
  });
  expect(measured).toMatchObject({ queries: [{ route: '/waits', workShare: 0 }], load: null, found: null });
});
