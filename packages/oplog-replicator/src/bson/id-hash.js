import { Decimal128 } from 'mongodb';
import {
  ARRAY, DECIMAL, DOUBLE, INT, LONG, OBJECT, OBJECT_ID, readInt, sizeOf, STRING, SYMBOL, walk,
} from './bytes.js';

/** Offset and prime of FNV-1a, 32 bits (Fowler, Noll and Vo). */
const START = 0x811c9dc5 | 0;
const PRIME = 0x01000193;

/**
 * Hash an `_id` of any type, so that values that MongoDB takes for the same `_id` have the same hash: 1 is 1.0 is
 * NumberLong(1) is NumberDecimal("1.0"), also inside of documents. Others rarely do.
 *
 * @param {Buffer} bytes
 * @param {number} element where the element `_id` begins
 * @returns {number} a uint32
 */
export function hashId(bytes, element) {
  const value = element + 5; // its type, and the four bytes of its name
  return mix(hashValue(bytes, bytes[element], value, START));
}

/**
 * @param {Buffer} bytes
 * @param {number} type
 * @param {number} at
 * @param {number} hash of what came before
 * @returns {number}
 */
function hashValue(bytes, type, at, hash) {
  switch (type) {
    case OBJECT_ID: {
      const ints = Math.imul(hash ^ readInt(bytes, at), PRIME) ^ readInt(bytes, at + 4);
      return Math.imul(Math.imul(ints, PRIME) ^ readInt(bytes, at + 8), PRIME);
    }
    case INT: return hashNumber(readInt(bytes, at), hash);
    case LONG: return hashNumber(Number(bytes.readBigInt64LE(at)), hash);
    case DOUBLE: return hashNumber(bytes.readDoubleLE(at), hash);
    case DECIMAL: return hashNumber(Number(new Decimal128(bytes.subarray(at, at + 16)).toString()), hash);
    case STRING: case SYMBOL: return hashBytes(bytes, at, at + sizeOf(bytes, type, at), Math.imul(hash ^ STRING, PRIME));
    case OBJECT: case ARRAY:
      hash = Math.imul(hash ^ type, PRIME);
      walk(bytes, at, (innerType, element, value) => {
        hash = hashValue(bytes, innerType, value, hashBytes(bytes, element + 1, value, hash));
      });
      return hash;
    default: return hashBytes(bytes, at, at + sizeOf(bytes, type, at), Math.imul(hash ^ type, PRIME));
  }
}

const scratch = new DataView(new ArrayBuffer(8));

/**
 * @param {number} number the double next to an int64 or a decimal, which is the same for equal ones
 * @param {number} hash
 */
function hashNumber(number, hash) {
  // Zero has two signs and NaN many bit patterns, and MongoDB tells none of them apart.
  scratch.setFloat64(0, Number.isNaN(number) ? Number.MAX_VALUE : number || 0);
  return Math.imul(Math.imul(hash ^ scratch.getInt32(0), PRIME) ^ scratch.getInt32(4), PRIME);
}

/** @param {Buffer} bytes @param {number} from @param {number} to @param {number} hash */
function hashBytes(bytes, from, to, hash) {
  for (let at = from; at < to; at++) hash = Math.imul(hash ^ bytes[at], PRIME);
  return hash;
}

/** The end of MurmurHash3 (Appleby): each bit of the hash changes half of the others. @param {number} hash */
function mix(hash) {
  hash = Math.imul(hash ^ hash >>> 16, 0x85ebca6b);
  hash = Math.imul(hash ^ hash >>> 13, 0xc2b2ae35);
  return (hash ^ hash >>> 16) >>> 0;
}
