import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { describeInBrowser, launchChromium } from '../support/chromium.js';
import { serveApp } from '../support/serve-app.js';

/** @import { Browser, Page } from 'playwright-core' */

const LOAD_TESTS = 'Load tests need Artillery: npm install artillery';
const ALL = { loadTests: true, predictions: true };
const PREDICTIONS = 'Predictions need the package mongodb-pool-predictor: npm install mongodb-pool-predictor';

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
      await route.fulfill({ json: { ...await response.json(), features } });
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
