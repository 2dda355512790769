import { execFile } from 'node:child_process';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll } from '@jest/globals';
import { launchChromium } from 'test-support/chromium.js';
import { scratchFolder } from 'test-support/cleanup.js';

/** @import { Browser, BrowserContextOptions, Page } from 'playwright-core' */

/** Where the playground was built. @type {string} */
export let folder;
/** @type {Browser} */
let browser;
/** Errors, console messages, and requests after that of the page. @type {string[]} */
export const incidents = [];

/** Builds the playground for the file, and opens a browser. */
export function buildOnce() {
  beforeAll(async () => {
    folder = await scratchFolder();
    [browser] = await Promise.all([
      launchChromium(),
      promisify(execFile)(process.execPath, ['scripts/build-playground.js', folder]),
    ]);
  });
  afterAll(() => browser?.close());
}

/**
 * Opens the page from disk.
 * @param {string} [hash]
 * @param {BrowserContextOptions} [options]
 * @returns {Promise<Page>}
 */
export async function openPlayground(hash = '', options) {
  const page = await browser.newPage({ viewport: { width: 1440, height: 900 }, ...options });
  page.setDefaultTimeout(60_000);
  incidents.length = 0;
  const { href } = pathToFileURL(`${folder}/index.html`);
  page.on('console', (message) => incidents.push(message.text()));
  page.on('pageerror', (error) => incidents.push(error.message));
  page.on('request', (request) => {
    if (!request.url().startsWith(href) && !/^(data|blob):/.test(request.url())) incidents.push(request.url());
  });
  await page.goto(href + hash);
  await page.locator('html[data-ready]').waitFor();
  return page;
}

/**
 * The exact figures of a screen's table.
 * @param {Page} page
 * @param {string} id
 * @returns {Promise<Record<string, number>>} by number of lanes
 */
export async function readFigures(page, id) {
  const rows = await page.locator(`#${id} .figures tbody tr`).all();
  return Object.fromEntries(
    await Promise.all(
      rows.map(async (row) => [
        await row.locator('th').innerText(),
        Number(await row.locator('data').first().getAttribute('value')),
      ]),
    ),
  );
}

/** @param {import('playwright-core').Locator} range @param {number} value as if it were dragged there */
export function drag(range, value) {
  return range.evaluate((node, to) => {
    const input = /** @type {HTMLInputElement} */ (node);
    input.value = String(to);
    input.dispatchEvent(new Event('input', { bubbles: true }));
  }, value);
}
