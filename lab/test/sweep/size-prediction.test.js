import { expect, test } from '@jest/globals';
import { readWorkload } from 'mongodb-pool-predictor';
import { joinRequests } from '../../sweep/measured-requests.js';
import { createMeasuredLoad, pickTypical, predictSize } from '../../sweep/size-prediction.js';
import { seeRequests } from './recordings.js';

/** One a second, each `/slow` and then `/fast`, as the article's load test. */
const article = readWorkload(
  JSON.stringify({
    config: { target: 'http://localhost', phases: [{ duration: 5, arrivalCount: 5 }], http: { timeout: 120 } },
    scenarios: [{ flow: [{ get: { url: '/slow' } }, { get: { url: '/fast' } }] }],
  }),
);

/** @param {number} poolSize @param {Parameters<typeof seeRequests>[0]} requests */
function record(poolSize, requests) {
  const seen = seeRequests(requests);
  return { poolSize, requests: joinRequests(seen), checkouts: seen.checkouts, settings: { poolSize } };
}

const measured = record(
  10,
  [0, 1000, 2000, 3000, 4000].flatMap((atMs) => [
    { atMs, route: '/slow', totalMs: 5010, queries: [[5, 0, 5000]] },
    { atMs: atMs + 5010, route: '/fast', totalMs: 4, queries: [[1, 0, 2]] },
  ]),
);

test('the article at other sizes, from what its largest size measured', async () => {
  const maxima = await Promise.all(
    [1, 3].map(async (size) => Number((await predictSize(size, [measured], article)).maxMs)),
  );
  expect(maxima[0]).toBeGreaterThan(21_000);
  expect(maxima[0]).toBeLessThan(21_100);
  expect(maxima[1]).toBeGreaterThan(7000);
  expect(maxima[1]).toBeLessThan(7100);
});

test('a size is never predicted from itself', async () => {
  expect(await predictSize(10, [measured], article)).toEqual({});
  expect(await predictSize(10, [measured, record(3, [])], article)).toEqual({});
});

test('a route of the scenario that the app never answered takes no time', async () => {
  const other = readWorkload(
    JSON.stringify({
      config: { target: 'http://localhost', phases: [{ duration: 1, arrivalCount: 1 }] },
      scenarios: [{ flow: [{ get: { url: '/fast' } }, { get: { url: '/gone' } }] }],
    }),
  );
  expect((await predictSize(1, [measured], other)).routes?.['/gone'].maxMs).toBe(0);
});

test('the queries of a request follow each other, or run at once', () => {
  const { services } = createMeasuredLoad(
    record(4, [
      {
        atMs: 0,
        route: '/page',
        totalMs: 40,
        queries: [
          [0, 0, 10],
          [12, 0, 5],
          [13, 0, 20],
        ],
      },
      { atMs: 100, route: '/page', totalMs: 8, queries: [[2, 0, 4]] },
    ]),
    [],
    undefined,
  );
  expect(services['/page']).toEqual({
    kind: 'requests',
    workShare: 0,
    requests: [
      { queriesMs: [[10], [5, 20]], restMs: 9 },
      { queriesMs: [[4]], restMs: 4 },
    ],
  });
});

test('without a scenario, the requests arrive as they did', () => {
  const { load } = createMeasuredLoad(measured, [], undefined);
  expect([...load.arrivals(1, 1)].map(({ atMs, requests = [] }) => [Math.round(atMs), requests.length])).toContainEqual(
    [1000, 0],
  );
});

test('a measurement that was disturbed does not count', async () => {
  /** @param {number} poolSize @param {number} slower */
  const recordAt = (poolSize, slower) =>
    record(
      poolSize,
      [0, 1000, 2000, 3000, 4000].flatMap((atMs) => [
        { atMs, route: '/slow', totalMs: 5010 * slower, queries: [[5, 0, 5000 * slower]] },
        { atMs: atMs + 9000, route: '/fast', totalMs: 4, queries: [[1, 0, 2]] },
      ]),
    );
  const recordings = [recordAt(5, 1), recordAt(8, 1.01), recordAt(10, 1.5)];
  expect((await predictSize(1, recordings, article)).maxMs).toBeLessThan(21_500);
  expect(pickTypical(recordings)?.poolSize).toBe(8);
  expect(pickTypical([record(3, [])])).toBeUndefined();
});
