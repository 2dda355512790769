import { expect, test } from '@jest/globals';
import { readIdleCores, timeAlone } from '../../src/calibrate/time-alone.js';

const { signal } = new AbortController();

/** A server that used this much processor time within a second. @param {number | null} cpuMs */
function createServer(cpuMs) {
  const loads = [{ atMs: 0, cpuMs: cpuMs === null ? null : 0 }, { atMs: 1000, cpuMs }];
  return async () => /** @type {any} */ ({ cores: 2, ...loads.shift() });
}

test.each([
  ['nothing else', 800, 0, 800],
  ['something anyway, which does not count', 800, 0.5, 300],
  ['more before than now', 400, 0.5, 0],
  ['an unknown amount', 800, null, 800],
])('a query beside a server that does %s', async (_, cpuMs, idleCores, ofQueriesMs) => {
  const alone = await timeAlone({ route: '/a', run: async () => {} }, { readLoad: createServer(cpuMs), idleCores, forMs: 0, signal });
  expect(alone.tookMs).toHaveLength(3);
  expect(alone.cpuMs).toBeCloseTo(ofQueriesMs / 3);
});

test('a server that does not tell', async () => {
  const alone = await timeAlone({ route: '/a', run: async () => {} }, { readLoad: createServer(null), idleCores: null, forMs: 0, signal });
  expect(alone.cpuMs).toBeNull();
  expect(await readIdleCores(createServer(null), { forMs: 0, signal })).toBeNull();
  expect(await readIdleCores(createServer(250), { forMs: 0, signal })).toBe(0.25);
});
