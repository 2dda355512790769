import { fileURLToPath } from 'node:url';
import { runForJson } from 'test-support/processes.js';

const COMPARE = fileURLToPath(new URL('compare-with-driver.js', import.meta.url));

/**
 * Compares what the monitor says with the driver's pool in a process whose clock is virtual.
 *
 * @param {number} count of schedules
 * @param {number} [firstSeed]
 * @param {string} [folder] of the driver's package, default: the installed one
 */
export async function compareWithDriver(count, firstSeed = 1, folder) {
  return runForJson([COMPARE, String(count), String(firstSeed), ...(folder ? [folder] : [])]);
}
