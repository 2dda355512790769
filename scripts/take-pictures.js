// Takes all pictures of docs/ anew, from the live page in a browser and from the report of a real run. It takes three
// minutes.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { setTimeout as sleep } from 'node:timers/promises';
import { launchChromium } from 'test-support/launch-chromium.js';
import { startApp } from '../lab/harness/app-process.js';
import { startEmbeddedMongo } from '../src/mongo/embedded.js';
import { readSettings } from '../src/settings.js';
import { encodeAnimation, control, FILM_MS, FILM_VIEW, takeFilm } from './pictures/animated-png.js';
import { hashSources } from './pictures/hash-sources.js';

/** @import { Page } from 'playwright-core' */
/** @typedef {'light' | 'dark'} Scheme */

const DOCS = new URL('../docs/', import.meta.url);
/** The film shows 16 s in 8. */
const SPEED = 2;
/** Space below the tunnel, in px. */
const BELOW = 12;
/** @type {[route: string, count: number][]} */
const BUSES = Array.from({ length: 4 }, () => ['/slow', 1]);
/** Four buses, and ten Ferraris behind the last. */
const TRAFFIC = [...BUSES, /** @type {[string, number]} */ (['/fast', 10])];
/** Size of the introduction's pictures, which are for a projector. */
const SLIDE = { width: 1920, height: 1080 };

const mongo = await startEmbeddedMongo(readSettings());
const browser = await launchChromium();
const folder = await mkdtemp(path.join(os.tmpdir(), 'pool-lab-pictures-'));
try {
  const report = await runDemo(folder);
  for (const scheme of /** @type {const} */ (['light', 'dark'])) {
    await filmTunnel(scheme);
    await takeLivePage(scheme);
    await takeBooths(scheme);
    await save(await openPage(scheme, report, { width: 1280, height: 800 }), `report-${scheme}.png`);
  }
  await takeIntroduction(report);
  await writeFile(new URL('pictures.sha256', DOCS), `${await hashSources()}\n`);
} finally {
  await browser.close();
  await mongo.stop();
  await rm(folder, { recursive: true, force: true });
}

/** @param {Scheme} scheme */
async function filmTunnel(scheme) {
  await withApp({ MONGO_POOLSIZE: '1', SLOW_MS: '5000' }, async (url) => {
    const page = await openLivePage(scheme, url, FILM_VIEW);
    const frames = await takeFilm(page);
    await page.goto('about:blank');
    const film = await encodeAnimation(page, frames, { speed: SPEED, endMs: FILM_MS });
    await writeFile(new URL(`tunnel-${scheme}.png`, DOCS), film);
    process.stdout.write(`tunnel-${scheme}.png: ${frames.length} frames, ${Math.round(film.length / 1000)} kB\n`);
    await page.close();
  });
}

/** Slides for an introduction, in its order. @param {string} report */
async function takeIntroduction(report) {
  await mkdir(new URL('introduction/', DOCS), { recursive: true });
  await takeSlide('1-free', 3, BUSES.slice(2), /^2 of 3 lanes busy/);
  await takeSlide('2-jam', 1, TRAFFIC, /^The only lane is busy, 13 waiting/);
  await takeSlide('3-enough', 5, TRAFFIC, /^4 of 5 lanes busy/);
  await save(await openPage('light', report, SLIDE), 'introduction/4-sizes.png');
  await showBooths('light', SLIDE, (booths) => save(booths, 'introduction/5-booths.png'));
}

/** @param {string} name @param {number} lanes @param {typeof TRAFFIC} traffic @param {RegExp} heading of the page */
async function takeSlide(name, lanes, traffic, heading) {
  await withApp({ MONGO_POOLSIZE: String(lanes), SLOW_MS: '5000' }, async (url) => {
    const page = await openLivePage('light', url, SLIDE);
    await sendTraffic(page, traffic);
    await page.getByRole('heading', { name: heading }).waitFor();
    await save(page, `introduction/${name}.png`);
  });
}

/** @param {Page} page @param {[route: string, count: number][]} traffic */
async function sendTraffic(page, traffic) {
  for (const [route, count] of traffic) {
    await control(page, 'traffic', { route, count });
    await sleep(700);
  }
}

/** @param {Scheme} scheme */
async function takeLivePage(scheme) {
  await withApp({ MONGO_POOLSIZE: '3', SLOW_MS: '5000' }, async (url) => {
    const page = await openLivePage(scheme, url, { width: 1280, height: 880 });
    await sendTraffic(page, TRAFFIC);
    await page.getByRole('heading', { name: /^3 of 3 lanes busy, 11 waiting/ }).waitFor();
    await save(page, `page-${scheme}.png`);
  });
}

/** @param {Scheme} scheme */
async function takeBooths(scheme) {
  await showBooths(scheme, { width: 1280, height: 800 }, async (page) => {
    const scene = await page.locator('.scene').first().boundingBox();
    await save(page, `booths-${scheme}.png`, Number(scene?.y) + Number(scene?.height) + BELOW);
  });
}

/**
 * Keeps the server's cores busy until the page says so.
 * @param {Scheme} scheme @param {{ width: number, height: number }} viewport @param {(page: Page) => Promise<void>} use
 */
async function showBooths(scheme, viewport, use) {
  await withApp({ MONGO_POOLSIZE: '64', SLOW_QUERY: 'work', SLOW_MS: '2000' }, async (url) => {
    const page = await openLivePage(scheme, url, viewport);
    await control(page, 'traffic', { route: '/slow', count: 60 });
    await page
      .locator('#verdict')
      .waitFor({ timeout: 60_000 })
      .catch((cause) => {
        throw new Error('the server got too little of the processors: is the machine busy with something else?', {
          cause,
        });
      });
    await use(page);
  });
}

/** @param {Record<string, string>} settings @param {(url: string) => Promise<void>} use */
async function withApp(settings, use) {
  const app = await startApp({ MONGO_URL: mongo.url, ...settings, SHUTDOWN_TIMEOUT_MS: '100' });
  try {
    await use(app.url);
  } finally {
    await app.stop();
  }
}

/** @param {Scheme} scheme @param {string} url @param {{ width: number, height: number }} viewport */
async function openLivePage(scheme, url, viewport) {
  const page = await openPage(scheme, url, viewport);
  await page.getByText('Live', { exact: true }).waitFor();
  return page;
}

/**
 * @param {Scheme} colorScheme @param {string} url @param {{ width: number, height: number }} viewport
 */
async function openPage(colorScheme, url, viewport) {
  // The policy of the pages forbids the style that the film adds.
  const page = await browser.newPage({ viewport, colorScheme, bypassCSP: true });
  await page.goto(url);
  return page;
}

/** @param {Page} page @param {string} name @param {number} [height] default: the viewport's */
async function save(page, name, height) {
  const { width } = /** @type {{ width: number }} */ (page.viewportSize());
  const { length } = await page.screenshot({
    path: fileURLToPath(new URL(name, DOCS)),
    clip: height === undefined ? undefined : { x: 0, y: 0, width, height },
  });
  process.stdout.write(`${name}: ${Math.round(length / 1000)} kB\n`);
  await page.close();
}

/** @param {string} folder @returns {Promise<string>} URL of its report */
async function runDemo(folder) {
  const args = ['lab/cli.js', 'run', 'mixed', '--parallel', '--out', folder];
  const demo = spawn(process.execPath, args, { env: { ...process.env, MONGO_URL: mongo.url }, stdio: 'ignore' });
  const [code] = await once(demo, 'exit');
  if (code !== 0) throw new Error(`the demo ended with exit code ${code}`);
  return pathToFileURL(path.join(folder, 'mixed.html')).href;
}
