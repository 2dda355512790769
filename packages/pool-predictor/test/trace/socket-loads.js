import { expect } from '@jest/globals';
import { createTraceLoad } from '../../src/load/trace-load.js';
import { createRandom } from '../../src/simulator/random.js';
import { pickPool } from '../../src/trace/pick-pool.js';
import { readTraceText } from '../../src/reading/read-trace.js';
import { SOCKET_USES } from '../../src/trace/socket-users.js';
import { callers, GAPS, run, TIMES, visitors } from './traces.js';

/** @import { SimulatedRequest } from '../../src/simulator/tally.js' */
/** @import { CallerFacts } from '../../src/trace/sessions.js' */

/** @typedef {Pick<SimulatedRequest, 'user' | 'arrivedAtMs' | 'finishedAtMs'>} Request */

/** Each caller has a socket. @returns {(request: Request) => number} */
const ownSockets = () => (request) => request.user;

/**
 * Like the agents of most clients: the idle socket that was in use last, or a new one.
 * @param {'last' | 'first'} taken
 */
function sharedSockets(taken = 'last') {
  /** Time when each socket is idle again. @type {number[]} */
  const idleAtMs = [];
  return (/** @type {Request} */ { arrivedAtMs, finishedAtMs }) => {
    let socket = -1;
    for (const [each, ms] of idleAtMs.entries())
      if (ms <= arrivedAtMs && (socket < 0 || (taken === 'last' && ms > idleAtMs[socket]))) socket = each;
    if (socket < 0) socket = idleAtMs.length;
    idleAtMs[socket] = finishedAtMs;
    return 1000 + socket;
  };
}

/**
 * A client without time to read answers: it notices late that a socket is idle.
 * @param {ReturnType<typeof createRandom>} random
 * @returns {(request: Request) => number}
 */
function lateSockets(random) {
  const socketOf = sharedSockets();
  return (request) => socketOf({ ...request, finishedAtMs: request.finishedAtMs + 10 * random.exponential() });
}

/** @returns {(request: Request) => number} */
function newSockets() {
  let opened = 0;
  return () => 10_000 + opened++;
}

/**
 * @param {{ waiting?: number, meanThinkMs?: number, arriving?: number, untilMs?: number, poolSize?: number, lateMs?:
 *   number, route?: string, isGateway?: boolean, socketOf: (isWaiting: boolean) => (request: Request) => number }} load
 *   arriving: gap in ms; lateMs: of the app's event loop; route: of those who wait, default: that of all; isGateway:
 *   one client sends all
 */
async function record({
  waiting = 0,
  meanThinkMs = 40,
  arriving,
  untilMs = 20_000,
  poolSize = 8,
  lateMs = 0.5,
  route = '/a',
  isGateway = false,
  socketOf,
}) {
  const arrivals = [
    ...callers({
      count: waiting,
      untilMs,
      service: TIMES.steady(20),
      think: TIMES.exponential(meanThinkMs),
    }),
    ...(arriving
      ? visitors({
          count: untilMs / arriving,
          gap: (random) => GAPS.poisson(arriving, random),
          service: TIMES.exponential(10),
        })
      : []),
  ].sort((a, b) => a.atMs - b.atMs);
  const isWaiting = arrivals.map(({ requests }) => requests !== undefined);
  const own = socketOf(true);
  const sockets = [own, isGateway ? own : socketOf(false)];
  const lines = run(arrivals, poolSize, untilMs).flatMap((request, index) => {
    const { user, arrivedAtMs, waitMs, finishedAtMs } = request;
    const common = { atMs: arrivedAtMs, request: index, route: isWaiting[user] ? 0 : 1 };
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
    { define: 'route', id: 0, name: route },
    { define: 'route', id: 1, name: '/a' },
    { event: 'loop', atMs: 0, meanMs: 9, maxMs: 50, busy: 0.5 },
    { event: 'loop', atMs: 1000, meanMs: lateMs, maxMs: 10, busy: 0.6 },
  ];
  const text = [...definitions, ...lines].map((line) => JSON.stringify(line)).join('\n');
  const { trace } = pickPool(await readTraceText(text));
  const isUnclear = Array.from(trace.socketUseOf ?? []).includes(SOCKET_USES.indexOf('unclear'));
  return { ...createTraceLoad(trace).callers, isUnclear };
}

const mixed = (/** @type {boolean} */ isWaiting) => (isWaiting ? ownSockets() : sharedSockets());
const shared = () => sharedSockets();
const [ALONE, CALLING] = [
  { aloneShare: 1, isUnclear: false },
  { callersShare: 1, isUnclear: false },
];
const UNCLEAR = { callersShare: 0, isUnclear: true };

/**
 * Callers, each with a socket, and arrivals, on one route unless it says so.
 *
 * @type {{ name: string, load: Parameters<typeof record>[0], facts: Partial<CallerFacts> & { isUnclear?: boolean },
 *   above?: Record<string, number>, atMostCallers?: number, quickMs?: number }[]} quickMs: how much of it is enough for
 *   a quick test, if it has one
 */
export const SOCKET_LOADS = [
  ...[
    { others: newSockets, on: 'new sockets' },
    { others: shared, on: 'a client that takes the socket used last', quickMs: 6000 },
    { others: () => sharedSockets('first'), on: 'a client that takes the first idle socket' },
  ].map(({ others, on, quickMs }) => ({
    name: `callers beside arrivals on ${on}`,
    load: {
      ...{ waiting: 8, arriving: 40 },
      socketOf: (/** @type {boolean} */ isWaiting) => (isWaiting ? ownSockets() : others()),
    },
    facts: { callers: 8 },
    above: { callersShare: 0.7, aloneShare: 0.1 },
    quickMs,
  })),
  ...[80, 300].map((arriving) => ({
    name: `callers beside few arrivals, every ${arriving} ms`,
    load: { waiting: 8, arriving, untilMs: 40_000, socketOf: mixed },
    facts: { callers: 8 },
  })),
  ...[1, 8].map((poolSize) => ({
    name: `callers alone at pool ${poolSize}`,
    load: { waiting: 8, poolSize, socketOf: ownSockets },
    facts: { callers: 8, ...CALLING },
  })),
  {
    name: 'callers alone, though the event loop was a little late',
    load: { waiting: 8, lateMs: 1.2, socketOf: ownSockets },
    facts: { callers: 8, ...CALLING },
    quickMs: 6000,
  },
  {
    name: 'where it was later, that is unclear',
    load: { waiting: 8, lateMs: 1.8, socketOf: ownSockets },
    facts: UNCLEAR,
    quickMs: 6000,
  },
  {
    name: 'but not where all of their sockets are mostly in use: arrivals would open more',
    load: { waiting: 8, meanThinkMs: 1, lateMs: 1.8, socketOf: ownSockets },
    facts: CALLING,
    quickMs: 6000,
  },
  ...[
    { waiting: 2, meanThinkMs: 300, arriving: 8 },
    { waiting: 4, meanThinkMs: 40, arriving: 8, quickMs: 20_000 },
    { waiting: 8, meanThinkMs: 40, arriving: 9 },
  ].map(({ quickMs, ...load }) => ({
    name: `callers by their route, in a pool too small for arrivals: ${load.waiting} thinking ${load.meanThinkMs} ms`,
    load: { ...load, poolSize: 1, route: '/b', socketOf: mixed },
    facts: { callers: load.waiting, isUnclear: false },
    quickMs,
  })),
  ...[2, 4].map((waiting) => ({
    name: `${waiting} callers are not taken for all that pile up on more sockets than are compared`,
    load: { waiting, meanThinkMs: 300, arriving: 9, poolSize: 1, socketOf: mixed },
    facts: {},
    above: { aloneShare: 0.95 },
    atMostCallers: waiting,
    quickMs: waiting === 2 ? 20_000 : undefined,
  })),
  {
    name: 'callers who queue all the time',
    load: { waiting: 4, meanThinkMs: 0.5, poolSize: 2, socketOf: ownSockets },
    facts: { callers: 4, ...CALLING },
  },
  {
    name: 'arrivals on sockets of their own',
    load: { arriving: 20, socketOf: newSockets },
    facts: ALONE,
    quickMs: 6000,
  },
  {
    name: 'arrivals on shared sockets',
    load: { arriving: 10, poolSize: 2, socketOf: shared },
    facts: ALONE,
    quickMs: 6000,
  },
  {
    name: 'arrivals on shared sockets of a client that is answered too late, with few requests on each',
    load: { arriving: 9.5, poolSize: 1, socketOf: shared },
    facts: ALONE,
  },
  {
    name: 'arrivals on shared sockets of a client that is answered too late, with more sockets than are compared',
    load: { arriving: 8, poolSize: 1, socketOf: shared },
    facts: ALONE,
    quickMs: 6000,
  },
  {
    name: 'sockets that are opened all the time are unclear: users who soon leave, or more than the pool serves',
    load: { arriving: 5, poolSize: 1, socketOf: () => lateSockets(createRandom(1)) },
    facts: { isUnclear: true },
    above: { aloneShare: 0.9 },
    quickMs: 6000,
  },
  {
    name: 'few requests on shared sockets leave it unclear',
    load: { arriving: 200, untilMs: 40_000, socketOf: shared },
    facts: UNCLEAR,
    quickMs: 40_000,
  },
  ...[
    { waiting: 8, arriving: 80, quickMs: 20_000 },
    { waiting: 4, arriving: 40 },
    { waiting: 8, arriving: 40 },
  ].map(({ quickMs, ...load }) => ({
    name: `${load.waiting} callers and arrivals, every ${load.arriving} ms, on one client leave it unclear`,
    load: { ...load, isGateway: true, socketOf: shared },
    facts: UNCLEAR,
    quickMs,
  })),
];

/** @param {typeof SOCKET_LOADS[number]} each @param {number} [untilMs] default: that of the load */
export async function checkSockets({ load, facts, above = {}, atMostCallers = Infinity }, untilMs = load.untilMs) {
  const found = await record({ ...load, untilMs });
  expect(found).toMatchObject(facts);
  expect(found.callers).toBeLessThanOrEqual(atMostCallers);
  for (const [name, least] of Object.entries(above))
    expect(found[/** @type {keyof CallerFacts} */ (name)]).toBeGreaterThan(least);
}
