import { execFile } from 'node:child_process';
import os from 'node:os';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** @param {number[]} counts @throws {Error} if this machine has fewer */
export function assertCores(counts) {
  const cores = os.availableParallelism();
  const most = Math.max(...counts);
  if (most > cores) throw new Error(`--server-cores is ${most}; this machine has ${cores}`);
}

/**
 * Lets a process use only so many cores of this machine: all its threads, and those that they start.
 * @param {number} pid
 * @param {number} count
 * @throws {Error} where there is no taskset, which only Linux has
 */
export async function limitCores(pid, count) {
  try {
    await run('taskset', ['--all-tasks', '--cpu-list', '--pid', `0-${count - 1}`, String(pid)]);
  } catch (cause) {
    const { code, message } = /** @type {NodeJS.ErrnoException} */ (cause);
    throw new Error(`--server-cores needs taskset, of Linux: ${code === 'ENOENT' ? 'it was not found' : message}`, {
      cause,
    });
  }
}
