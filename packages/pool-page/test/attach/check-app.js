import { expect } from '@jest/globals';
import { until } from 'test-support/waiting.js';
import { runAttached } from './attached-app.js';

/** @import { AttachedApp } from './attached-app.js' */
/** @typedef {Awaited<ReturnType<typeof import('./server-truth.js').startServer>>} Server */

const OPERATIONS = 1000;
const WAITING = 2;
/** Some of them, each of which drivers 6.19 and later describe in another way. */
const OPERATION_NAMES = ['count', 'distinct', 'find', 'findAndModify', 'insert', 'listIndexes'].map(
  (command) => `${command} orders`,
);
/** What a monitor says, once. */
export const LINE = expect.stringMatching(/: watching process .*: http:/);

/**
 * Take an app through 1000 operations, many of which fail, then keep all its connections in use, then let it rest. Each
 * time, the monitor must agree with the app and with the server.
 * @param {AttachedApp} app @param {Server} server @param {{ clients?: number }} [expected]
 */
export async function checkApp(app, server, { clients = 2 } = {}) {
  const outcomes = await app.ask(`work/${OPERATIONS}`);
  // Otherwise it would prove less than it says.
  expect(Object.keys(outcomes)).toEqual(
    expect.arrayContaining([
      ...['find done', 'insert done', 'model done', 'cut MongoNetworkError', 'conflict MongoServerError'],
    ]),
  );
  expect(await server.compare(app, 'quiet')).toHaveLength(clients);
  const { checkouts } = await app.watch('pool/checkouts');
  const routes = new Set(checkouts.map((/** @type {{ route: string }} */ { route }) => route));
  expect([...routes].toSorted()).toEqual(['/orders/:id', 'the app itself']);
  const operations = checkouts.map((/** @type {{ operation: string }} */ { operation }) => operation);
  expect(operations).toEqual(expect.arrayContaining(OPERATION_NAMES));
  expect(listConflicts(checkouts)).toEqual(['abortTransaction', 'update orders']);

  await app.ask(`hold/${WAITING}`);
  const held = await server.compare(app, 'held');
  expect(held.some(({ waiting }) => waiting === WAITING)).toBe(true);
  await server.release(app);
  await server.compare(app, 'quiet');

  await app.ask('follow');
  await until('the streams of each client are told apart', async () => {
    const pools = (await app.watch('pool')).clients;
    return pools.every(
      (/** @type {{ lanes: { kind: string }[] }} */ { lanes }) =>
        lanes
          .map(({ kind }) => kind)
          .toSorted()
          .join() === 'changeStream,tailableCursor',
    );
  });
}

/**
 * Run an app, check it, and let it end, which the monitor must not prevent.
 * @param {Parameters<typeof runAttached>[0] & { server: Server, name: string, clients?: number }} options
 * @returns {Promise<{ spans: number }>} those of OpenTelemetry
 */
export async function checkRun({ server, name, clients, env, ...options }) {
  const run = runAttached({ ...options, env: { MONGO_URL: server.url, APP: name, ...env } });
  const app = await run.app();
  await checkApp(app, server, { clients });
  const spans = await app.ask('spans');
  await app.ask('end');
  expect(await run.end()).toBe(0);
  expect(run.listLines()).toEqual([LINE]);
  return { spans };
}

/**
 * Lists the operations of transactions that had a write conflict.
 * @param {{ operation: string, transaction?: number, reason: string | null }[]} checkouts
 */
function listConflicts(checkouts) {
  const inConflict = new Set(
    checkouts.flatMap(({ transaction, reason }) => (reason === 'WriteConflict' ? transaction : [])),
  );
  const operations = checkouts.flatMap(({ transaction, operation }) => (inConflict.has(transaction) ? operation : []));
  return [...new Set(operations)].toSorted();
}
