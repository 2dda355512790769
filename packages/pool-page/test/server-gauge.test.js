import { expect, test } from '@jest/globals';
import { createServerGauge } from '../src/server-gauge.js';

/** A gauge, and a server and a clock that the test controls. */
function createBench() {
  let nowMs = 0;
  const server = { cores: /** @type {number | null} */ (2), cpuMs: 0, isReachable: true, readings: 0 };
  const gauge = createServerGauge(
    async () => {
      server.readings += 1;
      if (!server.isReachable) throw new Error('unreachable');
      return { ...server, atMs: nowMs, ticketsOut: null, ticketsTotal: null, queued: null };
    },
    () => nowMs,
  );
  return {
    gauge,
    server,
    /** @param {number} ms */
    pass(ms) {
      nowMs += ms;
      return gauge.refresh();
    },
  };
}

test('the second reading tells how many cores are busy', async () => {
  const { gauge, server, pass } = createBench();
  expect(gauge.read()).toBeNull();
  await pass(0);
  expect(gauge.read()).toEqual({ cores: 2, busyCores: null });
  server.cpuMs += 1500;
  await pass(1000);
  expect(gauge.read()).toEqual({ cores: 2, busyCores: 1.5 });
});

test('the server is read at most once a second, and not before anyone asks', async () => {
  const { server, pass } = createBench();
  expect(server.readings).toBe(0);
  for (let refreshes = 0; refreshes < 11; refreshes++) await pass(200);
  expect(server.readings).toBe(3);
});

test('after a pause, and after an outage, it starts again', async () => {
  const { gauge, server, pass } = createBench();
  await pass(0);
  server.cpuMs += 1500;
  await pass(60_000);
  expect(gauge.read()).toEqual({ cores: 2, busyCores: null });

  server.isReachable = false;
  await pass(1000);
  expect(gauge.read()).toBeNull();
  server.isReachable = true;
  await pass(1000);
  expect(gauge.read()).toEqual({ cores: 2, busyCores: null });
});

test('nothing is known of a server that does not tell its cores', async () => {
  const { gauge, server, pass } = createBench();
  server.cores = null;
  await pass(0);
  await pass(1000);
  expect(gauge.read()).toBeNull();
});
