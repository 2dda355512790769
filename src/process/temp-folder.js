import { mkdtemp, readdir, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';

const NAME = /^(?:mongodb|artillery)-pool-lab-(\d+)-/;

/**
 * Make a temporary folder that tells whose it is, and remove those of processes that were killed before they could.
 *
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
