import { readInt, readUint, sizeOf } from '../bson/bytes.js';

/** @import { Position } from './position.js' */

/** `op` is a letter. */
export const INSERT = 105; // i
export const UPDATE = 117; // u
export const DELETE = 100; // d
export const COMMAND = 99; // c
export const NOOP = 110; // n

const ABSENT = -1;

/**
 * @typedef {object} OplogEntry an entry of an oplog, or an operation of a transaction. Numbers without another meaning
 *   are offsets in `bytes`, -1 for absent fields
 * @property {Buffer} bytes
 * @property {number} op one of the letters above
 * @property {number} ns the namespace
 * @property {number} nsLength in bytes
 * @property {number} o the document of the operation
 * @property {number} o2 `{ _id }` of the document that an update changes
 * @property {number} lsid the session of a transaction
 * @property {number} txnNumber
 * @property {number} wall when it happened, a BSON date
 * @property {boolean} fromMigrate whether a chunk migration wrote it, or a command that copies a collection
 * @property {Position} position unchanged by the operations of a transaction, which have none
 */

/** @returns {OplogEntry} to be reused: one object for each of a million entries would be slow */
export function createOplogEntry() {
  return {
    bytes: Buffer.alloc(0),
    op: 0,
    ns: ABSENT,
    nsLength: 0,
    o: ABSENT,
    o2: ABSENT,
    lsid: ABSENT,
    txnNumber: ABSENT,
    wall: ABSENT,
    fromMigrate: false,
    position: { seconds: 0, increment: 0, term: 0 },
  };
}

/**
 * Finds the fields of an entry. It compares the bytes of their names, because making a string of each name would take
 * longer than everything else together.
 *
 * @param {OplogEntry} entry
 * @param {Buffer} bytes
 * @param {number} start
 */
export function readOplogEntry(entry, bytes, start) {
  entry.bytes = bytes;
  entry.op = 0;
  entry.ns = entry.o = entry.o2 = entry.lsid = entry.txnNumber = entry.wall = ABSENT;
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
        if (first === 111)
          entry.o = value; // o
        else if (first === 116) entry.position.term = readInt(bytes, value); // t
        break;
      case 2:
        if (first === 111) {
          // op or o2
          if (bytes[name + 1] === 112) entry.op = bytes[value + 4];
          else entry.o2 = value;
        } else if (first === 110) {
          // ns
          entry.ns = value + 4;
          entry.nsLength = readInt(bytes, value) - 1;
        } else if (first === 116) {
          // ts
          entry.position.increment = readUint(bytes, value);
          entry.position.seconds = readUint(bytes, value + 4);
        }
        break;
      case 4:
        if (first === 119)
          entry.wall = value; // wall
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
