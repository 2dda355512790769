import { ARRAY, LONG, readInt, skipName, walk } from './bytes.js';

/**
 * Finds the documents in the `cursor` of an answer to `find` or `getMore`, without parsing them.
 *
 * @param {Buffer} bytes
 * @param {number} cursor where the document `{ id, ns, firstBatch or nextBatch }` begins
 * @returns {{ cursorId: bigint, starts: number[] }} where each document begins; the id is 0 once the cursor is closed
 */
export function readCursorBatch(bytes, cursor) {
  const starts = /** @type {number[]} */ ([]);
  let cursorId = 0n;
  walk(bytes, cursor, (type, element, value) => {
    // The only values of these types.
    if (type === LONG) cursorId = bytes.readBigInt64LE(value);
    if (type === ARRAY) listStarts(bytes, value, starts);
  });
  return { cursorId, starts };
}

/** @param {Buffer} bytes @param {number} array @param {number[]} starts */
function listStarts(bytes, array, starts) {
  for (let at = array + 4; bytes[at] !== 0;) {
    const start = skipName(bytes, at + 1);
    starts.push(start);
    at = start + readInt(bytes, start);
  }
}
