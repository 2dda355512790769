import { expect, test } from '@jest/globals';
import { diagnose, readTraceText } from 'mongodb-pool-predictor';
import { renderRecentTrace } from '../src/recent-trace.js';
import { explainVerdict } from '../universal/explain-diagnosis.js';
import { createSecond } from './page/sample-pool.js';

const NOW_MS = 1_000_000;
const POOL = {
  name: null,
  servers: ['db:1'],
  options: { maxPoolSize: { value: 2, from: /** @type {const} */ ('code') } },
};
const BEHIND = { route: '/report', operation: 'find articles', kind: null, requests: [900, 901] };

/** Requests until now, each of which waited 50 ms. @param {number} count @param {number} everyMs */
function createSource(count, everyMs) {
  const checkouts = Array.from({ length: count }, (_, index) => {
    const startedAtMs = NOW_MS - everyMs * (count - index);
    return {
      ...{ id: index + 1, pool: null, server: 'db:1', route: '/fast', request: index, operation: 'find users' },
      ...{ checkOutStartedAtMs: startedAtMs, checkedOutAtMs: startedAtMs + 50, checkedInAtMs: startedAtMs + 55 },
      ...{ endedAtMs: startedAtMs + 55, outcome: 'checkedIn', heldBy: [BEHIND] },
    };
  });
  const requests = checkouts.map(({ id, request, endedAtMs }) => ({
    ...{ id, request, endedAtMs, totalMs: 55, status: 200, route: '/fast' },
  }));
  const listOf = (/** @type {{ id: number }[]} */ all) => ({
    lastId: count,
    list: (/** @type {{ after: number }} */ { after }) => all.filter(({ id }) => id > after),
  });
  return /** @type {any} */ ({
    checkouts: { ...listOf(checkouts), events: { list: () => [] } },
    requests: { log: listOf(requests) },
  });
}

/** @param {number} count @param {import('../universal/feed-shapes.js').Second[]} [seconds] @param {number} [everyMs] */
async function readRecent(count, seconds = [], everyMs = 100) {
  const text = renderRecentTrace(createSource(count, everyMs), { clients: [POOL], seconds, max: 2 }, NOW_MS);
  return text === null ? null : readTraceText(text);
}

test('the last minute is a trace that says why requests waited', async () => {
  const trace = await readRecent(800, [createSecond({ atMs: NOW_MS - 500, max: 2 })]);
  if (!trace) throw new Error('there is no trace');
  expect(trace.checkouts.length).toBe(600);
  expect(explainVerdict(diagnose(trace))).toBe(
    'Requests wait 50 ms on average, because /report (find articles) holds all 2 connections.',
  );
});

test('it begins after the pool got its size', async () => {
  const seconds = [3, 2, 1].map((ago) => createSecond({ atMs: NOW_MS - ago * 1000, max: ago === 3 ? 1 : 2 }));
  expect((await readRecent(100, seconds))?.checkouts.length).toBe(20);
  expect(await readRecent(100, seconds.slice(0, 1))).toBeNull();
});

test('of a busy minute it has only as much as a page needs, and no request without its checkouts', async () => {
  const trace = await readRecent(5000, [], 1);
  if (!trace) throw new Error('there is no trace');
  expect(trace.checkouts.length).toBeGreaterThan(1900);
  expect(trace.checkouts.length).toBeLessThanOrEqual(2000);
  expect(trace.requests.startedMs.filter((ms) => ms >= 0).length).toBe(trace.checkouts.length);
});

test('without a checkout there is none', async () => {
  expect(await readRecent(0)).toBeNull();
});
