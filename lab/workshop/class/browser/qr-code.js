/**
 * A QR code of one size (ISO/IEC 18004, version 4, error correction L), which is enough for the address of a class. All
 * codes have the same mask, because readers accept any. Version 4-L has one block, so nothing is interleaved.
 */
export const QR_SIZE = 33;
const DATA_BYTES = 80;
const CHECK_BYTES = 20;
/** Less the mode (4 bits), the length (8) and the end (4). */
const MAX_BYTES = DATA_BYTES - 2;
/** Format bits of level L with mask 0, with their own error correction. */
const FORMAT = 0b111011111000100;
const FINDERS = /** @type {const} */ ([
  [3, 3],
  [QR_SIZE - 4, 3],
  [3, QR_SIZE - 4],
]);
const ALIGNMENT = 26;

/**
 * @param {string} text
 * @returns {boolean[][] | undefined} rows of modules, true: dark. Undefined if the text has more than 78 bytes
 */
export function drawQrCode(text) {
  const bytes = [...new TextEncoder().encode(text)];
  if (bytes.length > MAX_BYTES) return undefined;
  const data = packBytes(bytes);
  const bits = [...data, ...findCheckBytes(data)].flatMap((byte) =>
    [7, 6, 5, 4, 3, 2, 1, 0].map((bit) => ((byte >> bit) & 1) === 1),
  );
  const rows = drawFixedModules();
  // In pairs of columns from the right, up and down in turns. Column 6 has the timing pattern alone.
  let isUp = true;
  for (let right = QR_SIZE - 1; right > 0; right -= right === 8 ? 3 : 2) {
    for (let step = 0; step < QR_SIZE; step++) {
      const y = isUp ? QR_SIZE - 1 - step : step;
      for (const x of [right, right - 1]) {
        if (rows[y][x] === undefined) rows[y][x] = Boolean(bits.shift()) !== ((x + y) % 2 === 0);
      }
    }
    isUp = !isUp;
  }
  return /** @type {boolean[][]} */ (rows);
}

/** Mode "bytes", their number, the bytes, the end, and padding. @param {number[]} bytes */
function packBytes(bytes) {
  const hex = [bytes.length, ...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('');
  const data = (`4${hex}0`.match(/../g) ?? []).map((pair) => Number.parseInt(pair, 16));
  while (data.length < DATA_BYTES) data.push((data.length - bytes.length) % 2 === 0 ? 0xec : 0x11);
  return data;
}

/** Reed and Solomon's remainder, over the field of 256 elements with the polynomial 0x11d. @param {number[]} data */
function findCheckBytes(data) {
  const multiply = (/** @type {number} */ a, /** @type {number} */ b) => {
    let product = 0;
    for (let bit = 7; bit >= 0; bit--) product = (product << 1) ^ (product >> 7 ? 0x11d : 0) ^ (((b >> bit) & 1) * a);
    return product;
  };
  // The product of (x - 2^i) for each check byte, without its leading 1.
  let generator = [1];
  for (let root = 1, count = 0; count < CHECK_BYTES; count++, root = multiply(root, 2)) {
    generator = [...generator, 0].map((factor, at) => factor ^ multiply(generator[at - 1] ?? 0, root));
  }
  /** @type {number[]} */
  let rest = Array(CHECK_BYTES).fill(0);
  for (const byte of data) {
    const factor = byte ^ rest[0];
    rest = [...rest.slice(1), 0].map((value, at) => value ^ multiply(generator[at + 1], factor));
  }
  return rest;
}

/** @returns {(boolean | undefined)[][]} what all codes have in common; undefined: free for data */
function drawFixedModules() {
  /** @type {(boolean | undefined)[][]} */
  const rows = Array.from({ length: QR_SIZE }, () => Array(QR_SIZE).fill(undefined));
  /**
   * Squares around each other, of which those with a radius in `light` are light.
   * @type {(x: number, y: number, radius: number, light: number[]) => void}
   */
  const drawSquares = (x, y, radius, light) => {
    for (let down = -radius; down <= radius; down++) {
      for (let across = -radius; across <= radius; across++) {
        const row = rows[y + down];
        if (row && x + across in row) row[x + across] = !light.includes(Math.max(Math.abs(across), Math.abs(down)));
      }
    }
  };
  for (let at = 0; at < QR_SIZE; at++) rows[6][at] = rows[at][6] = at % 2 === 0;
  for (const [x, y] of FINDERS) drawSquares(x, y, 4, [2, 4]);
  drawSquares(ALIGNMENT, ALIGNMENT, 2, [1]);
  for (let bit = 0; bit < 15; bit++) {
    const isDark = ((FORMAT >> bit) & 1) === 1;
    // Once beside the first finder, around the timing patterns, and once beside the others.
    const [near, far] = [bit < 6 ? bit : bit + 1, QR_SIZE - 15 + bit];
    if (bit < 8) rows[near][8] = rows[8][QR_SIZE - 1 - bit] = isDark;
    else rows[8][bit === 8 ? 7 : 14 - bit] = rows[far][8] = isDark;
  }
  rows[QR_SIZE - 8][8] = true;
  return rows;
}
