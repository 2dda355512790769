// The page shows a verdict about the server's cores, so no other test may use them meanwhile: this one runs alone.
import { availableParallelism } from 'node:os';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { describeInBrowser, launchChromium } from 'test-support/chromium.js';
import { start } from './live-page.js';

/** @import { Browser, Page } from 'playwright-core' */

/** So many that a query takes many times longer than alone, however slow the machine was when that was measured. */
const WORKING = Math.min(64, 12 * availableParallelism());
const SLEEPING = 64;
const VERDICT = /^The server is the bottleneck: \d+ queries share \d+ cores?\. More connections will not help\.$/;

describeInBrowser('a pool of 64, larger than the server', () => {
  /** @type {Browser} */
  let browser;
  /** @type {Awaited<ReturnType<typeof start>>[]} */
  let apps;
  beforeAll(async () => {
    [browser, ...apps] = await Promise.all([
      launchChromium(),
      start({ MONGO_POOLSIZE: '64', SLOW_QUERY: 'work', SLOW_MS: '50' }),
      start({ MONGO_POOLSIZE: '64', SLOW_QUERY: 'sleep', SLOW_MS: '1000' }),
    ]);
  });
  afterAll(() => Promise.all([browser?.close(), ...(apps ?? []).map((app) => app.stop())]));

  test('the page says that the server is the bottleneck if queries work, not if they sleep beside them', async () => {
    const [working, sleeping] = await Promise.all(apps.map(({ url }) => openPage(url)));
    let isOver = false;
    /** @param {string} url */
    const call = async (url) => {
      while (!isOver) expect((await fetch(url)).status).toBe(200);
    };
    const callers = [WORKING, SLEEPING].flatMap((count, index) => [
      ...Array.from({ length: count }, () => call(`${apps[index].url}/slow`)),
      call(`${apps[index].url}/fast`),
    ]);
    try {
      await working.locator('#verdict strong', { hasText: VERDICT }).waitFor();
      expect(await sleeping.locator('#verdict').isVisible()).toBe(false);
      // The explanation, or on a narrow page what the doctor says in its place.
      expect(await sleeping.locator('.what').isVisible()).toBe(true);
      expect(await working.locator('.what').isVisible()).toBe(false);
      await sleeping.getByRole('heading', { name: /^\d\d+ of 64 lanes busy/ }).waitFor();
    } finally {
      isOver = true;
      await Promise.all(callers);
    }
    const { cores } = await (await fetch(`${apps[0].url}/pool/server`)).json();
    for (const page of [working, sleeping]) {
      await page.getByText(new RegExp(`^MongoDB, ${cores}\\scores?(, [\\d.]+\\sbusy)?$`)).waitFor();
      expect(await page.locator('#server .booths svg').count()).toBe(Math.min(cores, 16));
    }
  });

  /** @param {string} url @returns {Promise<Page>} */
  async function openPage(url) {
    // Painting each frame without a graphics card would take the CPU time that the server needs.
    const page = await browser.newPage({ viewport: { width: 800, height: 600 }, reducedMotion: 'reduce' });
    page.setDefaultTimeout(60_000);
    await page.goto(url);
    await page.getByText('Live', { exact: true }).waitFor();
    return page;
  }
});
