import { once } from 'node:events';
import net from 'node:net';
import { until } from '../../test/support/until.js';
import { besides, LAB_APP, startContender } from './contender.js';
import { median } from './take-turns.js';
import { withMongo } from './with-mongo.js';

/** @import { Part, PartContext } from '../parts/run-parts.js' */
/** @import { Contender, Usage } from './contender.js' */

const LEAVING = 4000;
const TIMING_OUT = 5000;
/** Longer than it takes to open all connections. */
const TIMEOUT_MS = 10_000;
const PATIENCE_MS = 60_000;
const REQUEST = 'GET /fast HTTP/1.1\r\nHost: localhost\r\n\r\n';

/** @type {Part} */
export const PART = { name: 'waiting', about: 'thousands of requests that wait for the only connection, and leave or time out together', run };

/** @param {PartContext} context each run takes about a minute, so a fifth of them do */
function run(context) {
  const { say, signal } = context;
  return withMongo(context, async (mongoUrl) => {
    /** @type {{ heap: number, heapRatio: number, stallMs: number, timeoutMs: number, timeoutRatio: number }[]} */
    const figures = [];
    const start = (/** @type {Record<string, string>} */ more, /** @type {boolean} */ isBare) => (
      startContender(isBare ? besides('bare-app-process.js') : LAB_APP, {
        args: ['express'], signal,
        env: { MONGO_URL: mongoUrl, MONGO_POOLSIZE: '1', SLOW_MS: '120000', MAX_REQUESTS: '100000', LOG_LEVEL: 'fatal', ...more },
      }));
    for (let number = 1; number <= Math.ceil(context.runs / 5); number += 1) {
      say(`waiting: ${LEAVING} clients wait, then leave, run ${number}`);
      const leaving = await using(await start({}, false), (app) => measureLeaving(app));
      const bare = await using(await start({}, true), (app) => measureLeaving(app));
      say(`waiting: ${TIMING_OUT} requests time out, run ${number}`);
      const env = { MONGO_WAIT_QUEUE_TIMEOUT_MS: String(TIMEOUT_MS) };
      const timeoutMs = await using(await start(env, false), (app) => measureTimeouts(app));
      const bareMs = await using(await start(env, true), (app) => measureTimeouts(app));
      figures.push({
        heap: leaving.heap, heapRatio: leaving.heap / bare.heap, stallMs: leaving.stallMs, timeoutMs, timeoutRatio: timeoutMs / bareMs,
      });
    }
    const medianOf = (/** @type {keyof typeof figures[number]} */ name) => median(figures.map((each) => each[name]));
    return [{
      title: `Requests that wait for the only connection, Node ${process.versions.node}`,
      rows: [
        { figure: 'heap per waiting request, to bare Express', here: medianOf('heapRatio').toFixed(2), wanted: 1.2 },
        { figure: 'heap per waiting request, kB', here: (medianOf('heap') / 1000).toFixed(1), wanted: '' },
        { figure: `${LEAVING} waiting clients leave: longest stall, ms`, here: medianOf('stallMs').toFixed(0), wanted: 200 },
        { figure: `${TIMING_OUT} timeouts together: processor ms for each`, here: medianOf('timeoutMs').toFixed(2), wanted: 0.2 },
        { figure: 'the same, to bare Express', here: medianOf('timeoutRatio').toFixed(2), wanted: '' },
      ],
    }];
  });
}

/** @template T @param {Contender} app @param {(app: Contender) => Promise<T>} measure */
async function using(app, measure) {
  try {
    return await measure(app);
  } finally {
    await app.stop();
  }
}

/** @param {Contender} app */
async function measureLeaving(app) {
  const [before, clients] = await fillQueue(app, LEAVING);
  const { heapBytes } = await app.readUsage();
  for (const { socket } of clients) socket.destroy();
  // It answers once it has dealt with all of them.
  await fetch(`${app.url}/livez`);
  const { longestDelayMs } = await app.readUsage();
  return { heap: (heapBytes - before.heapBytes) / LEAVING, stallMs: longestDelayMs };
}

/** @param {Contender} app @returns {Promise<number>} processor milliseconds for each */
async function measureTimeouts(app) {
  const [, clients] = await fillQueue(app, TIMING_OUT);
  const { cpuUs } = await app.readUsage();
  await until('all requests time out', () => clients.every(({ said }) => said.startsWith('HTTP/1.1 503')), PATIENCE_MS);
  const after = await app.readUsage();
  for (const { socket } of clients) socket.destroy();
  return (after.cpuUs - cpuUs) / TIMING_OUT / 1000;
}

/**
 * Lets a slow query hold the only connection, and requests wait for it.
 * @param {Contender} app @param {number} count
 * @returns {Promise<[before: Usage, clients: Client[]]>}
 */
async function fillQueue(app, count) {
  await fetch(`${app.url}/fast`);
  open(app, 'GET /slow HTTP/1.1\r\nHost: localhost\r\n\r\n');
  const before = await app.readUsage();
  const clients = Array.from({ length: count }, () => open(app, REQUEST));
  await Promise.all(clients.map(({ socket }) => once(socket, 'connect')));
  // Those that are read after these waited for them.
  await fetch(`${app.url}/livez`);
  return [before, clients];
}

/** @typedef {{ socket: net.Socket, said: string }} Client */

/** @param {Contender} app @param {string} request @returns {Client} */
function open({ url }, request) {
  const { hostname, port } = new URL(url);
  const client = { socket: net.connect(Number(port), hostname), said: '' };
  // Some connections end with the app.
  client.socket.setEncoding('utf8').on('data', (text) => { client.said += text; }).on('error', () => {}).write(request);
  return client;
}
