import { Timestamp } from 'mongodb';

/**
 * @typedef {object} Position of an entry in an oplog
 * @property {number} seconds
 * @property {number} increment counts the entries of a second
 * @property {number} term of the primary that wrote it: two entries of one time and different terms are not the same. 0
 *   where it is not known
 */

/** @param {Timestamp} timestamp @returns {Position} */
export function positionAt({ t, i }, term = 0) {
  return { seconds: t, increment: i, term };
}

/** @param {Position} position */
export function timestampOf({ seconds, increment }) {
  return new Timestamp({ t: seconds, i: increment });
}

/**
 * @param {Position} a
 * @param {Position} b
 * @returns {number} below 0 where `a` is earlier, 0 at the same time
 */
export function comparePositions(a, b) {
  return a.seconds - b.seconds || a.increment - b.increment;
}

/**
 * @template {Position} T
 * @param {(T | null | undefined)[]} positions
 * @returns {T | null} null where there is none
 */
export function findEarliest(positions) {
  let earliest = null;
  for (const position of positions) {
    if (position && (!earliest || comparePositions(position, earliest) < 0)) earliest = position;
  }
  return earliest;
}

/** @param {Position} position as the mongo shell shows it */
export function formatPosition({ seconds, increment }) {
  return `Timestamp(${seconds}, ${increment})`;
}
