import { fileURLToPath } from 'node:url';
import { runForJson } from 'test-support/processes.js';

const COMPARE = fileURLToPath(new URL('compare-with-driver.js', import.meta.url));

/**
 * Compares the model of the pool with the driver's own in a process whose clock is virtual.
 *
 * @param {string[]} kinds of schedules
 * @param {number} count of each
 * @param {number} [firstSeed]
 * @param {string} [folder] of the driver's package, default: the installed one
 * @returns {Promise<{ schedules: number, checkouts: number, different: number, reordered: number, first?: object }>}
 *   reordered: in how many only the order of events of one instant differs; first: the smallest schedule that differs,
 *   cut down from the first that did
 */
export async function compareWithDriver(kinds, count, firstSeed = 1, folder) {
  return runForJson([COMPARE, kinds.join(), String(count), String(firstSeed), ...(folder ? [folder] : [])]);
}
