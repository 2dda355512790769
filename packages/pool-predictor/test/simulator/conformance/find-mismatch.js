/** @import { PoolEvent } from 'test-support/driver-pool.js' */

/** Stands for any value. */
const ANY = [42, '42'];

/**
 * Compares what a test expects with what happened: all that is expected must be there.
 *
 * @param {any} expected
 * @param {any} actual
 * @param {string} [name] of it
 * @returns {string | null} what differs
 */
export function findMismatch(expected, actual, name = '') {
  if (ANY.includes(expected)) return actual === undefined || actual === null ? `no ${name}` : null;
  if (typeof expected !== 'object' || expected === null)
    return expected === actual
      ? null
      : `${name} ${JSON.stringify(actual) ?? 'missing'}, not ${JSON.stringify(expected)}`;
  if (typeof actual !== 'object' || actual === null || Array.isArray(expected) !== Array.isArray(actual))
    return `${name} ${JSON.stringify(actual) ?? 'missing'}, not ${JSON.stringify(expected)}`;
  for (const [key, value] of Object.entries(expected)) {
    const mismatch = findMismatch(value, actual[key], name ? `${name}.${key}` : key);
    if (mismatch) return mismatch;
  }
  return null;
}

/**
 * @param {{ type: string }[]} expected events, the first of those that happened
 * @param {PoolEvent[]} actual
 * @returns {string | null} what differs first
 */
export function findEventMismatch(expected, actual) {
  for (const [index, event] of expected.entries()) {
    const happened = actual[index];
    if (happened?.type !== event.type) return `event ${index + 1} is ${happened?.type ?? 'missing'}, not ${event.type}`;
    const mismatch = findMismatch(event, happened);
    if (mismatch) return `event ${index + 1}, ${event.type}: ${mismatch}`;
  }
  return null;
}
