import { mkdtemp, readdir, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';

const NAME = /^(?:mongodb|artillery)-pool-lab-(\d+)-/;

/**
 * Create a temporary folder named after this process, and remove the folders of processes that were killed.
 * @param {'mongodb' | 'artillery'} use
 * @returns {Promise<string>}
 */
export async function makeTempFolder(use) {
  await removeLeftovers();
  return mkdtemp(path.join(os.tmpdir(), `${use}-pool-lab-${process.pid}-`));
}

async function removeLeftovers() {
  for (const name of await readdir(os.tmpdir())) {
    const pid = Number(name.match(NAME)?.[1]);
    if (!pid || isAlive(pid)) continue;
    // It fails for another user's folder, or while a mongod is still ending. Neither prevents a start.
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
