import { mkdir, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { finished } from 'node:stream/promises';
import { MongoClient } from 'mongodb';
import { findFreePorts } from '../base/free-ports.js';
import { collectText, startGuarded } from '../process/guarded-process.js';
import { makeTempFolder } from '../process/temp-folder.js';
import { findMongod } from './find-mongod.js';

/** @import { GuardedProcess } from '../process/guarded-process.js' */

const SET = 'lab';
const MONGOD_ARGS = ['--bind_ip', '127.0.0.1', '--replSet', SET];
// A killed mongod would leave its socket file behind. Windows has none.
if (process.platform !== 'win32') MONGOD_ARGS.push('--nounixsocket');
const NO_SPACE = 'No space left on device';
/** An election among three takes up to 10 s, longer on a busy machine. */
const PRIMARY_TIMEOUT_MS = 60_000;

/** @typedef {GuardedProcess & { listening: () => Promise<void> }} Mongod `listening` throws if it ends instead */

/**
 * @typedef {object} EmbeddedMongo
 * @property {string} url
 * @property {string} version of the server, e.g. `6.0.5`
 * @property {Promise<Error>} died resolves when a mongod ends without `stop`
 * @property {() => Promise<void>} stop kills every mongod and removes the data; may be called twice
 */

/**
 * Starts a private MongoDB: a replica set on free loopback ports, with its data in a temporary folder. It ends with
 * this process, however that ends.
 * @param {object} options
 * @param {string} [options.mongodPath] the only mongod to use
 * @param {string} options.searchPath the PATH variable
 * @param {string} options.cacheDir folder for a downloaded mongod
 * @param {number} [options.members] number of mongods in the set
 * @param {number[]} [options.ports] of the members, where free
 * @param {string[]} [options.args] more arguments for each mongod
 * @param {(line: string) => void} [options.report] prints a line of progress
 * @param {AbortSignal} [options.signal] aborts the start
 * @returns {Promise<EmbeddedMongo>}
 * @throws the abort reason of `signal`
 */
export async function startEmbeddedMongo({ members = 1, ports: wanted, args = [], signal, ...where }) {
  const { file, version } = await findMongod({ signal, ...where });
  signal?.throwIfAborted();
  const folder = await makeTempFolder('mongodb');
  /** @type {Mongod[]} */
  const mongods = [];
  let isStopped = false;
  const stop = async () => {
    isStopped = true;
    // Killed, because a clean shutdown would only save data that is removed anyway.
    await Promise.all(mongods.map((mongod) => mongod.stop()));
    await rm(folder, { recursive: true, force: true });
  };
  // Whatever it could not remove is removed below.
  const abortStart = () => stop().catch(() => {});
  signal?.addEventListener('abort', abortStart);
  try {
    const ports = await findFreePorts(members, wanted);
    for (const [member, port] of ports.entries()) {
      const dbPath = path.join(folder, `member-${member}`);
      await mkdir(dbPath);
      signal?.throwIfAborted();
      const ownArgs = ['--dbpath', dbPath, '--port', String(port)];
      mongods.push(followLog(startGuarded(file, [...ownArgs, ...MONGOD_ARGS, ...args], { folder })));
    }
    await Promise.all(mongods.map(({ listening }) => listening()));
    const hosts = ports.map((port) => `127.0.0.1:${port}`);
    const url = `mongodb://${hosts.join(',')}/?replicaSet=${SET}`;
    await formSet(hosts, url, mongods);
    signal?.throwIfAborted();
    const died = Promise.race(mongods.map(({ ended }) => ended)).then((how) =>
      // After stop(), this promise never resolves.
      isStopped ? new Promise(() => {}) : new Error(`the embedded MongoDB ended unexpectedly (${how})`),
    );
    return { url, version, died, stop };
  } catch (cause) {
    await stop();
    signal?.throwIfAborted();
    throw new Error(`mongod ${version} (${file}) did not start: ${/** @type {Error} */ (cause).message}`, { cause });
  } finally {
    signal?.removeEventListener('abort', abortStart);
  }
}

/** @param {GuardedProcess} mongod @returns {Mongod} */
function followLog(mongod) {
  const lines = createInterface({ input: mongod.stdout });
  let last = '';
  const ready = new Promise((resolve) => {
    lines.on('line', (line) => {
      last = line;
      if (line.includes('Waiting for connections')) resolve(undefined);
    });
  });
  let isFull = false;
  mongod.stdout.on('data', (chunk) => {
    isFull ||= chunk.includes(NO_SPACE);
  });
  const readErrors = collectText(mongod.stderr);
  const ended = Promise.all([mongod.ended, finished(mongod.stdout).catch(() => {})]).then(([how]) =>
    isFull ? `${NO_SPACE}: ${os.tmpdir()} is full, so set TMPDIR to another folder` : how,
  );
  return {
    ...mongod,
    ended,
    async listening() {
      await Promise.race([
        ready,
        ended.then((how) => {
          const reason = readErrors().split('\n')[0] || describeLog(last);
          throw new Error(isFull ? how : `${reason} (${how})`);
        }),
      ]);
      lines.close();
      // If nobody reads the log, the pipe fills up and mongod blocks.
      mongod.stdout.resume();
    },
  };
}

/** @param {string} line of mongod's log, JSON */
function describeLog(line) {
  try {
    const { msg, attr } = JSON.parse(line);
    return attr?.error ?? msg;
  } catch {
    return line || 'no output';
  }
}

/** @param {Mongod} mongod @returns {Promise<never>} */
async function rejectOnEnd({ ended }) {
  throw new Error(`it ended (${await ended})`);
}

/** @param {string[]} hosts @param {string} url with all hosts @param {Mongod[]} mongods */
async function formSet(hosts, url, mongods) {
  const first = new MongoClient(`mongodb://${hosts[0]}/?directConnection=true`);
  const all = new MongoClient(url, { serverSelectionTimeoutMS: PRIMARY_TIMEOUT_MS });
  const form = async () => {
    await first.db('admin').command({
      replSetInitiate: {
        _id: SET,
        members: hosts.map((host, _id) => ({ _id, host })),
        // Half the default: elections are faster, and a busy machine still keeps its primary.
        settings: { electionTimeoutMillis: 5000 },
      },
    });
    // Only a primary answers this.
    await all.db('admin').command({ ping: 1 });
  };
  try {
    await Promise.race([form(), ...mongods.map(rejectOnEnd)]);
  } finally {
    await Promise.all([first.close(), all.close()]);
  }
}

/**
 * Uses the MongoDB at MONGO_URL, or starts an embedded one if that is unset.
 * @param {import('../settings.js').Settings} settings
 * @param {object} options
 * @param {(line: string) => void} options.report prints a line of progress
 * @param {AbortSignal} options.signal aborts the start
 * @param {number} [options.members] number of mongods of an embedded MongoDB
 * @returns {Promise<{ url: string, died?: Promise<Error>, stop: () => Promise<void> }>} as startEmbeddedMongo; `stop`
 *   leaves MONGO_URL alone
 */
export async function openMongo(settings, options) {
  if (settings.mongoUrl) return { url: settings.mongoUrl, stop: async () => {} };
  return startEmbeddedMongo({ ...settings, ...options });
}
