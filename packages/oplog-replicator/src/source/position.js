import { Timestamp } from 'mongodb';

/**
 * @typedef {object} Position of an entry in an oplog
 * @property {number} seconds
 * @property {number} increment counts the entries within a second
 * @property {number} term of the primary that wrote it: entries with the same time and different terms are different
 *   entries; 0: unknown
 */

/** @param {Timestamp} timestamp @returns {Position} */
export function positionAt({ t, i }, term = 0) {
  return { seconds: t, increment: i, term };
}

/** @param {Position} position */
export function timestampOf({ seconds, increment }) {
  return new Timestamp({ t: seconds, i: increment });
}

/** @param {Position} a @param {Position} b @returns {number} negative if `a` is earlier, 0 for the same time */
export function comparePositions(a, b) {
  return a.seconds - b.seconds || a.increment - b.increment;
}

/** @template {Position} T @param {(T | null | undefined)[]} positions @returns {T | null} null if there is none */
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
