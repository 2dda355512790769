import { readFileSync, readlinkSync } from 'node:fs';
import os from 'node:os';

export const HOST = os.hostname();

/** Processes of the same place find each other by their ids; null: unknown. */
export const PLACE = findPlace();

/** @returns {string | null} */
function findPlace() {
  if (process.platform !== 'linux') return HOST;
  try {
    // A container has process ids of its own, and may have the host name of another one.
    return `${readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()} ${readlinkSync('/proc/self/ns/pid')}`;
  } catch {
    return null;
  }
}

/** @param {number} pid of this place @returns {boolean} */
export function isRunning(pid) {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    // EPERM: it belongs to somebody else.
    return /** @type {NodeJS.ErrnoException} */ (error).code === 'EPERM';
  }
}
