import { AsyncLocalStorage } from 'node:async_hooks';
import { MongoClient } from 'mongodb';
import { sharedMongoUrl } from 'test-support/mongod.js';
import { Checkouts } from '../../src/core/checkouts.js';
import { monitorPool } from '../../src/core/monitor.js';

/** On the clock of the records. */
const epochNow = () => performance.timeOrigin + performance.now();

/**
 * A client with recorded checkouts. `truth` says, from the driver's command events, when and on which connection each
 * request really ran.
 * @param {number} maxPoolSize
 * @param {string} [url]
 */
export async function openRecordedClient(maxPoolSize, url = sharedMongoUrl()) {
  const client = new MongoClient(url, { maxPoolSize, monitorCommands: true });
  const checkouts = new Checkouts();
  const monitor = monitorPool(client);
  checkouts.watch(monitor);
  await client.connect();

  /** @type {AsyncLocalStorage<string>} */
  const requests = new AsyncLocalStorage();
  /** @type {Map<string, { connectionId: number, startedAtMs: number, endedAtMs: number }>} */
  const truth = new Map();
  client.on('commandStarted', ({ connectionId }) => {
    const requestId = requests.getStore();
    if (requestId)
      truth.set(requestId, { connectionId: Number(connectionId), startedAtMs: epochNow(), endedAtMs: NaN });
  });
  client.on('commandSucceeded', () => {
    const command = truth.get(String(requests.getStore()));
    if (command) command.endedAtMs = epochNow();
  });

  /**
   * Runs a query as a request.
   * @param {string} route
   * @param {string} requestId
   * @param {() => Promise<unknown>} [query]
   */
  const send = (route, requestId, query = () => client.db('lab').collection('any').findOne({})) => {
    const sentAtMs = epochNow();
    return requests.run(requestId, () =>
      checkouts.run({ route, requestId }, async (context) => {
        await query();
        const { waitMs, useMs, behind } = context;
        return { requestId, waitMs, useMs, behind, totalMs: epochNow() - sentAtMs };
      }),
    );
  };

  /** Of each checkout in order: its start, its connection, the command's start and end, and its end. */
  const listSteps = () =>
    listRecords().map(({ requestId, checkOutStartedAtMs, checkedOutAtMs, checkedInAtMs }) => {
      const { startedAtMs = NaN, endedAtMs = NaN } = truth.get(String(requestId)) ?? {};
      return [checkOutStartedAtMs, checkedOutAtMs, startedAtMs, endedAtMs, checkedInAtMs].map(Number);
    });
  const listRecords = () => checkouts.list().filter(({ requestId }) => requestId !== null);
  return { client, monitor, truth, send, listRecords, listSteps };
}
