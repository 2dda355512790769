// Reads BSON in place, without parsing it. A document is its length (int32), its elements and a 0. An element is a
// type, a name that ends with 0, and a value. https://bsonspec.org/spec.html

export const DOUBLE = 1;
export const STRING = 2;
export const OBJECT = 3;
export const ARRAY = 4;
export const BOOLEAN = 8;
export const NULL = 10;
export const SYMBOL = 14;
export const INT = 16;
export const TIMESTAMP = 17;
export const LONG = 18;
export const DECIMAL = 19;

/** `_id\0` as an int32. */
const ID_NAME = 0x0064695f;

/** @param {Uint8Array} bytes @param {number} at @returns {number} an int32 */
export function readInt(bytes, at) {
  return bytes[at] | (bytes[at + 1] << 8) | (bytes[at + 2] << 16) | (bytes[at + 3] << 24);
}

/** @param {Uint8Array} bytes @param {number} at @returns {number} a uint32 */
export function readUint(bytes, at) {
  return readInt(bytes, at) >>> 0;
}

/** @param {Uint8Array} bytes @param {number} at @param {number} value int32 or uint32 */
export function writeInt(bytes, at, value) {
  bytes[at] = value;
  bytes[at + 1] = value >>> 8;
  bytes[at + 2] = value >>> 16;
  bytes[at + 3] = value >>> 24;
}

/** @param {Uint8Array} bytes @param {number} at where a name begins @returns {number} where its value begins */
export function skipName(bytes, at) {
  while (bytes[at] !== 0) at++;
  return at + 1;
}

/**
 * @param {Uint8Array} bytes
 * @param {number} type
 * @param {number} at where the value begins
 * @returns {number} bytes of the value
 */
export function sizeOf(bytes, type, at) {
  switch (type) {
    case 1:
    case 9:
    case 17:
    case 18:
      return 8; // double, date, timestamp, int64
    case 2:
    case 13:
    case 14:
      return 4 + readInt(bytes, at); // string, code, symbol
    case 3:
    case 4:
    case 15:
      return readInt(bytes, at); // object, array, code with scope
    case 5:
      return 5 + readInt(bytes, at); // binary
    case 6:
    case 10:
    case 127:
    case 255:
      return 0; // undefined, null, MaxKey, MinKey
    case 7:
      return 12; // ObjectId
    case 8:
      return 1; // boolean
    case 11:
      return skipName(bytes, skipName(bytes, at)) - at; // regular expression
    case 12:
      return 4 + readInt(bytes, at) + 12; // DBPointer
    case 16:
      return 4; // int32
    case 19:
      return 16; // decimal
    default:
      throw new Error(`BSON type ${type} is unknown`);
  }
}

/**
 * Calls `visit` for each element of a document until it returns true.
 *
 * @param {Uint8Array} bytes
 * @param {number} start of the document
 * @param {(type: number, element: number, value: number, end: number) => boolean | void} visit `element`,
 *   `value` and `end` are where the element begins, where its value begins, and where the next element begins
 */
export function walk(bytes, start, visit) {
  let at = start + 4;
  for (let type = bytes[at]; type !== 0; type = bytes[at]) {
    const value = skipName(bytes, at + 1);
    const end = value + sizeOf(bytes, type, value);
    if (visit(type, at, value, end)) return;
    at = end;
  }
}

/** @param {Uint8Array} bytes @param {number} element @param {number} value where its value begins @returns {string} */
export function nameOf(bytes, element, value) {
  return Buffer.from(bytes.buffer, bytes.byteOffset + element + 1, value - element - 2).toString();
}

/** @param {Uint8Array} bytes @param {number} start of a document @returns {number} where its `_id` begins, or -1 */
export function findId(bytes, start) {
  let found = -1;
  walk(bytes, start, (type, element) => {
    if (readInt(bytes, element + 1) !== ID_NAME) return false;
    found = element;
    return true;
  });
  return found;
}
