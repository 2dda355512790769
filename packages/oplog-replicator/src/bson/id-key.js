import { DOUBLE, INT, LONG, readInt, sizeOf } from './bytes.js';

/**
 * @param {Buffer} bytes
 * @param {number} element where an element `_id` begins
 * @returns {string} the same for 1, 1.0 and NumberLong(1), which MongoDB considers equal
 */
export function keyOfId(bytes, element) {
  const type = bytes[element];
  const value = element + 5; // after the type and `_id\0`
  if (type === INT) return String(readInt(bytes, value));
  if (type === DOUBLE || type === LONG) {
    const number = type === DOUBLE ? bytes.readDoubleLE(value) : Number(bytes.readBigInt64LE(value));
    if (Number.isSafeInteger(number)) return String(number);
  }
  return bytes.toString('latin1', element, value + sizeOf(bytes, type, value));
}
