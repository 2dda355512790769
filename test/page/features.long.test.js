import { afterEach, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { describeInBrowser } from 'test-support/chromium.js';
import { serveApp } from '../support/serve-app.js';
import {
  app,
  findFaults,
  incidents,
  newPage,
  openForEachTest,
  openPage,
  page,
  pollUntil,
  readPool,
  send,
  setPool,
} from './live-page.js';

/** @import { Page } from 'playwright-core' */

const LOAD_TESTS = 'Load tests need Artillery: run npm install';
const ALL = { loadTests: true, predictions: true };
const PREDICTIONS = 'Predictions need the package mongodb-pool-predictor, which is not installed.';

describeInBrowser('what the live page offers', () => {
  /** @type {string} */
  let url;
  /** @type {Page} */
  let page;
  beforeAll(async () => {
    url = await serveApp({});
  });
  beforeEach(async () => {
    page = await newPage();
  });
  afterEach(() => page.close());

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

describeInBrowser('the live page in use', () => {
  openForEachTest();

  test('the pool grows from 1 to 10 under load, and no request fails', async () => {
    await setPool({ slowMs: 200 });
    await openPage();
    let isOver = false;
    const statuses = Promise.all(
      ['/slow', '/fast', '/fast', '/fast', '/slow', '/fast'].map(async (path) => {
        const seen = [];
        while (!isOver) seen.push((await fetch(app.url + path)).status);
        return seen;
      }),
    );
    await page.getByRole('button', { name: '/fast waits' }).first().waitFor();
    await page.getByText(/^So far: .* because /).waitFor();

    await page.getByRole('button', { name: '10', exact: true }).click();

    await page.getByText('The pool has 10 lanes now.').waitFor();
    await page.getByRole('img', { name: /^The tunnel has 10 lanes/ }).waitFor();
    await page.getByRole('heading', { name: /of 10 lanes busy, nobody is waiting/ }).waitFor();
    // Waits at the size before say nothing about this one.
    await page
      .locator('#diagnosis', { hasText: /^The last minute: / })
      .filter({ hasNotText: 'only connection' })
      .waitFor();
    isOver = true;
    expect(new Set((await statuses).flat())).toEqual(new Set([200]));
    const preset = page.getByRole('button', { name: '10', exact: true });
    expect(await preset.getAttribute('aria-pressed')).toBe('true');
    expect(incidents).toEqual([]);
  });

  test('an invalid pool size shows an error and changes nothing', async () => {
    await openPage();
    const field = page.getByRole('spinbutton', { name: 'Pool size' });
    await field.fill('5000');
    await field.press('Enter');

    await page.locator('#pool-size .problem', { hasText: 'number from 1 to 1000' }).waitFor();
    expect((await readPool()).max).toBe(1);
    expect(await field.inputValue()).toBe('5000');
  });

  test('a pause keeps the picture, and afterwards the page goes on where it was', async () => {
    await openPage();
    await page.getByRole('button', { name: 'Pause' }).click();
    await setPool({ slowMs: 60_000 });
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
    await setPool({ slowMs: 60_000 });
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
