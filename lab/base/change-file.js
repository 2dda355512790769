import { randomUUID } from 'node:crypto';
import { chmod, mkdir, readdir, realpath, rename, rm, rmdir, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { reasonOf } from '../../src/base/files.js';

/** A change takes some milliseconds, unless its process has died or is suspended. */
const PATIENCE_MS = 3000;
const LOOK_MS = 10;

/**
 * Changes a file that other processes may change at the same time: each change sees the ones before it.
 *
 *     a.json         the file
 *     a.json.lock/   there while somebody changes it
 *       4d0f...      named after the owner of the lock, who writes the new text here, and moves it over a.json
 *
 * So the move that changes the file also gives up the lock. An owner that seems dead loses its file, and another one
 * goes on. If that owner was only suspended, it has nothing to move, and starts again from the file as it is then.
 *
 * @param {string} file in an existing folder; a link stays a link
 * @param {() => Promise<string>} change reads the file, and returns its new text; may be called again
 * @param {{ patienceMs?: number }} [options] patienceMs: how long one owner may keep the others waiting
 * @throws {Error} naming the file, when it can't be written; what `change` throws
 */
export async function changeFile(file, change, { patienceMs = PATIENCE_MS } = {}) {
  const target = await realpath(file).catch(() => file);
  const lock = `${target}.lock`;
  const orUnwritable = (/** @type {unknown} */ cause) => {
    throw new Error(`${file} can't be written: ${reasonOf(cause)}`, { cause });
  };
  let isDone = false;
  while (!isDone) {
    const own = path.join(lock, randomUUID());
    await takeLock(own, patienceMs).catch(orUnwritable);
    try {
      isDone = await moveText(own, target, await change()).catch(orUnwritable);
    } finally {
      await rm(own, { force: true }).catch(() => {});
      // It stays if it is somebody else's by now.
      await rmdir(lock).catch(() => {});
    }
  }
}

/**
 * @param {string} own the owner's file @param {string} target @param {string} text
 * @returns {Promise<boolean>} false if the lock was lost
 */
async function moveText(own, target, text) {
  const before = await stat(target).catch(() => undefined);
  try {
    // Not created again if it is gone.
    await writeFile(own, text, { flag: 'r+' });
    if (before) await chmod(own, before.mode & 0o7777);
    await rename(own, target);
    return true;
  } catch (error) {
    if (/** @type {NodeJS.ErrnoException} */ (error).code === 'ENOENT') return false;
    throw error;
  }
}

/**
 * A folder with a file can't be replaced, so only one of several becomes the lock.
 * @param {string} own the owner's file, in the lock
 * @param {number} patienceMs
 */
async function takeLock(own, patienceMs) {
  const [lock, owner] = [path.dirname(own), path.basename(own)];
  const draft = `${lock}-${owner}`;
  let [holder, sinceMs] = ['', performance.now()];
  try {
    await mkdir(draft);
    await writeFile(path.join(draft, owner), '');
    for (;;) {
      const problem = await rename(draft, lock).catch((error) => error);
      if (!problem) return;
      const [found = ''] = await readdir(lock).catch(() => []);
      // Windows does not replace an empty one either.
      if (found === '') await rmdir(lock).catch(() => {});
      if (found !== holder) [holder, sinceMs] = [found, performance.now()];
      else if (performance.now() - sinceMs < patienceMs) await sleep(LOOK_MS);
      else if (found === '') throw problem;
      else await rm(path.join(lock, found), { force: true });
    }
  } finally {
    await rm(draft, { recursive: true, force: true }).catch(() => {});
  }
}
