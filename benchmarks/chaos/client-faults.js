import { once } from 'node:events';
import http from 'node:http';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { checkAtRest, watchGauges } from './gauge-checks.js';
import {
  MAX_RECOVERY_MS,
  measureRecovery,
  measureUnloaded,
  findLastingProblem,
  planLoad,
  sendLoad,
} from './recovery.js';
import { withApp } from './test-bed.js';

/** @import { App, Options } from './test-bed.js' */

/**
 * @typedef {object} Outcome
 * @property {Awaited<ReturnType<typeof sendLoad>>} load of the well-behaved clients meanwhile
 * @property {number} sent by the bad clients
 * @property {number} [refused] of these
 * @property {string[]} problems
 * @property {string} [note]
 *
 * @typedef {{ name: string, run: (app: App) => Promise<Outcome> }} Fault
 */

const POOL_SIZE = 5;
const LEAVING = 100;
const MAX_CONNECTIONS = 10_000;
const MAX_CONNECTIONS_IN_SHORT = 1000;
const UNREAD_STREAMS = 200;
const BAD_REQUESTS = 50;
/** Opening connections faster than the app accepts them would overflow the kernel's backlog. */
const CONNECT_BATCH = 100;
const TIMEOUT_MS = 3000;
/** How far the app's descriptors vary without any client. */
const SPARE_DESCRIPTORS = 10;
/** Time for the app to accept or close all connections. */
const WITHIN_MS = 15_000;

/**
 * What bad clients send, and the statuses they may get. The app may also close the connection without an answer.
 * @type {[name: string, text: string, statuses: number[]][]}
 */
const BAD = [
  ['headers of 64 KB', `GET /fast HTTP/1.1\r\nHost: a\r\nX: ${'x'.repeat(65_536)}\r\n\r\n`, [431]],
  ['body of 1 MB for /fast', withBody('GET /fast', 2 ** 20), [200, 503]],
  ['body of 1 MB for a control', withBody('POST /control/traffic', 2 ** 20, 'application/json'), [403, 413]],
  ['pipelined garbage', `${'GET /livez HTTP/1.1\r\nHost: a\r\n\r\n'.repeat(50)}${'\0\xff\r\n'.repeat(1000)}`, [200]],
  ['request line of 64 KB', `GET /${'x'.repeat(65_536)} HTTP/1.1\r\nHost: a\r\n\r\n`, [431]],
  ['TLS handshake', '\x16\x03\x01\x02\0\x01\0\x01\xfc\x03\x03', [400]],
];

/** @param {string} line @param {number} length @param {string} [type] */
function withBody(line, length, type = 'text/plain') {
  return (
    `${line} HTTP/1.1\r\nHost: a\r\nContent-Type: ${type}\r\nContent-Length: ${length}\r\n` +
    `\r\n${'x'.repeat(length)}`
  );
}

/** @param {boolean} isShort @returns {Fault[]} */
function listFaults(isShort) {
  const connections = isShort ? MAX_CONNECTIONS_IN_SHORT : MAX_CONNECTIONS;
  return [
    { name: 'clients disconnect during /slow', run: disconnect },
    { name: `${connections} silent connections`, run: (app) => hold(app, connections, '') },
    {
      name: 'clients stall in their headers',
      run: (app) => hold(app, MAX_CONNECTIONS_IN_SHORT, 'GET /fast HTTP/1.1\r\nHost:'),
    },
    {
      name: 'clients do not read their answers',
      run: (app) => hold(app, UNREAD_STREAMS, 'GET /pool/events HTTP/1.1\r\nHost: a\r\n\r\n'),
    },
    ...BAD.map(([name, text, statuses]) => ({ name, run: (/** @type {App} */ app) => sendBad(app, text, statuses) })),
  ];
}

/** Has clients disconnect, stall, connect by the thousands or send bad requests. @param {Options} options */
export function runClients({ isShort, report }) {
  const settings = { MONGO_POOLSIZE: String(POOL_SIZE), SLOW_MS: '60000', REQUEST_TIMEOUT_MS: '120000' };
  return withApp(settings, async ({ app, admins }) => {
    const unloadedMs = await measureUnloaded(app.url, isShort);
    for (const { name, run } of listFaults(isShort)) {
      const before = await app.readProcess();
      const stopWatching = watchGauges(app);
      const { load, sent, refused = 0, problems, note } = await run(app);
      const recoveryMs = await measureRecovery(app.url, unloadedMs);
      problems.push(...(await stopWatching()).problems, ...load.problems, ...(await checkAtRest(app, admins)));
      problems.push(
        ...(await findLastingProblem(WITHIN_MS, async () => {
          const now = await app.readProcess();
          if (!before || !now || now.descriptors <= before.descriptors + SPARE_DESCRIPTORS) return '';
          return `${now.descriptors} descriptors, ${before.descriptors} before`;
        })),
      );
      if (recoveryMs > MAX_RECOVERY_MS) problems.push(`no recovery within ${MAX_RECOVERY_MS} ms`);
      report({
        name,
        sent: sent + load.sent,
        answered: load.answered,
        refused: refused + load.refused,
        problems,
        recoveryMs,
        note,
      });
    }
  });
}

/** Sends what well-behaved clients send. @param {App} app */
function sendGood(app) {
  return sendLoad(planLoad({ '/fast': 20, '/livez': 5 }, 1), { url: app.url, timeoutMs: TIMEOUT_MS });
}

/**
 * Fills the pool and the wait queue, then disconnects every client. Later clients must be served.
 * @param {App} app
 * @returns {Promise<Outcome>}
 */
async function disconnect(app) {
  const requests = Array.from({ length: LEAVING }, () => http.get(`${app.url}/slow`, { agent: false }));
  for (const request of requests) request.on('error', () => {});
  const problems = await findLastingProblem(5000, async () => {
    const { active, waiting } = await app.readPool();
    return active === POOL_SIZE && waiting === LEAVING - POOL_SIZE
      ? ''
      : `${active} in use and ${waiting} pending, of ${LEAVING}`;
  });
  const leftAtMs = performance.now();
  for (const request of requests) request.destroy();
  problems.push(
    ...(await findLastingProblem(1000, async () => {
      const { active, waiting } = await app.readPool();
      return active + waiting === 0 ? '' : `${active} in use and ${waiting} pending after all clients disconnected`;
    })),
  );
  const note = `all connections checked in after ${Math.round(performance.now() - leftAtMs)} ms`;
  return { load: await sendGood(app), sent: LEAVING, refused: LEAVING, problems, note };
}

/**
 * Keeps connections open without completing a request, or without reading.
 * @param {App} app
 * @param {number} connections
 * @param {string} text what each of them sends
 * @returns {Promise<Outcome>}
 */
async function hold(app, connections, text) {
  /** @type {import('node:net').Socket[]} */
  const sockets = [];
  /** @type {string[]} */
  const problems = [];
  const port = Number(new URL(app.url).port);
  for (let opened = 0; opened < connections; opened += CONNECT_BATCH) {
    await Promise.all(
      Array.from({ length: CONNECT_BATCH }, async () => {
        const socket = connect(port, '127.0.0.1');
        socket.on('error', () => {});
        sockets.push(socket);
        await once(socket, 'connect').catch(({ code }) => problems.push(`connection refused: ${code}`));
        socket.pause();
        socket.write(text);
      }),
    );
  }
  // The kernel accepts them before the app does.
  problems.push(
    ...(await findLastingProblem(WITHIN_MS, async () => {
      const { descriptors } = (await app.readProcess()) ?? { descriptors: Infinity };
      return descriptors < connections ? `only ${descriptors} of ${connections} connections were accepted` : '';
    })),
  );
  const usage = await app.readProcess();
  const load = await sendGood(app);
  for (const socket of sockets) socket.destroy();
  const note = usage ? `the app had ${usage.descriptors} descriptors and ${Math.round(usage.rssMB)} MB` : undefined;
  return { load, sent: 0, problems, note };
}

/**
 * Sends a bad request several times while others are served.
 * @param {App} app
 * @param {string} text
 * @param {number[]} statuses that it may be answered with
 * @returns {Promise<Outcome>}
 */
async function sendBad(app, text, statuses) {
  const loading = sendGood(app);
  const port = Number(new URL(app.url).port);
  const problems = [];
  let refused = 0;
  for (let count = 0; count < BAD_REQUESTS; count += 1) {
    const socket = connect(port, '127.0.0.1');
    socket.on('error', () => {});
    const answer = once(socket, 'data').then(
      ([data]) => Number(String(data).split(' ')[1]),
      () => 0,
    );
    socket.write(text, 'latin1');
    const status = await Promise.race([
      answer,
      once(socket, 'close').then(
        () => 0,
        () => 0,
      ),
      sleep(TIMEOUT_MS, -1),
    ]);
    socket.destroy();
    if (status === -1) problems.push('no answer, and the connection stays open');
    else if (status !== 0 && !statuses.includes(status)) problems.push(`answered with ${status}`);
    else refused += 1;
  }
  return { load: await loading, sent: BAD_REQUESTS, refused, problems };
}
