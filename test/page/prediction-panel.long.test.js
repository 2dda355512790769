import { afterAll, beforeAll, expect, test } from '@jest/globals';
import axe from 'axe-core';
import { startApp } from '../../src/harness/app-process.js';
import { describeInBrowser, launchChromium } from '../support/chromium.js';

/** @type {import('playwright-core').Browser} */
let browser;
/** @type {Awaited<ReturnType<typeof startApp>>} */
let app;

describeInBrowser('the prediction for other pool sizes', () => {
  beforeAll(async () => {
    const MONGO_URL = String(process.env.TEST_MONGO_URL);
    [browser, app] = await Promise.all([
      launchChromium(), startApp({ MONGO_URL, MONGO_POOLSIZE: '1', SLOW_MS: '500' }),
    ]);
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
    const current = section.getByText(/^Measured with 1 connection: \/fast\s.*, \/slow\s/);
    await section.getByText(/: 50\s\/fast and 5\s\/slow,/).waitFor();
    const measuredMs = readMs(await current.innerText());
    const predictedMs = readMs(await section.getByText(/^With 1 connection: /).innerText());
    expect(measuredMs).toBeGreaterThan(200);
    expect(predictedMs).toBeGreaterThan(measuredMs / 3);
    expect(predictedMs).toBeLessThan(measuredMs * 3);

    await slider.press('End');
    const answer = await section.getByText(/^With 10 connections: \/fast\sp95\s.*, \/slow\s/).innerText();
    // With a connection for each request there is no wait. The histogram adds an error of 0.4 %.
    expect(readMs(answer)).toBeLessThan(1.01 * await findSlowest('/fast'));
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

/** A bus and ten Ferraris a second. @param {number} durationMs */
async function bringLoad(durationMs) {
  const requests = [];
  for (let atMs = 0, startMs = performance.now(); atMs < durationMs; atMs += 100) {
    await new Promise((resolve) => { setTimeout(resolve, startMs + atMs - performance.now()); });
    requests.push(fetch(`${app.url}/fast`));
    if (atMs % 1000 === 0) requests.push(fetch(`${app.url}/slow`));
  }
  const responses = await Promise.all(requests);
  expect(responses.map(({ status }) => status)).toEqual(responses.map(() => 200));
}

/** How long the slowest query of a route had its connection. @param {string} route */
async function findSlowest(route) {
  const { services } = await (await fetch(`${app.url}/pool`)).json();
  return Math.max(...services[route].valuesMs);
}

/** The first time in a text such as `/fast p95 2.3 ms, /slow p95 5.0 s`. @param {string} text */
function readMs(text) {
  const [, value, unit] = text.match(/([\d.,]+)\s(ms|s)\b/) ?? [];
  return Number(value) * (unit === 's' ? 1000 : 1);
}
