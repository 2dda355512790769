import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { describeInBrowser, launchChromium } from 'test-support/chromium.js';
import { serveApp } from '../../../test/support/serve-app.js';
import { runCli } from '../support/run-cli.js';

/** @import { Browser, Page } from 'playwright-core' */
/** @import { WhatIf } from 'mongodb-pool-predictor' */

const RECORDINGS = 'lab/test/cli/recordings';

describeInBrowser("the page's what-if and predict, from one recording", () => {
  /** @type {Browser} */
  let browser;
  /** @type {string} */
  let url;
  beforeAll(async () => {
    [browser, url] = await Promise.all([launchChromium(), serveApp({})]);
  });
  afterAll(() => browser?.close());

  /** @param {string} trace what the app says of its last minute */
  async function open(trace) {
    const page = await browser.newPage({ viewport: { width: 390, height: 844 } });
    page.setDefaultTimeout(60_000);
    await page.route('**/pool/trace', (route) => route.fulfill({ body: trace }));
    await page.goto(url);
    return page;
  }

  test.each([
    ['mixed.yaml, with one connection', `${RECORDINGS}/mixed-at-1.jsonl`, 10],
    ['buses and Ferraris', `${RECORDINGS}/buses-at-1.jsonl`, 10],
    ['callers who may wait for their answers', 'examples/ordinary-minute.jsonl', 1],
    ['nobody waits', 'packages/pool-predictor/test/trace/golden/version-3.jsonl', 0],
  ])('%s', async (_, file, atLeast) => {
    const trace = await readFile(file, 'utf8');
    const page = await browser.newPage();
    await page.goto(`${url}/pool`);
    const { poolSizes, routes, doubt } = await askWorker(page, trace);
    expect(poolSizes.length).toBeGreaterThanOrEqual(atLeast);
    if (atLeast === 0) {
      expect(doubt).toBe('notChecked');
    } else {
      const { stdout } = await runCli(['predict', '--trace', file, '--pool-sizes', poolSizes.join(), '--json']);
      const { variants } = JSON.parse(stdout);
      expect(Object.keys(routes).length).toBeGreaterThan(1);
      for (const [route, { figure, predictedMs }] of Object.entries(routes)) {
        expect(predictedMs).toEqual(
          variants.map((/** @type {any} */ { predicted }) => predicted.routes[route][figure]),
        );
      }
    }
    await page.close();
  });

  test('on the page, the slowest /fast of mixed.yaml takes what it takes with 1, 2 and 3 connections', async () => {
    const page = await open(await readFile(`${RECORDINGS}/mixed-at-1.jsonl`, 'utf8'));
    const slider = page.getByRole('slider', { name: 'Try a pool size' });
    for (const [index, seconds] of [20, 6, 2].entries()) {
      const answer = page.getByText(new RegExp(`^With ${index + 1} connections?: `));
      const [, shown] = (await answer.innerText()).match(/\/fast\smax\s([\d.]+)\ss/) ?? [];
      expect(Math.abs(Number(shown) / seconds - 1)).toBeLessThan(0.05 + 0.05 / seconds);
      await slider.press('ArrowRight');
    }
    await page.close();
  });
});

/** What the page's worker says. @param {Page} page @param {string} trace @returns {Promise<WhatIf>} */
async function askWorker(page, trace) {
  const { whatIf } = await page.evaluate(
    (text) =>
      new Promise((resolve) => {
        const worker = new (Reflect.get(globalThis, 'Worker'))('/pool-predictor/predict/prediction-worker.js', {
          type: 'module',
        });
        worker.onmessage = (/** @type {{ data: unknown }} */ { data }) => resolve(data);
        worker.postMessage({ id: 1, trace: text, isNew: true });
      }),
    trace,
  );
  return whatIf;
}
