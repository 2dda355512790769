import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { MongoClient } from 'mongodb';
import { findFreePort } from './processes.js';
import { until } from './waiting.js';

/** @returns {string} URL of the MongoDB that all tests share */
export function sharedMongoUrl() {
  return /** @type {string} */ (process.env.TEST_MONGO_URL);
}

/** @returns {string} path of the mongod that the tests start: the one that the global setup found, or yours */
export function realMongod() {
  return process.env.TEST_MONGOD || process.env.MONGOD_PATH || 'mongod';
}

/**
 * Starts a mongod that can be killed and started again with the same data.
 * @param {string[]} [args]
 */
export async function spawnMongod(args = []) {
  const file = realMongod();
  const folder = await mkdtemp(path.join(os.tmpdir(), 'pool-lab-test-mongod-'));
  const port = await findFreePort();
  /** @type {import('node:child_process').ChildProcess} */
  let child;

  async function start() {
    child = spawn(file, ['--dbpath', folder, '--port', String(port), '--bind_ip', '127.0.0.1', ...args]);
    const lines = createInterface({ input: /** @type {import('node:stream').Readable} */ (child.stdout) });
    for await (const line of lines) if (line.includes('Waiting for connections')) break;
    child.stdout?.resume();
  }

  /** @param {NodeJS.Signals} signal */
  async function kill(signal) {
    if (child.exitCode !== null || child.signalCode !== null) return;
    child.kill(signal);
    await once(child, 'exit');
  }

  /** Kills it and removes its data. */
  async function stop() {
    await kill('SIGKILL');
    await rm(folder, { recursive: true, force: true });
  }

  await start();
  return { port, start, kill, pause: () => child.kill('SIGSTOP'), goOn: () => child.kill('SIGCONT'), stop };
}

/**
 * Starts a replica set. The mongod that comes back is its first.
 * @param {string[]} [args] for each mongod
 * @param {number} [members]
 */
export async function spawnReplicaSet(args = [], members = 1) {
  const mongods = await Promise.all(Array.from({ length: members }, () => spawnMongod(['--replSet', 'rs', ...args])));
  const hosts = mongods.map(({ port }) => `127.0.0.1:${port}`);
  const client = new MongoClient(`mongodb://${hosts[0]}/?directConnection=true`);
  await client.db('admin').command({
    replSetInitiate: {
      _id: 'rs',
      members: hosts.map((host, _id) => ({ _id, host })),
      // With the default, a mongod without others that is started again would wait 10 s before its election.
      ...(members === 1 && { settings: { electionTimeoutMillis: 200 } }),
    },
  });
  await client.close();
  const url = `mongodb://${hosts.join(',')}/?replicaSet=rs`;
  const set = new MongoClient(url);
  await until('a primary', async () => (await set.db('admin').command({ hello: 1 })).isWritablePrimary, 40_000);
  await set.close();
  return { ...mongods[0], url, stop: () => Promise.all(mongods.map((mongod) => mongod.stop())) };
}

/**
 * List the operations that run on a server.
 * @param {import('mongodb').MongoClient} client another one than the watched one
 * @param {Record<string, unknown>} filter on the fields of $currentOp
 * @returns {Promise<import('mongodb').Document[]>}
 */
export function runningOperations(client, filter) {
  return client
    .db('admin')
    .aggregate([{ $currentOp: { allUsers: true } }, { $match: { active: true, ...filter } }])
    .toArray();
}

/**
 * Creates a query that keeps its connection for a given time: an awaitable `hello`, which a server without elections
 * answers after `maxAwaitTimeMS`.
 * https://github.com/mongodb/specifications/blob/master/source/server-discovery-and-monitoring/server-monitoring.md
 * @param {import('mongodb').MongoClient} client
 */
export function createSlowQuery(client) {
  const admin = client.db('admin');
  /** @type {object | undefined} */
  let topologyVersion;
  /** @param {number} ms @param {{ signal?: AbortSignal }} [options] */
  return async (ms, options) => {
    // The version's counter must remain a 64-bit integer.
    const hello = (/** @type {object} */ fields) =>
      admin.command({ hello: 1, ...fields }, { promoteLongs: false, ...options });
    topologyVersion ??= (await hello({})).topologyVersion;
    await hello({ topologyVersion, maxAwaitTimeMS: ms });
  };
}
