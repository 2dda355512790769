import { setTimeout as sleep } from 'node:timers/promises';
import { crc32, deflateSync } from 'node:zlib';

/** @import { Page } from 'playwright-core' */

/**
 * What happens in the film, and when, in ms.
 * @type {[atMs: number, path: string, body: object][]}
 */
const SCRIPT = [
  [0, 'traffic', { route: '/slow', count: 1 }],
  [300, 'traffic', { route: '/fast', count: 10 }],
  [6200, 'pool-size', { poolSize: 3 }],
  [6300, 'slow-ms', { slowMs: 4000 }],
  // They have all lanes opened before the bus comes.
  [6400, 'traffic', { route: '/fast', count: 10 }],
  [7000, 'traffic', { route: '/slow', count: 1 }],
  [7800, 'traffic', { route: '/fast', count: 10 }],
  [9400, 'traffic', { route: '/fast', count: 10 }],
  [11_200, 'pool-size', { poolSize: 10 }],
  [11_300, 'traffic', { route: '/fast', count: 10 }],
  [11_900, 'traffic', { route: '/slow', count: 4 }],
  [12_700, 'traffic', { route: '/fast', count: 10 }],
  [14_200, 'traffic', { route: '/fast', count: 10 }],
];
/** The end of the film. */
export const FILM_MS = 16_000;

/** Between two frames. At twice the speed, these are 12.5 frames per second. */
const EVERY_MS = 160;

/** The sentence and the tunnel fill the picture, and the queue has room for ten. */
const STYLE = `
  .lead, .server, .playback { display: none !important; }
  .scene { --scene: 260px; height: var(--scene) !important; }
  .scene { grid-template: minmax(0, 1fr) / auto minmax(0, 42fr) minmax(0, 58fr) !important; }
  .queue-panel, .tunnel { grid-column: auto !important; }
`;
export const FILM_VIEW = { width: 800, height: 700 };
const MARGIN = 12;

/**
 * Films the live page of an app with one lane.
 * @param {Page} page
 * @returns {Promise<Frame[]>}
 */
export async function takeFilm(page) {
  await page.addStyleTag({ content: STYLE });
  const [top, bottom] = await Promise.all(
    ['#sentence', '.scene'].map((each) => page.locator(each).first().boundingBox()),
  );
  if (!top || !bottom) throw new Error('the page has no tunnel');
  const y = top.y - MARGIN;
  const clip = { x: 0, y, width: FILM_VIEW.width, height: Math.round(bottom.y + bottom.height + MARGIN - y), scale: 1 };
  const camera = await page.context().newCDPSession(page);
  const startedMs = performance.now();
  const acting = act(page, startedMs);
  /** @type {Frame[]} */
  const frames = [];
  for (let atMs = 0; atMs < FILM_MS; atMs = performance.now() - startedMs) {
    const next = sleep(EVERY_MS);
    const { data } = await camera.send('Page.captureScreenshot', { format: 'png', optimizeForSpeed: true, clip });
    frames.push({ png: data, atMs });
    await next;
  }
  await acting;
  return frames;
}

/** @param {Page} page @param {number} startedMs */
async function act(page, startedMs) {
  for (const [atMs, path, body] of SCRIPT) {
    await sleep(startedMs + atMs - performance.now());
    await control(page, path, body);
  }
}

/** Uses the page's controls as its buttons do. @param {Page} page @param {string} path @param {object} body */
export async function control(page, path, body) {
  const status = await page.evaluate(
    async ([url, text]) =>
      (await fetch(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body: text })).status,
    [`/control/${path}`, JSON.stringify(body)],
  );
  if (status >= 300) throw new Error(`POST /control/${path} answered ${status}`);
}

/* global document, Image */

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
