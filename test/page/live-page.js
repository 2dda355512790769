import { afterAll, afterEach, beforeEach, expect } from '@jest/globals';
import axe from 'axe-core';
import { launchChromium } from 'test-support/chromium.js';
import { PoolClient } from 'mongodb-pool-page/client';
import { until } from 'test-support/waiting.js';
import { useControl } from '../support/serve-app.js';
import { startApp } from '../support/start-app.js';

/** @import { Browser, BrowserContextOptions, Page } from 'playwright-core' */

/** The colours of the light theme. The bar that replaces movement is a paler blue. */
export const BUS = /** @type {const} */ ([0x00, 0x72, 0xb2]);
export const HIGHLIGHT = /** @type {const} */ ([0xe6, 0xb4, 0x22]);

/** One for the file. @type {Browser | undefined} */
let browser;
/** @type {Awaited<ReturnType<typeof start>>} */
export let app;
/** @type {Page} */
export let page;
/** @type {string[]} console messages, errors, and requests to other hosts */
export let incidents;

/** Opens an app for each test. `page`, `app` and `incidents` belong to the running test. */
export function openForEachTest() {
  /** Apps that stop while the next test starts another one. @type {Promise<void>[]} */
  const stopping = [];
  beforeEach(async () => {
    app = await start();
  });
  afterEach(async () => {
    stopping.push(app.stop());
    await page.close();
  });
  afterAll(() => Promise.all(stopping));
}

/** @param {Record<string, string>} [settings] */
export async function start(settings) {
  const MONGO_URL = String(process.env.TEST_MONGO_URL);
  const started = startApp({ MONGO_URL, MONGO_POOLSIZE: '1', SHUTDOWN_TIMEOUT_MS: '500', ...settings });
  return { ...started, url: await started.url };
}

/** A page of the file's browser. @param {BrowserContextOptions} [options] @returns {Promise<Page>} */
export async function newPage(options) {
  browser ??= await launchChromium();
  const opened = await browser.newPage({ viewport: { width: 1440, height: 900 }, ...options });
  opened.setDefaultTimeout(60_000);
  return opened;
}

/** @param {BrowserContextOptions} [options] @param {string} [url] */
export async function openPage(options, url = app.url) {
  page = await newPage(options);
  incidents = [];
  page.on('console', (message) => incidents.push(message.text()));
  page.on('pageerror', (error) => incidents.push(error.message));
  page.on('request', (request) => {
    if (!request.url().startsWith(url)) incidents.push(request.url());
  });
  await page.goto(url);
  await page.getByText('Live', { exact: true }).waitFor();
}

/** @param {string} what */
export function send(what) {
  return page.getByRole('button', { name: `Send ${what}` }).click();
}

/**
 * How long the app took until the response head, for a request sent by the page, in ms with one decimal.
 * @param {string} path
 */
export function timeToHead(path) {
  return page.evaluate(async (url) => {
    const response = await fetch(url);
    await response.text();
    return Number(response.headers.get('server-timing')?.match(/total;dur=([\d.]+)/)?.[1]);
  }, path);
}

/**
 * The rightmost pixel of a colour in the tunnel or another canvas, or 0.
 * @param {readonly [red: number, green: number, blue: number]} color
 * @param {string} [selector]
 */
export function findFront(color, selector = '#tunnel') {
  return page.locator(selector).evaluate((node, [red, green, blue]) => {
    const canvas = /** @type {HTMLCanvasElement} */ (node);
    // Reads a copy: the browser warns about frequent reads from an ordinary canvas.
    const copy = canvas.ownerDocument.createElement('canvas');
    Object.assign(copy, { width: canvas.width, height: canvas.height });
    const context = copy.getContext('2d', { willReadFrequently: true });
    context?.drawImage(canvas, 0, 0);
    const data = context?.getImageData(0, 0, copy.width, copy.height).data ?? [];
    let front = 0;
    for (let at = 0; at < data.length; at += 4) {
      const isOfColor = data[at] === red && data[at + 1] === green && data[at + 2] === blue;
      if (isOfColor) front = Math.max(front, (at / 4) % copy.width);
    }
    return front;
  }, color);
}

/** The next request of a route that ends. @param {string} route @param {string} url of the app */
export async function readEnded(route, url) {
  for await (const { finished } of new PoolClient(url).events('pool')) {
    const ended = finished.find((/** @type {{ route: string }} */ request) => request.route === route);
    if (ended) return ended;
  }
  throw new Error('the stream ended');
}

/** The violations that axe finds. */
export async function findFaults() {
  await page.evaluate(axe.source);
  const { violations, passes } = await page.evaluate(() => Reflect.get(globalThis, 'axe').run());
  expect(passes.length).toBeGreaterThan(20);
  return violations.map(summariseViolation);
}

/** @param {import('axe-core').Result} violation */
export function summariseViolation({ id, impact, nodes }) {
  return `${impact}: ${id}: ${nodes.map(({ html }) => html).join(' ')}`;
}

/** @param {import('playwright-core').Locator} locator @param {string[]} properties */
export function readStyle(locator, properties) {
  return locator.evaluate((node, names) => {
    const style = node.ownerDocument.defaultView?.getComputedStyle(node);
    return names.map((name) => String(style?.getPropertyValue(name)));
  }, properties);
}

/** @param {import('playwright-core').Locator} locator of a data element */
export async function readData(locator) {
  return Number(await locator.getAttribute('value'));
}

/** @param {{ poolSize?: number, slowMs?: number }} settings @param {string} [url] of the app */
export async function setPool(settings, url = app.url) {
  for (const [name, value] of Object.entries(settings)) {
    const path = name === 'poolSize' ? 'pool-size' : 'slow-ms';
    const { status, body } = await useControl(url, path, { [name]: value });
    if (status !== 200) throw new Error(`${path} answered ${status}: ${JSON.stringify(body)}`);
  }
}

export async function readPool(url = app.url) {
  return (await fetch(`${url}/pool`)).json();
}

/** @param {() => Promise<boolean>} isSo */
export function pollUntil(isSo) {
  return until(String(isSo), isSo);
}
