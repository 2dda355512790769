import { once } from 'node:events';
import { mkdir, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { MongoClient } from 'mongodb';
import { keepRunning } from '../process/keep.js';
import { makeTempFolder } from '../process/temp-folder.js';
import { findMongod } from './find-mongod.js';

const SET = 'lab';
/** Longest wait for the first primary, in ms: an election among three takes up to 10 s, more on a busy machine. */
const PRIMARY_MS = 60_000;

/** @typedef {import('../process/keep.js').Kept} Kept */

/**
 * @typedef {object} EmbeddedMongo
 * @property {string} url connection string
 * @property {string} version of the server, e.g. `6.0.5`
 * @property {Promise<Error>} died that a mongod ended without having been stopped, and how
 * @property {() => Promise<void>} stop ends every mongod and removes its data; may be called twice
 */

/**
 * Start a private MongoDB: a replica set on free loopback ports, its data in a temporary folder. It ends with this
 * process, however that ends.
 *
 * @param {object} options
 * @param {string} [options.mongodPath] this mongod and no other
 * @param {string} options.searchPath the PATH variable
 * @param {string} options.cacheDir folder that keeps a downloaded mongod
 * @param {number} [options.members] how many mongods the set has
 * @param {string[]} [options.args] more arguments for each mongod
 * @param {(line: string) => void} [options.report] gets a line of progress for people
 * @param {AbortSignal} [options.signal] cuts the start short
 * @returns {Promise<EmbeddedMongo>}
 * @throws what `signal` was aborted with
 */
export async function startEmbeddedMongo({ members = 1, args = [], signal, ...where }) {
  const { file, version } = await findMongod({ signal, ...where });
  signal?.throwIfAborted();
  const folder = await makeTempFolder('mongodb');
  /** @type {Kept[]} */
  const mongods = [];
  let isStopped = false;
  const stop = async () => {
    isStopped = true;
    // Killed: what a clean shutdown would save is removed.
    await Promise.all(mongods.map((mongod) => mongod.stop()));
    await rm(folder, { recursive: true, force: true });
  };
  // What it could not remove is removed below.
  const cutShort = () => { stop().catch(() => {}); };
  signal?.addEventListener('abort', cutShort);
  try {
    const ports = await findFreePorts(members);
    for (const [member, port] of ports.entries()) {
      const dbPath = path.join(folder, `member-${member}`);
      await mkdir(dbPath);
      signal?.throwIfAborted();
      mongods.push(keepRunning(file, [
        '--dbpath', dbPath, '--port', String(port), '--bind_ip', '127.0.0.1', '--replSet', SET, ...args,
      ], { folder }));
    }
    await Promise.all(mongods.map(listening));
    const hosts = ports.map((port) => `127.0.0.1:${port}`);
    const url = `mongodb://${hosts.join(',')}/?replicaSet=${SET}`;
    await formSet(hosts, url, mongods);
    signal?.throwIfAborted();
    const died = Promise.race(mongods.map(({ ended }) => ended)).then((how) => (
      // One that was stopped has not died: whoever waits for it waits for ever.
      isStopped ? new Promise(() => {}) : new Error(`the embedded MongoDB ended by itself (${how})`)));
    return { url, version, died, stop };
  } catch (cause) {
    await stop();
    signal?.throwIfAborted();
    throw new Error(`mongod ${version} (${file}) did not start: ${/** @type {Error} */ (cause).message}`, { cause });
  } finally {
    signal?.removeEventListener('abort', cutShort);
  }
}

/** @param {Kept} mongod */
async function listening(mongod) {
  const lines = createInterface({ input: mongod.stdout });
  let last = '';
  const ready = new Promise((resolve) => {
    lines.on('line', (line) => {
      last = line;
      if (line.includes('Waiting for connections')) resolve(undefined);
    });
  });
  let complaint = '';
  mongod.stderr.setEncoding('utf8').on('data', (text) => { complaint = (complaint + text).slice(-1000); });
  await Promise.race([ready, mongod.ended.then((how) => {
    throw new Error(`${complaint.trim().split('\n')[0] || describeLog(last)} (${how})`);
  })]);
  lines.close();
  // Unread, its log would fill the pipe and stop it.
  mongod.stdout.resume();
}

/** @param {string} line of mongod's log, JSON */
function describeLog(line) {
  try {
    const { msg, attr } = JSON.parse(line);
    return attr?.error ?? msg;
  } catch {
    return line || 'it said nothing';
  }
}

/** @param {Kept} mongod @returns {Promise<never>} */
async function failed({ ended }) {
  throw new Error(`it ended (${await ended})`);
}

/**
 * @param {string[]} hosts
 * @param {string} url of all of them
 * @param {Kept[]} mongods
 */
async function formSet(hosts, url, mongods) {
  const first = new MongoClient(`mongodb://${hosts[0]}/?directConnection=true`);
  const all = new MongoClient(url, { serverSelectionTimeoutMS: PRIMARY_MS });
  const form = async () => {
    await first.db('admin').command({
      replSetInitiate: {
        _id: SET,
        members: hosts.map((host, _id) => ({ _id, host })),
        // Half the default: elections take less time, and a busy machine does not lose its primary.
        settings: { electionTimeoutMillis: 5000 },
      },
    });
    // The primary alone answers, once there is one.
    await all.db('admin').command({ ping: 1 });
  };
  try {
    await Promise.race([form(), ...mongods.map(failed)]);
  } finally {
    await Promise.all([first.close(), all.close()]);
  }
}

/** @param {number} count @returns {Promise<number[]>} held together, so that no port comes twice */
async function findFreePorts(count) {
  const servers = Array.from({ length: count }, () => createServer().listen(0, '127.0.0.1'));
  return Promise.all(servers.map(async (server) => {
    await once(server, 'listening');
    const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
    return { server, port };
  })).then((held) => Promise.all(held.map(async ({ server, port }) => {
    server.close();
    await once(server, 'close');
    return port;
  })));
}
