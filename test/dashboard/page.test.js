import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from '@jest/globals';
import axe from 'axe-core';
import { startApp } from '../../src/bench/app-process.js';
import { describeInBrowser, launchChromium } from '../support/chromium.js';
import { measureUntil } from '../support/measure-until.js';
import { startMongod } from '../support/mongod-process.js';
import { readEvents } from '../support/read-events.js';
import { until } from '../support/until.js';

/** @import { Browser, BrowserContextOptions, Page } from 'playwright-core' */

/** The colours of the light theme; the bar that stands for movement is a paler blue. */
const BUS = /** @type {const} */ ([0x00, 0x72, 0xb2]);
const HIGHLIGHT = /** @type {const} */ ([0xe6, 0xb4, 0x22]);

/** @type {Browser} */
let browser;
/** @type {Awaited<ReturnType<typeof startApp>>} */
let app;
/** @type {Page} */
let page;
/** @type {string[]} what the page complained about, and what it asked of others */
let incidents;

describeInBrowser('the live page of the real app', () => {
  /** Apps take as long to stop as their last bus drives; the next test has an app of its own and need not wait. */
  /** @type {Promise<void>[]} */
  const stopping = [];
  beforeAll(async () => {
    browser = await launchChromium();
  });
  beforeEach(async () => {
    app = await start();
  });
  afterEach(async () => {
    stopping.push(app.stop());
    await page.close();
  });
  afterAll(() => Promise.all([browser?.close(), ...stopping]));

  test('a Ferrari waits behind a bus, and the page says how long and for whom', async () => {
    await openPage();
    await send('a bus');
    await page.getByRole('img', { name: 'The tunnel has 1 lane: 1 with a bus' }).waitFor();
    const ended = readEnded('/fast');
    const toHead = timeToHead('/fast');
    const waiting = page.getByRole('button', { name: '/fast waits behind /slow' });
    await page.getByRole('heading', { name: /^The only lane is busy, 1 waiting, for \d\.\d s\.$/ }).waitFor();

    const seconds = async () => Number.parseFloat((await waiting.innerText()).split('for')[1]);
    const early = await seconds();
    await waiting.focus();
    await page.getByText(/^\/fast has waited \d+\.\d s behind \/slow$/).waitFor();
    await pollUntil(async () => await findFront(HIGHLIGHT) > 0);
    await pollUntil(async () => await seconds() >= early + 0.5);

    const note = page.locator('#notes li');
    await note.waitFor();
    expect(await note.innerText()).toMatch(/^\/fast took \d\.\d s, \d\.\d s of it waiting behind \/slow$/);
    const { totalMs, waitMs } = await ended;
    expect(waitMs).toBeGreaterThan(1000);
    expect(totalMs).toBeGreaterThanOrEqual(waitMs);
    expect(totalMs).toBeGreaterThan(await toHead - 0.1);
    expect(await readData(note.locator('data'))).toBe(totalMs);
    const inChart = page.locator('#latency-chart data').first();
    await pollUntil(async () => await readData(inChart) > 0);
    expect(await readData(inChart)).toBe(totalMs);
    expect(incidents).toEqual([]);
  });

  test('the pool grows from 1 to 10 under load, and no request fails', async () => {
    await setPool({ slowMs: 200 });
    await openPage();
    let isOver = false;
    const statuses = Promise.all(['/slow', '/fast', '/fast', '/fast', '/slow', '/fast'].map(async (path) => {
      const seen = [];
      while (!isOver) seen.push((await fetch(app.url + path)).status);
      return seen;
    }));
    await page.getByRole('button', { name: '/fast waits' }).first().waitFor();

    await page.getByRole('button', { name: '10', exact: true }).click();

    await page.getByText('The pool has 10 lanes now.').waitFor();
    await page.getByRole('img', { name: /^The tunnel has 10 lanes/ }).waitFor();
    await page.getByRole('heading', { name: /of 10 lanes busy, nobody is waiting/ }).waitFor();
    isOver = true;
    const all = (await statuses).flat();
    expect(all.length).toBeGreaterThan(20);
    expect(new Set(all)).toEqual(new Set([200]));
    const preset = page.getByRole('button', { name: '10', exact: true });
    expect(await preset.getAttribute('aria-pressed')).toBe('true');
    expect(incidents).toEqual([]);
  });

  test('ten Ferraris queue up, and what does not fit is counted', async () => {
    await openPage({ viewport: { width: 390, height: 844 } });
    await send('a bus');
    await page.getByRole('heading', { name: /^The only lane is busy, nobody is waiting/ }).waitFor();
    await send('ten Ferraris');

    await page.getByRole('heading', { name: /busy, 10 waiting, the longest for/ }).waitFor();
    const shown = page.getByRole('button', { name: '/fast waits' });
    await pollUntil(async () => await shown.count() > 0);
    const more = Number.parseInt((await page.locator('.rest').innerText()).slice(1), 10);
    expect(await shown.count() + more).toBe(10);
  });

  test.each([320, 390, 768, 1440])('at %i pixels the controls stay where they are, whatever drives', async (width) => {
    await openPage({ viewport: { width, height: 900 } });
    const top = async () => page.locator('#controls').evaluate((node) => (
      node.getBoundingClientRect().top - node.ownerDocument.body.getBoundingClientRect().top));
    const atFirst = await top();
    await send('a bus');
    await send('ten Ferraris');
    await page.getByRole('heading', { name: /busy, 10 waiting, the longest for/ }).waitFor();
    expect(await top()).toBeCloseTo(atFirst, 0);
    await page.getByRole('button', { name: '/fast waits' }).first().focus();
    await page.getByText(/^\/fast has waited/).waitFor();
    expect(await top()).toBeCloseTo(atFirst, 0);
    await page.locator('#notes li').first().waitFor();
    expect(await top()).toBeCloseTo(atFirst, 0);
  });

  test('buses with a pool of their own have a tunnel of their own, and Ferraris drive past', async () => {
    const other = await start({ MONGO_POOLSIZE: '2', SLOW_POOLSIZE: '1' });
    try {
      await openPage({ viewport: { width: 390, height: 844 } }, other.url);
      await send('a bus');
      await send('a bus');
      await page.getByRole('heading', { name: /^The buses have a pool of their own\. The only lane is busy, 1 waiting, for \d+\.\d s\.$/ }).waitFor();
      await page.getByRole('heading', { name: 'All 2 lanes are free.' }).waitFor();
      await timeToHead('/fast');
      expect((await readPool(other.url)).slowPool).toMatchObject({ active: 1, waiting: 1 });
      // Where it pressed the button, the queue may come under the pointer.
      await page.mouse.move(0, 0);
      await page.getByRole('button', { name: '/slow waits behind /slow' }).focus();
      await page.getByText(/^\/slow has waited \d+\.\d s behind \/slow$/).waitFor();
      await page.getByText(/^No prediction/).waitFor();
      expect(await page.locator('html').evaluate((root) => root.scrollWidth - root.clientWidth)).toBe(0);
      expect(await findFaults()).toEqual([]);
      expect(incidents).toEqual([]);
    } finally {
      await other.stop();
    }
  });

  test('a wrong pool size is refused in words, and changes nothing', async () => {
    await openPage();
    const field = page.getByRole('spinbutton', { name: 'Pool size' });
    await field.fill('5000');
    await field.press('Enter');

    await page.locator('#pool-size .problem', { hasText: 'whole number from 1 to 1000' }).waitFor();
    expect((await readPool()).max).toBe(1);
    expect(await field.inputValue()).toBe('5000');
  });

  test('mixed.yaml runs while somebody changes the pool, and its result stays on the page', async () => {
    await setPool({ poolSize: 3, slowMs: 300 });
    await openPage();
    await page.getByRole('button', { name: 'Run mixed.yaml' }).click();
    await page.getByRole('progressbar', { name: 'Progress of the load test' }).waitFor();
    await page.getByRole('button', { name: '10', exact: true }).click();
    await page.getByText('The pool has 10 lanes now.').waitFor();
    const changes = /changed during the test: the pool size to 10 after \d+\.\d s/;
    await page.getByText(new RegExp(`^running; ${changes.source}$`)).waitFor();

    const row = page.getByRole('row', { name: /^3 \d+ ms/ });
    await row.waitFor({ timeout: 60_000 });
    expect(await row.getByRole('cell').nth(1).innerText()).toBe('–');
    expect(await row.getByRole('cell').nth(3).innerText()).toBe('10');
    expect(await row.getByRole('cell').nth(4).innerText()).toBe('0');
    const told = page.getByText(new RegExp(`^With a pool of 3 \\(${changes.source}\\), the slowest .*; no request failed\\.$`));
    await told.waitFor({ state: 'attached' });
    await page.reload();
    await row.waitFor();
    await page.getByRole('cell', { name: changes }).waitFor();
    expect(incidents).toEqual([]);
  });

  test('what the pointer is on does not look like what is selected', async () => {
    await openPage();
    const [selected, other] = ['1', '3'].map((name) => page.getByRole('button', { name, exact: true }));
    const lookOf = (/** @type {typeof other} */ button) => (
      readStyle(button, ['background-color', 'color']));
    await page.locator('#pool-size [aria-pressed=true]').waitFor();
    const atRest = await lookOf(other);
    await other.hover();

    const [hovered, pressed] = [await lookOf(other), await lookOf(selected)];
    expect(hovered).not.toEqual(atRest);
    expect(hovered[0]).not.toBe(pressed[0]);
    expect(hovered[1]).not.toBe(pressed[1]);
    await selected.hover();
    expect(await lookOf(selected)).toEqual(pressed);
  });

  test('a window too small for any lane is no error', async () => {
    await openPage({ viewport: { width: 60, height: 40 } });
    await page.getByRole('img', { name: /1 open$/ }).waitFor();
    await page.locator('#tunnel').evaluate((node) => new Promise((resolve) => {
      node.ownerDocument.defaultView?.requestAnimationFrame(resolve);
    }));
    expect(incidents).toEqual([]);
  });

  test('it says so when MongoDB is gone, tells of what fails, and is live again when it is back', async () => {
    const mongod = await startMongod();
    const other = await start({
      MONGO_URL: `mongodb://127.0.0.1:${mongod.port}`, MONGO_SERVER_SELECTION_TIMEOUT_MS: '500',
    });
    try {
      await openPage({}, other.url);
      await page.getByRole('heading', { name: 'The only lane is free.' }).waitFor();
      await mongod.kill('SIGKILL');
      await page.getByRole('heading', { name: 'MongoDB is unreachable, requests fail.' }).waitFor();
      await page.getByText(/^The app answers, but MongoDB does not/).waitFor();
      await page.getByRole('img', { name: /: 1 closed$/ }).waitFor();
      await send('a Ferrari');
      await page.getByText(/^Sent\. It fails/).waitFor();
      await page.getByText(/^\/fast failed with status 503 after \d+ ms$/).waitFor();
      expect(await findFaults()).toEqual([]);

      await mongod.start();
      await page.getByText('Live', { exact: true }).waitFor();
      await page.getByRole('heading', { name: 'The only lane is free.' }).waitFor();
    } finally {
      await other.stop();
    }
  });

  test.each([
    ['off', /^This page only watches/], ['on', /^SLOW_MS, 1 to/],
  ])('with its controls %s it says so', async (controls, text) => {
    const other = await start({ CONTROLS: controls });
    try {
      await openPage({}, other.url);
      await page.getByText(text).waitFor();
      expect(await page.getByRole('button', { name: 'Send a bus' }).count()).toBe(controls === 'on' ? 1 : 0);
    } finally {
      await other.stop();
    }
  });

  test.each([3, 100, 1000])('a bus is seen on %i lanes', async (poolSize) => {
    await setPool({ poolSize });
    await openPage();
    await send('a bus');

    const lanes = `The tunnel has ${poolSize} lanes: 1 with a bus`;
    await page.getByRole('img', { name: new RegExp(`^${lanes}`) }).waitFor();
    await pollUntil(async () => await findFront(BUS) > 0);
    expect(incidents).toEqual([]);
  });

  test('it is light and on the screen at once', async () => {
    const paintedAtMs = await measureUntil(async () => {
      await openPage();
      const { bytes, paintMs } = await page.evaluate(() => {
        const entries = performance.getEntries();
        return {
          bytes: entries.reduce((sum, entry) => sum + (Reflect.get(entry, 'encodedBodySize') ?? 0), 0),
          paintMs: entries.find(({ name }) => name === 'first-contentful-paint')?.startTime,
        };
      });
      expect(bytes).toBeGreaterThan(200_000);
      expect(bytes).toBeLessThan(1_500_000);
      return Number(paintMs);
    }, (ms) => ms < 1000);
    expect(paintedAtMs).toBeLessThan(1000);
    expect(incidents).toEqual([]);
  });

  test.each([390, 768, 1440, 2560])('nothing sticks out at a width of %i pixels', async (width) => {
    await openPage({ viewport: { width, height: 900 } });
    await send('a bus');
    await send('ten Ferraris');
    await page.getByRole('heading', { name: /10 waiting/ }).waitFor();

    await page.getByText('10 are waiting now.').waitFor();
    const times = page.locator('#queue .large button');
    expect(await times.count()).toBeGreaterThan(0);
    for (const time of await times.all()) {
      expect(await time.innerText()).toMatch(/\d\.\d s$/);
      expect(Number.parseFloat((await readStyle(time, ['font-size']))[0])).toBeGreaterThan(28);
    }
    const excess = await page.locator('html').evaluate((root) => root.scrollWidth - root.clientWidth);
    expect(excess).toBe(0);
    for (const part of ['#sentence', '.what', '#queue', '#tunnel', '#pool-size', '#latency-chart canvas']) {
      const box = await page.locator(part).boundingBox();
      expect(box?.width).toBeGreaterThan(100);
      expect((box?.x ?? 0) + (box?.width ?? Infinity)).toBeLessThanOrEqual(width);
    }
  });

  test.each(/** @type {const} */ ([['no-preference', true], ['reduce', false]]))(
    'with a wish for motion of "%s", that a bus moves is %s', async (reducedMotion, moves) => {
      await openPage({ reducedMotion });
      await send('a bus');
      await pollUntil(async () => await findFront(BUS) > 0);
      const x = await findFront(BUS);
      await pollUntil(async () => (await readPool()).lanes[0].busyMs > 1500);

      expect(await findFront(BUS) > x).toBe(moves);
    });

  test.each(/** @type {const} */ (['light', 'dark']))('axe finds no fault in the %s', async (colorScheme) => {
    await openPage({ colorScheme });
    await send('a bus');
    await send('ten Ferraris');
    // The queue stands still now, so that the pointer meets who it aims at.
    await page.getByRole('heading', { name: /10 waiting/ }).waitFor();
    await page.getByRole('button', { name: '/fast waits' }).first().hover();
    await page.getByText(/^\/fast has waited/).waitFor();

    expect(await findFaults()).toEqual([]);
  });

  test('it says so when the app is gone, and catches up when it is back', async () => {
    const other = await start();
    const port = new URL(other.url).port;
    await openPage({}, other.url);
    await other.stop();
    await page.getByText('The app does not answer. The page shows its last state and keeps trying.').waitFor();

    const again = await start({ PORT: port, MONGO_POOLSIZE: '3' });
    try {
      await page.getByText('Live', { exact: true }).waitFor();
      await page.getByRole('img', { name: /^The tunnel has 3 lanes/ }).waitFor();
    } finally {
      await again.stop();
    }
  });
});

/** @param {Record<string, string>} [settings] */
function start(settings) {
  const MONGO_URL = String(process.env.TEST_MONGO_URL);
  return startApp({ MONGO_URL, MONGO_POOLSIZE: '1', ...settings });
}

/**
 * @param {BrowserContextOptions} [options]
 * @param {string} [url]
 */
async function openPage(options, url = app.url) {
  page = await browser.newPage({ viewport: { width: 1440, height: 900 }, ...options });
  page.setDefaultTimeout(15_000);
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
function send(what) {
  return page.getByRole('button', { name: `Send ${what}` }).click();
}

/**
 * How long the head of an answer took to a request that the page itself sends, in ms with one decimal.
 * @param {string} path
 */
function timeToHead(path) {
  return page.evaluate(async (url) => {
    const response = await fetch(url);
    await response.text();
    return Number(response.headers.get('server-timing')?.match(/total;dur=([\d.]+)/)?.[1]);
  }, path);
}

/**
 * The rightmost pixel of a colour in the picture of the tunnel, 0 where there is none.
 * @param {readonly [red: number, green: number, blue: number]} color
 */
function findFront(color) {
  return page.locator('#tunnel').evaluate((node, [red, green, blue]) => {
    const canvas = /** @type {HTMLCanvasElement} */ (node);
    // Read from a copy: the browser warns of reading often from a canvas that was not made for it.
    const copy = canvas.ownerDocument.createElement('canvas');
    Object.assign(copy, { width: canvas.width, height: canvas.height });
    const context = copy.getContext('2d', { willReadFrequently: true });
    context?.drawImage(canvas, 0, 0);
    const data = context?.getImageData(0, 0, copy.width, copy.height).data ?? [];
    let front = 0;
    for (let at = 0; at < data.length; at += 4) {
      const isOfColor = data[at] === red && data[at + 1] === green && data[at + 2] === blue;
      if (isOfColor) front = Math.max(front, at / 4 % copy.width);
    }
    return front;
  }, color);
}

/**
 * The next request of a route that ends, as the app tells of it.
 * @param {string} route
 */
async function readEnded(route) {
  for await (const { finished } of readEvents(app.url, 'pool')) {
    const ended = finished.find((/** @type {{ route: string }} */ request) => request.route === route);
    if (ended) return ended;
  }
  throw new Error('the stream ended');
}

/** What axe finds wrong with the page. */
async function findFaults() {
  await page.evaluate(axe.source);
  const { violations, passes } = await page.evaluate(() => Reflect.get(globalThis, 'axe').run());
  expect(passes.length).toBeGreaterThan(20);
  return violations.map(summariseViolation);
}

/** @param {import('axe-core').Result} violation */
function summariseViolation({ id, impact, nodes }) {
  return `${impact}: ${id}: ${nodes.map(({ html }) => html).join(' ')}`;
}

/**
 * @param {import('playwright-core').Locator} locator
 * @param {string[]} properties
 */
function readStyle(locator, properties) {
  return locator.evaluate((node, names) => {
    const style = node.ownerDocument.defaultView?.getComputedStyle(node);
    return names.map((name) => String(style?.getPropertyValue(name)));
  }, properties);
}

/** @param {import('playwright-core').Locator} locator of a data element */
async function readData(locator) {
  return Number(await locator.getAttribute('value'));
}

/** @param {{ poolSize?: number, slowMs?: number }} settings */
async function setPool(settings) {
  for (const [name, value] of Object.entries(settings)) {
    const path = name === 'poolSize' ? 'pool-size' : 'slow-ms';
    const response = await fetch(`${app.url}/control/${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', origin: app.url },
      body: JSON.stringify({ [name]: value }),
    });
    if (!response.ok) throw new Error(`${path} answered ${response.status}: ${await response.text()}`);
  }
}

async function readPool(url = app.url) {
  return (await fetch(`${url}/pool`)).json();
}

/** @param {() => Promise<boolean>} isSo */
function pollUntil(isSo) {
  return until(String(isSo), isSo);
}
