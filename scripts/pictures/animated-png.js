/* global document, Image */
import { crc32, deflateSync } from 'node:zlib';

/** @import { Page } from 'playwright-core' */
/** @typedef {{ png: string, atMs: number }} Frame a screenshot in base64, and when it was taken */
/** @typedef {{ x: number, y: number, width: number, height: number, rgba: string }} Change its pixels in base64 */

const SIGNATURE = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1');
/** Eight bits for each of red, green, blue and alpha. */
const PIXEL_FORMAT = [8, 6, 0, 0, 0];
const KEEP_THE_LAST_FRAME = 0;
const DRAW_OVER_IT = 1;

/**
 * Makes an animated PNG of screenshots, which all have one size. It loops for ever.
 * https://www.w3.org/TR/png-3/#apng-frame-based-animation
 * @param {Page} page of a browser, which decodes the screenshots
 * @param {Frame[]} frames
 * @param {{ speed: number, endMs: number }} timing how many times as fast as it was; when the last frame ends
 * @returns {Promise<Buffer>}
 */
export async function encodeAnimation(page, frames, { speed, endMs }) {
  const changes = await page.evaluate(
    findChanges,
    frames.map(({ png }) => png),
  );
  const shown = frames.flatMap(({ atMs }, index) => {
    const change = changes[index];
    return change ? [{ atMs, change }] : [];
  });
  let sequence = 0;
  const chunks = shown.flatMap(({ atMs, change: { x, y, width, height, rgba } }, index) => {
    const ms = Math.round(((shown[index + 1]?.atMs ?? endMs) - atMs) / speed);
    const place = [width, height, x, y].map(uint32);
    const control = createChunk('fcTL', [
      uint32(sequence++),
      ...place,
      uint16(ms),
      uint16(1000),
      KEEP_THE_LAST_FRAME,
      DRAW_OVER_IT,
    ]);
    const pixels = compress(Buffer.from(rgba, 'base64'), width);
    return [control, index === 0 ? createChunk('IDAT', [pixels]) : createChunk('fdAT', [uint32(sequence++), pixels])];
  });
  const [
    {
      change: { width, height },
    },
  ] = shown;
  return Buffer.concat([
    SIGNATURE,
    createChunk('IHDR', [uint32(width), uint32(height), ...PIXEL_FORMAT]),
    createChunk('acTL', [uint32(shown.length), uint32(0)]),
    ...chunks,
    createChunk('IEND', []),
  ]);
}

/**
 * Runs in the browser. What is as before becomes transparent, which takes next to no space.
 * @param {string[]} pngs
 * @returns {Promise<(Change | null)[]>} null: nothing changed. The first one is the whole picture
 */
async function findChanges(pngs) {
  /** @type {(Change | null)[]} */
  const changes = [];
  let before = new Uint32Array();
  for (const png of pngs) {
    const image = new Image();
    image.src = `data:image/png;base64,${png}`;
    await image.decode();
    const { width, height } = image;
    const context = /** @type {CanvasRenderingContext2D} */ (
      Object.assign(document.createElement('canvas'), { width, height }).getContext('2d')
    );
    context.drawImage(image, 0, 0);
    const pixels = context.getImageData(0, 0, width, height);
    const values = new Uint32Array(pixels.data.buffer);
    const now = values.slice();
    let [left, top, right, bottom] = [width, height, -1, -1];
    for (const [index, value] of now.entries()) {
      if (value === before[index]) {
        values[index] = 0;
        continue;
      }
      const [x, y] = [index % width, Math.floor(index / width)];
      [left, top, right, bottom] = [Math.min(left, x), Math.min(top, y), Math.max(right, x), Math.max(bottom, y)];
    }
    before = now;
    if (right === -1) {
      changes.push(null);
      continue;
    }
    context.putImageData(pixels, 0, 0);
    const size = { width: right - left + 1, height: bottom - top + 1 };
    const { data } = context.getImageData(left, top, size.width, size.height);
    const rgba = btoa(Array.from(data, (byte) => String.fromCharCode(byte)).join(''));
    changes.push({ x: left, y: top, ...size, rgba });
  }
  return changes;
}

/** @param {Buffer} rgba @param {number} width @returns {Buffer} */
function compress(rgba, width) {
  const bytes = width * 4;
  const NO_FILTER = Buffer.from([0]);
  const rows = Array.from({ length: rgba.length / bytes }, (_, row) => rgba.subarray(row * bytes, (row + 1) * bytes));
  return deflateSync(Buffer.concat(rows.flatMap((row) => [NO_FILTER, row])), { level: 9 });
}

/** @param {string} type @param {(Buffer | number)[]} parts buffers and bytes */
function createChunk(type, parts) {
  const data = Buffer.concat(parts.map((part) => (typeof part === 'number' ? Buffer.from([part]) : part)));
  const body = Buffer.concat([Buffer.from(type), data]);
  return Buffer.concat([uint32(data.length), body, uint32(crc32(body))]);
}

/** @param {number} value */
function uint32(value) {
  const buffer = Buffer.alloc(4);
  buffer.writeUInt32BE(value);
  return buffer;
}

/** @param {number} value */
function uint16(value) {
  return uint32(value).subarray(2);
}
