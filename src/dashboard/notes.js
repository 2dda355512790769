import { formatQuantity } from './shared/quantity.js';
import { describeBehind } from './words.js';

/** @import { Finished, Holder, Pool } from './types.js' */

/**
 * Requests that waited and ended together: of several, the one that took longest.
 * @typedef {object} Note
 * @property {string} key
 * @property {string} route
 * @property {number} count
 * @property {number} totalMs
 * @property {number} waitMs
 * @property {Holder[]} behind
 * @property {boolean} failed
 */

/** Nobody notices a shorter wait. */
const NOTABLE_WAIT_MS = 50;
const KEPT = 4;

/**
 * The last few Ferraris that had to wait, latest first.
 * @param {Note[]} notes
 * @param {Pool} pool
 * @returns {Note[]}
 */
export function noteFinished(notes, { atMs, finished }) {
  const waited = finished.filter(({ route, waitMs }) => route === '/fast' && waitMs >= NOTABLE_WAIT_MS);
  if (waited.length === 0) return notes;
  const fresh = [false, true].flatMap((failed) => {
    const group = waited.filter((each) => hasFailed(each) === failed);
    return group.length > 0 ? [createNote(group, failed, atMs)] : [];
  });
  return [...fresh, ...notes].slice(0, KEPT);
}

/** @param {Finished} finished */
function hasFailed({ status }) {
  return status < 200 || status >= 400;
}

/**
 * @param {Finished[]} group
 * @param {boolean} failed
 * @param {number} atMs
 * @returns {Note}
 */
function createNote(group, failed, atMs) {
  const longest = group.reduce((a, b) => (b.totalMs > a.totalMs ? b : a));
  const { route, totalMs, waitMs, behind, requestId } = longest;
  return { key: `${atMs} ${requestId}`, route, count: group.length, totalMs, waitMs, behind, failed };
}

/**
 * The note in three parts, so that the time can stand out.
 * @param {Note} note
 * @returns {{ before: string, time: string, after: string }}
 */
export function describeNote({ route, count, totalMs, waitMs, behind, failed }) {
  const who = count > 1 ? `${count} ${route}` : route;
  const verb = failed ? 'failed after' : 'took';
  const holders = describeBehind(behind);
  return {
    before: `${who} ${verb}${count > 1 ? ' up to' : ''} `,
    time: formatQuantity(totalMs, 'ms'),
    after: `, ${formatQuantity(waitMs, 'ms')} of it waiting${holders ? ` behind ${holders}` : ''}`,
  };
}
