import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { isRunning } from '../../../src/process/process-info.js';

const run = promisify(execFile);
/** A thread that ends while taskset is at work; the next try does not list it. */
const MAX_TRIES = 20;
const ENDED = /No such process/;

/**
 * Lets a process use only so many cores of this machine: all its threads, and those that they start.
 * @param {number} pid
 * @param {number} count
 * @param {string} [taskset] path of the command
 * @throws {Error} where there is no taskset, which only Linux has, or where it fails
 */
export async function limitCores(pid, count, taskset = 'taskset') {
  for (let left = MAX_TRIES; ; left--) {
    try {
      await run(taskset, ['--all-tasks', '--cpu-list', '--pid', `0-${count - 1}`, String(pid)]);
      return;
    } catch (cause) {
      const { code, message } = /** @type {NodeJS.ErrnoException} */ (cause);
      if (code === 'ENOENT') throw new Error('--server-cores needs taskset, of Linux: it was not found', { cause });
      if (ENDED.test(message) && left > 1 && isRunning(pid)) continue;
      throw new Error(`taskset could not limit the server to ${count} of the cores: ${message}`, { cause });
    }
  }
}
