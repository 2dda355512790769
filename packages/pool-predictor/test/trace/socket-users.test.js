import { describe, expect, test } from '@jest/globals';
import { pickPool } from '../../src/trace/pick-pool.js';
import { readTraceText } from '../../src/trace/read-trace.js';
import { createTraceLoad } from '../../src/load/trace-load.js';
import { callers, GAPS, run, TIMES, visitors } from './traces.js';

/** @import { SimulatedRequest } from '../../src/simulator/tally.js' */

const UNTIL_MS = 40_000;

/** @typedef {Pick<SimulatedRequest, 'user' | 'arrivedAtMs' | 'finishedAtMs'>} Request */

/** Each caller has a socket. @returns {(request: Request) => number} */
const ownSockets = () => (request) => request.user;

/** Like the agents of most clients: the idle socket that was in use last, or a new one. @param {'last' | 'first'} taken */
function sharedSockets(taken = 'last') {
  /** By socket: when it is idle again. @type {number[]} */
  const idleAtMs = [];
  return (/** @type {Request} */ { arrivedAtMs, finishedAtMs }) => {
    const idle = [...idleAtMs.keys()].filter((socket) => idleAtMs[socket] <= arrivedAtMs);
    const socket =
      idle.toSorted((a, b) => (taken === 'last' ? idleAtMs[b] - idleAtMs[a] : a - b))[0] ?? idleAtMs.length;
    idleAtMs[socket] = finishedAtMs;
    return 1000 + socket;
  };
}

/** @returns {(request: Request) => number} */
function newSockets() {
  let opened = 0;
  return () => 10_000 + opened++;
}

/**
 * @param {{ waiting?: number, meanThinkMs?: number, arriving?: number, poolSize?: number,
 *   socketOf: (isWaiting: boolean) => (request: Request) => number }} load all on one route; arriving: gap in ms
 */
async function record({ waiting = 0, meanThinkMs = 40, arriving, poolSize = 8, socketOf }) {
  const arrivals = [
    ...callers({ count: waiting, untilMs: UNTIL_MS, service: TIMES.steady(20), think: TIMES.exponential(meanThinkMs) }),
    ...(arriving
      ? visitors({
          count: UNTIL_MS / arriving,
          gap: (random) => GAPS.poisson(arriving, random),
          service: TIMES.exponential(10),
        })
      : []),
  ].sort((a, b) => a.atMs - b.atMs);
  const isWaiting = arrivals.map(({ requests }) => requests !== undefined);
  const sockets = [true, false].map(socketOf);
  const lines = run(arrivals, poolSize, UNTIL_MS).flatMap((request, index) => {
    const { user, arrivedAtMs, waitMs, finishedAtMs } = request;
    const common = { atMs: arrivedAtMs, request: index, route: 0 };
    return [
      { ...common, waitMs, useMs: finishedAtMs - arrivedAtMs - waitMs, pool: 0 },
      {
        ...common,
        durationMs: finishedAtMs - arrivedAtMs,
        status: 200,
        socket: sockets[isWaiting[user] ? 0 : 1](request),
      },
    ];
  });
  const definitions = [
    { trace: 'mongodb-pool-lab', version: 3 },
    { define: 'process', id: 0 },
    { define: 'pool', id: 0, options: { maxPoolSize: { value: poolSize, from: 'uri' } } },
    { define: 'route', id: 0, name: '/a' },
  ];
  const text = [...definitions, ...lines].map((line) => JSON.stringify(line)).join('\n');
  return createTraceLoad(pickPool(await readTraceText(text)).trace).callers;
}

describe('callers are told from arrivals by their sockets, on one route', () => {
  const MIXED = { waiting: 8, arriving: 40 };
  test.each([
    ['new sockets', newSockets],
    ['a client that takes the socket used last', sharedSockets],
    ['a client that takes the first idle socket', () => sharedSockets('first')],
  ])('beside arrivals on %s', async (_, others) => {
    const facts = await record({ ...MIXED, socketOf: (isWaiting) => (isWaiting ? ownSockets() : others()) });
    expect(facts.callers).toBe(8);
    expect(facts.callersShare).toBeGreaterThan(0.7);
    expect(facts.aloneShare).toBeGreaterThan(0.1);
  });

  test('alone, whether they queue or not', async () => {
    for (const poolSize of [1, 8]) {
      expect(await record({ waiting: 8, poolSize, socketOf: ownSockets })).toMatchObject({
        callers: 8,
        callersShare: 1,
        doubt: null,
      });
    }
  });

  test('where they queue all the time', async () => {
    expect(await record({ waiting: 4, meanThinkMs: 0.5, poolSize: 2, socketOf: ownSockets })).toMatchObject({
      callers: 4,
      callersShare: 1,
      doubt: null,
    });
  });
});

describe('arrivals are recognised', () => {
  test('on sockets of their own', async () => {
    expect(await record({ arriving: 20, socketOf: newSockets })).toMatchObject({ aloneShare: 1, doubt: null });
  });

  test('on shared sockets', async () => {
    expect(await record({ arriving: 10, poolSize: 2, socketOf: () => sharedSockets() })).toMatchObject({
      aloneShare: 1,
      doubt: null,
    });
  });
});

test('few requests on shared sockets leave both answers', async () => {
  expect(await record({ arriving: 200, socketOf: () => sharedSockets() })).toMatchObject({
    aloneShare: 1,
    doubt: 'sharedSockets',
  });
});
