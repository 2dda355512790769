import { Decimal128 } from 'mongodb';
import {
  ARRAY, DECIMAL, DOUBLE, INT, LONG, OBJECT, OBJECT_ID, readInt, sizeOf, STRING, SYMBOL, walk,
} from './bytes.js';

/** FNV-1a, 32 bits: http://www.isthe.com/chongo/tech/comp/fnv/ */
const START = 0x811c9dc5 | 0;
const PRIME = 0x01000193;

/**
 * Values that MongoDB considers equal have the same hash: 1, 1.0, NumberLong(1) and NumberDecimal("1.0"), also inside
 * documents.
 *
 * @param {Buffer} bytes
 * @param {number} element where the element `_id` begins
 * @returns {number} a uint32
 */
export function hashId(bytes, element) {
  const value = element + 5; // after the type and `_id\0`
  return mix(hashValue(bytes, bytes[element], value, START));
}

/**
 * @param {Buffer} bytes
 * @param {number} type
 * @param {number} at
 * @param {number} hash so far
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

/** @param {number} number of an int64 or decimal: the nearest double @param {number} hash */
function hashNumber(number, hash) {
  // MongoDB considers 0 and -0 equal, and all bit patterns of NaN.
  scratch.setFloat64(0, Number.isNaN(number) ? Number.MAX_VALUE : number || 0);
  return Math.imul(Math.imul(hash ^ scratch.getInt32(0), PRIME) ^ scratch.getInt32(4), PRIME);
}

/** @param {Buffer} bytes @param {number} from @param {number} to @param {number} hash */
function hashBytes(bytes, from, to, hash) {
  for (let at = from; at < to; at++) hash = Math.imul(hash ^ bytes[at], PRIME);
  return hash;
}

/**
 * The last step of MurmurHash3 spreads each bit over all others:
 * https://github.com/aappleby/smhasher/blob/master/src/MurmurHash3.cpp
 * @param {number} hash
 */
function mix(hash) {
  hash = Math.imul(hash ^ hash >>> 16, 0x85ebca6b);
  hash = Math.imul(hash ^ hash >>> 13, 0xc2b2ae35);
  return (hash ^ hash >>> 16) >>> 0;
}
