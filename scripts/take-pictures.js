// Takes all pictures of docs/ anew, from the live page in a browser and from the report of a real run. It takes two
// minutes.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
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

/** Four buses for three lanes, and ten Ferraris behind the last. @param {Scheme} scheme */
async function takeLivePage(scheme) {
  await withApp({ MONGO_POOLSIZE: '3', SLOW_MS: '5000' }, async (url) => {
    const page = await openLivePage(scheme, url, { width: 1280, height: 880 });
    for (const [route, count] of /** @type {const} */ ([
      ['/slow', 1],
      ['/slow', 1],
      ['/slow', 1],
      ['/slow', 1],
      ['/fast', 10],
    ])) {
      await control(page, 'traffic', { route, count });
      await sleep(700);
    }
    await page.getByRole('heading', { name: /^3 of 3 lanes busy, 11 waiting/ }).waitFor();
    await save(page, `page-${scheme}.png`);
  });
}

/** @param {Scheme} scheme */
async function takeBooths(scheme) {
  await withApp({ MONGO_POOLSIZE: '64', SLOW_QUERY: 'work', SLOW_MS: '2000' }, async (url) => {
    const page = await openLivePage(scheme, url, { width: 1280, height: 800 });
    await control(page, 'traffic', { route: '/slow', count: 60 });
    await page
      .locator('#verdict')
      .waitFor({ timeout: 60_000 })
      .catch((cause) => {
        throw new Error('the server got too little of the processors: is the machine busy with something else?', {
          cause,
        });
      });
    const scene = await page.locator('.scene').first().boundingBox();
    await save(page, `booths-${scheme}.png`, Number(scene?.y) + Number(scene?.height) + BELOW);
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
