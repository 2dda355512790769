import { createHash } from 'node:crypto';
import { access, mkdtemp, readdir, readFile, readlink, rename, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { makeFolder, unwritable } from '../base/files.js';
import { isRunning, readProcess } from './process-info.js';

const NAME = /^(?:mongodb|artillery)-pool-lab-(\d+)-(\d+)-([0-9a-f]+)-/;

/**
 * Creates a temporary folder named after this process, and removes the folders of processes that were killed.
 * @param {'mongodb' | 'artillery'} use
 * @returns {Promise<string>}
 */
export async function makeTempFolder(use) {
  const temp = os.tmpdir();
  const system = await identifySystem();
  const { startedAt = '0' } = readProcess('self') ?? {};
  try {
    await removeLeftovers(temp, system);
    return await mkdtemp(path.join(temp, `${use}-pool-lab-${process.pid}-${startedAt}-${system}-`));
  } catch (cause) {
    throw unwritable(temp, 'TMPDIR', cause);
  }
}

/**
 * Only on one system does a process id name one process. A container, or another machine, can share the folder.
 * @returns {Promise<string>}
 */
async function identifySystem() {
  const [boot, namespace] = await Promise.all([
    readFile('/proc/sys/kernel/random/boot_id', 'utf8').catch(() => os.hostname()),
    readlink('/proc/self/ns/pid').catch(() => ''),
  ]);
  return createHash('sha256').update(boot).update(namespace).digest('hex').slice(0, 12);
}

/** @param {string} temp @param {string} system */
async function removeLeftovers(temp, system) {
  for (const name of await readdir(temp)) {
    const [, pid, startedAt, owner] = name.match(NAME) ?? [];
    if (owner !== system || isAlive(Number(pid), startedAt)) continue;
    // It fails for another user's folder, or while a mongod is still ending. Neither prevents a start.
    await rm(path.join(temp, name), { recursive: true, force: true }).catch(() => {});
  }
}

/** Whether that process is still there: a later one can have its id. @param {number} pid @param {string} startedAt */
function isAlive(pid, startedAt) {
  if (!isRunning(pid)) return false;
  // In a new PID namespace, /proc can still be the one of the old.
  const isOurProc = readProcess(process.pid)?.startedAt === readProcess('self')?.startedAt;
  const found = isOurProc ? readProcess(pid) : undefined;
  return found === undefined || found.startedAt === startedAt;
}

/**
 * Runs `fetch` in a folder beside the target, then renames what it made into place. Readers never see a part of it, and
 * two downloads at once do not disturb each other.
 * @param {string} target path of a file or a folder
 * @param {(folder: string) => Promise<string>} fetch returns the path of what it made
 */
export async function inScratchFolder(target, fetch) {
  const cache = path.dirname(target);
  const folder = await makeFolder(cache)
    .then(() => mkdtemp(path.join(cache, 'download-')))
    .catch((cause) => {
      throw unwritable(cache, 'POOL_LAB_CACHE', cause);
    });
  try {
    const made = await fetch(folder);
    // A folder, or on Windows a program that runs, is not replaced: then another process was faster.
    await rename(made, target).catch((error) => access(target).catch(() => Promise.reject(error)));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
