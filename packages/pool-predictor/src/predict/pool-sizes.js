/** A longer table would be unreadable. */
const MAX_SIZES = 1000;

/**
 * Parses a list of pool sizes such as `1,3,10`, `1..20` or `1..5,10,20`.
 *
 * @param {string} text
 * @returns {number[]} ascending, without duplicates, at most 1000
 * @throws {Error} naming the part that is wrong and what is allowed
 */
export function parsePoolSizes(text) {
  /** @type {number[]} */
  const sizes = [];
  for (const part of text.split(',')) {
    const [from, to] = parsePart(part.trim());
    for (let size = from; size <= to; size++) {
      if (sizes.push(size) > MAX_SIZES) throw new Error(`pool sizes "${part.trim()}": more than ${MAX_SIZES} in total`);
    }
  }
  return [...new Set(sizes)].sort((a, b) => a - b);
}

/** @param {string} part */
function parsePart(part) {
  const [, first, last = first] = part.match(/^(\d{1,6})(?:\.\.(\d{1,6}))?$/) ?? [];
  const [from, to] = [Number(first), Number(last)];
  if (from === 0) throw new Error(`pool size "${part}": 0 means "no limit" to the driver; use a whole number from 1`);
  if (!(from <= to)) throw new Error(`pool size "${part}" is not a whole number from 1, or a range such as 1..20`);
  return [from, to];
}
