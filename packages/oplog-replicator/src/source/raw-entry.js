import { readInt, readUint, sizeOf } from '../bson/bytes.js';

/** @import { Position } from './position.js' */

/** The letters of `op`. */
export const INSERT = 105; // i
export const UPDATE = 117; // u
export const DELETE = 100; // d
export const COMMAND = 99; // c
export const NOOP = 110; // n

const NOWHERE = -1;

/**
 * @typedef {object} RawEntry one entry of an oplog, or one operation of a transaction: where in `bytes` its parts
 *   are, -1 for what it lacks
 * @property {Buffer} bytes
 * @property {number} op a letter
 * @property {number} ns where the namespace begins
 * @property {number} nsLength without the 0 at its end
 * @property {number} o the document of the operation
 * @property {number} o2 the document that says whom an update is for
 * @property {number} lsid the session of a transaction
 * @property {number} txnNumber
 * @property {number} wall when it happened, a date
 * @property {boolean} fromMigrate whether it only moved a document between shards
 * @property {Position} position not changed by the operations of a transaction: they have none of their own
 */

/** @returns {RawEntry} to be read into again and again: a million entries need no million objects */
export function createEntry() {
  return {
    bytes: Buffer.alloc(0), op: 0, ns: NOWHERE, nsLength: 0, o: NOWHERE, o2: NOWHERE, lsid: NOWHERE, txnNumber: NOWHERE,
    wall: NOWHERE, fromMigrate: false, position: { seconds: 0, increment: 0, term: 0 },
  };
}

/**
 * Find the parts of an entry. Names are told apart by their letters, for this runs for each entry, and making a string
 * of each name would take longer than all the rest.
 *
 * @param {RawEntry} entry
 * @param {Buffer} bytes
 * @param {number} start where the entry's document begins
 */
export function readEntry(entry, bytes, start) {
  entry.bytes = bytes;
  entry.op = 0;
  entry.ns = entry.o = entry.o2 = entry.lsid = entry.txnNumber = entry.wall = NOWHERE;
  entry.fromMigrate = false;
  let at = start + 4;
  for (let type = bytes[at]; type !== 0; type = bytes[at]) {
    const name = at + 1;
    let end = name;
    while (bytes[end] !== 0) end++;
    const value = end + 1;
    const first = bytes[name];
    switch (end - name) {
      case 1:
        if (first === 111) entry.o = value; // o
        else if (first === 116) entry.position.term = readInt(bytes, value); // t
        break;
      case 2:
        if (first === 111) { // op or o2
          if (bytes[name + 1] === 112) entry.op = bytes[value + 4];
          else entry.o2 = value;
        } else if (first === 110) { // ns
          entry.ns = value + 4;
          entry.nsLength = readInt(bytes, value) - 1;
        } else if (first === 116) { // ts
          entry.position.increment = readUint(bytes, value);
          entry.position.seconds = readUint(bytes, value + 4);
        }
        break;
      case 4:
        if (first === 119) entry.wall = value; // wall
        else if (first === 108) entry.lsid = value; // lsid
        break;
      case 9: // txnNumber
        if (first === 116) entry.txnNumber = value;
        break;
      case 11: // fromMigrate
        if (first === 102) entry.fromMigrate = bytes[value] === 1;
        break;
    }
    at = value + sizeOf(bytes, type, value);
  }
}
