import { setTimeout as sleep } from 'node:timers/promises';

/** @import { Page } from 'playwright-core' */
/** @import { Frame } from './animated-png.js' */

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
  .scene { --scene: 260px; grid-template: minmax(0, 1fr) / auto minmax(0, 42fr) minmax(0, 58fr) !important; height: var(--scene) !important; }
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
