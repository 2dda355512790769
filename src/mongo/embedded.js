import { mkdir, mkdtemp, readdir, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { MongoMemoryReplSet } from 'mongodb-memory-server-core';
import { findMongod } from './find-mongod.js';

const FOLDER = /^mongodb-pool-lab-(\d+)-/;

/**
 * @typedef {object} EmbeddedMongo
 * @property {string} url connection string
 * @property {string} version of the server, e.g. `6.0.5`
 * @property {() => Promise<void>} stop ends every mongod and removes its data; may be called twice
 */

/**
 * Start a private MongoDB: a replica set on free loopback ports, its data in a temporary folder. A small watcher
 * process ends it when this process dies without having called `stop`.
 *
 * @param {object} options
 * @param {string} [options.mongodPath] this mongod and no other
 * @param {string} options.searchPath the PATH variable
 * @param {string} options.cacheDir folder that keeps a downloaded mongod
 * @param {number} [options.members] how many mongods the set has
 * @param {string[]} [options.args] more arguments for each mongod
 * @param {(line: string) => void} [options.report] gets a line of progress for people
 * @param {AbortSignal} [options.signal] ends a download
 * @returns {Promise<EmbeddedMongo>}
 */
export async function startEmbeddedMongo({ members = 1, args = [], ...where }) {
  await removeLeftovers();
  const { file, version } = await findMongod(where);
  const folder = await mkdtemp(path.join(os.tmpdir(), `mongodb-pool-lab-${process.pid}-`));
  const dbPaths = Array.from({ length: members }, (_, member) => path.join(folder, `member-${member}`));
  await Promise.all(dbPaths.map((dbPath) => mkdir(dbPath)));

  const set = new MongoMemoryReplSet({
    binary: { systemBinary: file, version },
    instanceOpts: dbPaths.map((dbPath) => ({ dbPath })),
    replSet: {
      name: 'lab',
      count: members,
      storageEngine: 'wiredTiger',
      // Told to stop, a primary would wait 15 s for clients to leave; ours have left or died.
      args: ['--setParameter', 'shutdownTimeoutMillisForSignaledShutdown=0', ...args],
      // Away from the terminal's process group: Ctrl-C is the app's to handle, so that it can finish what runs.
      spawn: { detached: process.platform !== 'win32' },
    },
  });
  const stop = async () => {
    await set.stop({ doCleanup: false });
    await rm(folder, { recursive: true, force: true });
  };
  try {
    await set.start();
  } catch (cause) {
    await stop();
    throw new Error(`mongod ${version} (${file}) did not start: ${/** @type {Error} */ (cause).message}`, { cause });
  }
  return { url: set.getUri(), version, stop };
}

/** Remove the data folders of processes that were killed before they could. */
async function removeLeftovers() {
  for (const name of await readdir(os.tmpdir())) {
    const pid = Number(name.match(FOLDER)?.[1]);
    if (!pid || isAlive(pid)) continue;
    // It may be another user's, or its mongod may still be ending: neither is a reason not to start.
    await rm(path.join(os.tmpdir(), name), { recursive: true, force: true }).catch(() => {});
  }
}

/** @param {number} pid */
function isAlive(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return /** @type {NodeJS.ErrnoException} */ (error).code === 'EPERM';
  }
}
