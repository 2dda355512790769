import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from '@jest/globals';
import axe from 'axe-core';
import { describeInBrowser, launchChromium } from 'test-support/chromium.js';
import { serveApp } from '../support/serve-app.js';
import {
  findFaults,
  incidents,
  openForEachTest,
  openPage,
  page,
  pollUntil,
  readPool,
  send,
  setPool,
  start,
} from './live-page.js';

/** @import { Browser, Page } from 'playwright-core' */

const LOAD_TESTS = 'Load tests need Artillery: npm install artillery';
const ALL = { loadTests: true, predictions: true };
const PREDICTIONS = 'Predictions need the package mongodb-pool-predictor, which is not installed.';

describeInBrowser('what the live page offers', () => {
  /** @type {Browser} */
  let browser;
  /** @type {string} */
  let url;
  /** @type {Page} */
  let page;
  beforeAll(async () => {
    [browser, url] = await Promise.all([launchChromium(), serveApp({})]);
  });
  beforeEach(async () => {
    page = await browser.newPage();
    page.setDefaultTimeout(15_000);
  });
  afterEach(() => page.close());
  afterAll(() => browser?.close());

  /** @param {{ loadTests: boolean, predictions: boolean }} features as the app has them */
  async function open(features) {
    await page.route('**/pool', async (route) => {
      const response = await route.fetch();
      await route.fulfill({ json: { ...(await response.json()), features } });
    });
    await page.goto(url);
    // Known once the page has the features.
    await page.locator('#version', { hasText: 'MongoDB' }).waitFor();
  }
  const loadTestButton = () => page.getByRole('button', { name: 'Run mixed.yaml' });

  test('without Artillery and the predictor it says what to install', async () => {
    await open({ loadTests: false, predictions: false });

    await page.getByText(LOAD_TESTS).waitFor();
    expect(await loadTestButton().isDisabled()).toBe(true);
    expect(await page.getByText('Five users').isVisible()).toBe(false);
    await page.getByText(PREDICTIONS).waitFor();
    expect(await page.getByText('Send at least ten requests').isVisible()).toBe(false);
  });

  test('with both it offers everything', async () => {
    await open(ALL);

    await page.getByText('Send at least ten requests').waitFor();
    expect(await loadTestButton().isDisabled()).toBe(false);
    expect(await page.getByText('Five users').isVisible()).toBe(true);
    for (const text of [LOAD_TESTS, PREDICTIONS]) expect(await page.getByText(text).isVisible()).toBe(false);
  });

  test('a predictor whose worker does not load counts as missing', async () => {
    await page.route('**/pool-predictor/**', (route) => route.fulfill({ status: 404, body: '' }));
    await open(ALL);
    await page.getByRole('button', { name: 'Send ten Ferraris' }).click();

    await page.getByText(PREDICTIONS).waitFor();
    expect(await page.getByText('Send at least ten requests').isVisible()).toBe(false);
  });
});

const heading = () => page.locator('#sentence').innerText();
const live = () => page.locator('#back-to-live');

describeInBrowser('the live page in front of a projector', () => {
  openForEachTest();

  test('a pause keeps the picture, and afterwards the page goes on where it was', async () => {
    await openPage();
    await page.getByRole('button', { name: 'Pause' }).click();
    await send('a bus');
    await pollUntil(async () => (await readPool()).active === 1);
    await live()
      .filter({ hasText: /[1-9] s/ })
      .waitFor();
    expect(await heading()).toBe('The only lane is free.');
    expect(await findFaults()).toEqual([]);

    await page.getByRole('button', { name: 'Resume' }).click();
    await page.getByRole('heading', { name: /^The only lane is busy/ }).waitFor();
    await live().click();
    await pollUntil(async () => !(await live().isVisible()));
    expect(incidents).toEqual([]);
  });

  test('in slow motion the page falls behind, and one click brings it back', async () => {
    await openPage();
    const slow = page.getByRole('button', { name: 'Slow motion' });
    await slow.press('Enter');
    expect(await slow.getAttribute('aria-pressed')).toBe('true');
    await live()
      .filter({ hasText: /[1-9] s/ })
      .waitFor();
    await send('a bus');
    await pollUntil(async () => (await readPool()).active === 1);
    expect(await heading()).toBe('The only lane is free.');
    await live().click();
    await page.getByRole('heading', { name: /^The only lane is busy/ }).waitFor();
    expect(await slow.getAttribute('aria-pressed')).toBe('false');
    expect(incidents).toEqual([]);
  });
});

/** @type {import('playwright-core').Browser} */
let browser;
/** @type {Awaited<ReturnType<typeof start>>} */
let app;

describeInBrowser('the prediction for other pool sizes', () => {
  beforeAll(async () => {
    [browser, app] = await Promise.all([launchChromium(), start({ SLOW_MS: '500' })]);
  });
  afterAll(() => Promise.all([browser?.close(), app?.stop()]));

  test('comes from the recent traffic, next to the measured times', async () => {
    const page = await browser.newPage({ viewport: { width: 390, height: 844 } });
    /** @type {string[]} */
    const incidents = [];
    page.on('console', (message) => incidents.push(message.text()));
    page.on('pageerror', (error) => incidents.push(error.message));
    page.setDefaultTimeout(10_000);
    await page.goto(app.url);
    const section = page.getByRole('region', { name: 'What if the pool were larger?' });
    await section.getByText(/^Send at least ten requests/).waitFor();
    const slider = section.getByRole('slider', { name: 'Try a pool size' });
    expect(await slider.count()).toBe(0);

    await bringLoad(5000);
    const current = section.getByText(/^Measured with 1 connection: .*\/fast\s.*, \/slow\s/);
    // After a prediction of a part of the load, the page rests ten times as long as that took.
    await section.getByText(/: 50\s\/fast, 5\s\/slow/).waitFor({ timeout: 60_000 });
    const measuredMs = readMs(await current.innerText());
    const predictedMs = readMs(await section.getByText(/^With 1 connection: /).innerText());
    expect(measuredMs).toBeGreaterThan(200);
    expect(predictedMs).toBeGreaterThan(measuredMs * 0.85);
    expect(predictedMs).toBeLessThan(measuredMs * 1.15);

    await slider.press('End');
    const answer = await section.getByText(/^With 10 connections: \/fast\sp95\s.*, \/slow\s/).innerText();
    expect(readMs(answer)).toBeLessThan(predictedMs / 2);
    expect(await slider.getAttribute('aria-valuetext')).toBe(answer.trim());
    await slider.press('ArrowLeft');
    await section.getByText(/^With 9 connections: /).waitFor();

    const excess = await page.locator('html').evaluate((root) => root.scrollWidth - root.clientWidth);
    expect(excess).toBe(0);
    await page.evaluate(axe.source);
    const { violations } = await page.evaluate(() => Reflect.get(globalThis, 'axe').run('#what-if'));
    expect(violations).toEqual([]);
    expect(incidents).toEqual([]);
  });
});

/** A bus and ten Ferraris a second, each on its own socket: nobody waits for answers. @param {number} durationMs */
async function bringLoad(durationMs) {
  const requests = [];
  for (let atMs = 0, startMs = performance.now(); atMs < durationMs; atMs += 100) {
    await new Promise((resolve) => {
      setTimeout(resolve, startMs + atMs - performance.now());
    });
    for (const route of atMs % 1000 === 0 ? ['/fast', '/slow'] : ['/fast'])
      requests.push(fetch(app.url + route, { headers: { connection: 'close' } }));
  }
  const responses = await Promise.all(requests);
  expect(responses.map(({ status }) => status)).toEqual(responses.map(() => 200));
}

/** The first time in a text such as `/fast p95 2.3 ms, /slow p95 5.0 s`. @param {string} text */
function readMs(text) {
  const [, value, unit] = text.match(/([\d.,]+)\s(ms|s)\b/) ?? [];
  return Number(value) * (unit === 's' ? 1000 : 1);
}

describeInBrowser('the load test on the page', () => {
  openForEachTest();

  test('mixed.yaml runs while somebody changes the pool, and its result remains on the page', async () => {
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
    const summary = page.getByText(
      new RegExp(`^With a pool of 3 \\(${changes.source}\\), the slowest .*; no request failed\\.$`),
    );
    await summary.waitFor({ state: 'attached' });
    await page.reload();
    await row.waitFor();
    await page.getByRole('cell', { name: changes }).waitFor();
    expect(incidents).toEqual([]);
  });
});
