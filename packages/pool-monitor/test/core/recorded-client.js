import { AsyncLocalStorage } from 'node:async_hooks';
import { MongoClient } from 'mongodb';
import { sharedMongoUrl } from 'test-support/mongod.js';
import { Checkouts } from '../../src/core/checkouts.js';
import { monitorPool } from '../../src/core/monitor.js';

/** So that a server can tell the client from others. */
export const APP_NAME = 'recorded';

/** Time on the clock of the records. */
export const epochNow = () => performance.timeOrigin + performance.now();

/**
 * @typedef {object} Command as the driver tells of it
 * @property {string} server
 * @property {number} connectionId
 * @property {number} startedAtMs
 * @property {number} endedAtMs
 * @property {boolean} hasFailed
 */

/**
 * A client with recorded checkouts. `commands` says, from the driver's command events, when and on which connections
 * each request really ran, and `truth` has the last of them.
 * @param {number} maxPoolSize
 * @param {string} [url]
 * @param {Parameters<typeof monitorPool>[1]} [options] of the monitor
 */
export async function openRecordedClient(maxPoolSize, url = sharedMongoUrl(), options = {}) {
  const client = new MongoClient(url, { maxPoolSize, monitorCommands: true, appName: APP_NAME });
  const checkouts = new Checkouts();
  const monitor = monitorPool(client, options);
  checkouts.watch(monitor);
  await client.connect();

  /** @type {AsyncLocalStorage<string>} */
  const requests = new AsyncLocalStorage();
  /** Commands by request. @type {Map<string, Command[]>} */
  const commands = new Map();
  /** @type {Map<string, Command>} */
  const truth = new Map();
  client.on('commandStarted', ({ connectionId, address }) => {
    const requestId = requests.getStore();
    if (!requestId) return;
    const command = { server: address, connectionId: Number(connectionId), startedAtMs: epochNow() };
    const started = { ...command, endedAtMs: NaN, hasFailed: false };
    truth.set(requestId, started);
    commands.set(requestId, [...(commands.get(requestId) ?? []), started]);
  });
  /** @param {{ address: string, connectionId?: unknown }} end @param {boolean} hasFailed */
  const noteEnd = ({ address, connectionId }, hasFailed) => {
    const started = commands
      .get(String(requests.getStore()))
      ?.find(
        (each) => each.server === address && each.connectionId === Number(connectionId) && Number.isNaN(each.endedAtMs),
      );
    if (started) Object.assign(started, { endedAtMs: epochNow(), hasFailed });
  };
  client.on('commandSucceeded', (event) => noteEnd(event, false));
  client.on('commandFailed', (event) => noteEnd(event, true));

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

  /** Lists the times of each checkout in order: its start, its connection, the command's start and end, and its end. */
  const listSteps = () =>
    listRecords().map(({ requestId, checkOutStartedAtMs, checkedOutAtMs, checkedInAtMs }) => {
      const { startedAtMs = NaN, endedAtMs = NaN } = truth.get(String(requestId)) ?? {};
      return [checkOutStartedAtMs, checkedOutAtMs, startedAtMs, endedAtMs, checkedInAtMs].map(Number);
    });
  const listRecords = () => checkouts.list().filter(({ requestId }) => requestId !== null);
  return { client, monitor, checkouts, truth, commands, send, listRecords, listSteps };
}
