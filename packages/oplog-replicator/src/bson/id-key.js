import { Decimal128 } from 'mongodb';
import { ARRAY, DECIMAL, DOUBLE, INT, LONG, OBJECT, readInt, sizeOf, STRING, SYMBOL, walk } from './bytes.js';

/** FNV-1a, 32 bits: http://www.isthe.com/chongo/tech/comp/fnv/ */
const START = 0x811c9dc5 | 0;
const PRIME = 0x01000193;

/**
 * The most that JavaScript gives of a double. A decimal has 34, so one that is equal to a double has all of its digits.
 */
const DOUBLE_DIGITS = 100;
/** More than an int64 has. Larger numbers are written as digits and an exponent. */
const MAX_INTEGER_DIGITS = 20;

/**
 * Two `_id`s have the same key if MongoDB considers them equal: 1, 1.0, NumberLong(1) and NumberDecimal("1.0"), also
 * inside documents. This is the only notion of the same `_id`: it chooses the worker, and it merges the operations on a
 * document.
 *
 * @param {Buffer} bytes
 * @param {number} element where an element `_id` begins
 * @returns {string}
 */
export function keyOfId(bytes, element) {
  return keyOf(bytes, element, element + 5); // after the type and `_id\0`
}

/** @param {string} key @returns {number} a uint32 */
export function hashKey(key) {
  let hash = START;
  for (let at = 0; at < key.length; at++) hash = Math.imul(hash ^ key.charCodeAt(at), PRIME);
  return mix(hash);
}

/** @param {Buffer} bytes @param {number} element @param {number} value where its value begins @returns {string} */
function keyOf(bytes, element, value) {
  const type = bytes[element];
  switch (type) {
    case INT:
      return String(readInt(bytes, value));
    case LONG:
      return String(bytes.readBigInt64LE(value));
    case DOUBLE:
      return keyOfDouble(bytes.readDoubleLE(value));
    case DECIMAL:
      return keyOfDecimal(new Decimal128(bytes.subarray(value, value + 16)).toString());
    case STRING:
    case SYMBOL:
      return `"${bytes.toString('latin1', value, value + sizeOf(bytes, type, value))}`;
    case OBJECT:
    case ARRAY:
      return keyOfDocument(bytes, type, value);
    // Begins with the type, which is none of the characters above.
    default:
      return bytes.toString('latin1', element, value + sizeOf(bytes, type, value));
  }
}

/** @param {number} number */
function keyOfDouble(number) {
  // 0 and -0 are equal, and all bit patterns of NaN.
  if (Number.isSafeInteger(number) || !Number.isFinite(number)) return String(number);
  return keyOfDecimal(number.toPrecision(DOUBLE_DIGITS));
}

/**
 * @param {string} text such as 1.50, 15E-1 and NaN
 * @returns {string} the same for equal numbers; an integer is as usual
 */
function keyOfDecimal(text) {
  const [, sign, whole, fraction = '', exponent = '0'] = text.match(/^(-?)(\d+)(?:\.(\d+))?(?:e([+-]?\d+))?$/i) ?? [];
  if (whole === undefined) return text;
  const all = `${whole}${fraction}`.replace(/^0+/, '');
  const digits = all.replace(/0+$/, '');
  if (digits === '') return '0';
  const power = Number(exponent) - fraction.length + all.length - digits.length;
  const isUsual = power >= 0 && digits.length + power <= MAX_INTEGER_DIGITS;
  return sign + (isUsual ? digits + '0'.repeat(power) : `${digits}e${power}`);
}

/** @param {Buffer} bytes @param {number} type @param {number} at */
function keyOfDocument(bytes, type, at) {
  let key = type === OBJECT ? '{' : '[';
  walk(bytes, at, (_, element, value) => {
    const inner = keyOf(bytes, element, value);
    key += `${bytes.toString('latin1', element + 1, value)}${inner.length}:${inner}`;
  });
  return key;
}

/**
 * The last step of MurmurHash3 spreads each bit over all others:
 * https://github.com/aappleby/smhasher/blob/master/src/MurmurHash3.cpp
 * @param {number} hash
 */
function mix(hash) {
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}
