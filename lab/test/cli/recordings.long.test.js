import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import axe from 'axe-core';
import { describeInBrowser, launchChromium } from 'test-support/chromium.js';
import { scratchFolder } from 'test-support/cleanup.js';
import { serveApp } from '../../../test/support/serve-app.js';
import { expectRefused, runCli } from '../support/run-cli.js';

/** @import { Browser, Page } from 'playwright-core' */
/** @import { WhatIf } from 'mongodb-pool-predictor' */

const folder = await scratchFolder();

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
    ['an ordinary minute, whose callers have sockets', 'examples/ordinary-minute.jsonl', 1],
    ['few requests', 'packages/pool-predictor/test/trace/golden/version-3.jsonl', 0],
  ])('%s', async (_, file, atLeast) => {
    const trace = await readFile(file, 'utf8');
    const page = await browser.newPage();
    await page.goto(`${url}/pool`);
    const { poolSizes, routes, doubt } = await askWorker(page, trace);
    expect(poolSizes.length).toBeGreaterThanOrEqual(atLeast);
    if (atLeast === 0) {
      expect(doubt?.code).toBe('fewRequests');
    } else {
      const { stdout } = await runCli(['predict', '--trace', file, '--pool-sizes', poolSizes.join(), '--json']);
      const { variants } = JSON.parse(stdout);
      expect(Object.keys(routes).length).toBeGreaterThan(1);
      for (const [route, { figure, predicted: shown }] of Object.entries(routes)) {
        /** @type {number[][]} */
        const printed = variants.map((/** @type {any} */ { predicted }) =>
          [predicted, predicted.low, predicted.high].map((figures) => figures.routes[route][figure]),
        );
        // JSON has null for NaN.
        const figures = shown.map(({ ms, lowMs, highMs }) => [ms, lowMs, highMs]);
        expect(JSON.parse(JSON.stringify(figures))).toEqual(printed);
        expect(printed.some(([ms]) => ms !== null)).toBe(true);
      }
    }
    await page.close();
  });

  test('on the page, the slowest /fast of mixed.yaml takes what it takes with 1, 2 and 3 connections', async () => {
    const page = await open(await readFile(`${RECORDINGS}/mixed-at-1.jsonl`, 'utf8'));
    const slider = page.getByRole('slider', { name: 'Try a pool size' });
    // Unasked, it shows the size that is enough: a connection for each of the five users.
    await page.getByText(/^With 5 connections, \/fast would have taken [\d.]+ ms instead of [\d.]+ s\.$/).waitFor();
    await slider.press('Home');
    for (const [index, seconds] of [20, 6, 2].entries()) {
      const answer = page.getByText(new RegExp(`^With ${index + 1} connections?: `));
      // The band of the smallest hides no figure; those of the others are too wide for one.
      const [, low, unit, high = low] =
        (await answer.innerText()).match(/\/fast\smax\s([\d.]+)(?:\s(m?s)\sto\s([\d.]+))?\ss/) ?? [];
      expect(Number(low) / (unit === 'ms' ? 1000 : 1)).toBeLessThanOrEqual(seconds);
      expect(Number(high)).toBeGreaterThanOrEqual(seconds - 0.05);
      await slider.press('ArrowRight');
    }
    await page.close();
  });

  test('which query matters most in a jam is on the page, folded, in the words of doctor', async () => {
    const file = 'examples/ordinary-minute.jsonl';
    const { stdout } = await runCli(['doctor', file]);
    const [sentence = ''] =
      stdout.replaceAll(/\s+/g, ' ').match(/If the queries of \/slow took .*? would have done the same\./) ?? [];
    expect(sentence).toContain('the p95 of /fast would fall from');
    const page = await open(await readFile(file, 'utf8'));
    const summary = page.getByText('Which query matters most?');
    await summary.waitFor();
    const answer = page.getByText(sentence);
    expect(await answer.isVisible()).toBe(false);
    await summary.click();
    await answer.waitFor();
    expect(await page.locator('#speedups tr').allInnerTexts()).toEqual([
      'query\t10 % less\thalf\tnever sent',
      expect.stringMatching(/^the queries of \/slow\t\d+ ms\t[\d.]+ ms\t[\d.]+ ms$/),
      expect.stringMatching(/^the queries of \/fast\t/),
    ]);
    expect(await page.locator('html').evaluate((root) => root.scrollWidth - root.clientWidth)).toBe(0);
    await page.evaluate(axe.source);
    expect((await page.evaluate(() => Reflect.get(globalThis, 'axe').run())).violations).toEqual([]);
    await page.close();
  });
});

/** What the page's worker says. @param {Page} page @param {string} trace @returns {Promise<WhatIf>} */
async function askWorker(page, trace) {
  const { whatIf } = await page.evaluate(
    (text) =>
      new Promise((resolve) => {
        const worker = new (Reflect.get(globalThis, 'Worker'))('/pool-predictor/speedup/prediction-worker.js', {
          type: 'module',
        });
        worker.onmessage = (/** @type {{ data: unknown }} */ { data }) => resolve(data);
        worker.postMessage({ id: 1, trace: text, wanted: 'whatIf' });
      }),
    trace,
  );
  return whatIf;
}

describe('a replay', () => {
  const INCIDENT = 'examples/slow-deploy.jsonl';

  test('a file that only begins as a trace is refused, with its line', async () => {
    const file = path.join(folder, 'broken.jsonl');
    await writeFile(file, '{"trace":"other"}\n');
    await expectRefused(
      ['replay', file, '--out', path.join(folder, 'a.html')],
      /broken\.jsonl, line 1: this is not a trace/,
    );
  });

  describeInBrowser('the replay of an incident: a deploy with a slow route', () => {
    /** @type {Browser} */
    let browser;
    beforeAll(async () => {
      browser = await launchChromium();
    });
    afterAll(() => browser?.close());

    test.each(
      /** @type {const} */ ([
        [1440, 'light'],
        [390, 'dark'],
      ]),
    )('plays as it was, and beneath with another pool, at %i pixels', async (width, colorScheme) => {
      const out = path.join(folder, `${width}.html`);
      const { stdout, stderr } = await runCli(['replay', INCIDENT, '--out', out]);
      expect(stdout).toMatch(/\/recommendations\s+\(find\s+products\)/);
      expect(stderr).toContain(`Replay: ${out}`);
      expect(await readFile(out, 'utf8')).toContain("connect-src 'none'");

      const page = await browser.newPage({ viewport: { width, height: 900 }, colorScheme, reducedMotion: 'reduce' });
      /** @type {string[]} */
      const incidents = [];
      page.on('console', (message) => incidents.push(message.text()));
      page.on('pageerror', (error) => incidents.push(error.message));
      await page.goto(pathToFileURL(out).href);
      await page.getByRole('heading', { name: 'Replay of slow-deploy.jsonl' }).waitFor();
      await page.locator('html[data-ready]').waitFor({ timeout: 60_000 });
      const told = page.locator('.told').filter({ visible: true });
      expect(await told.innerText()).toMatch(
        /^As it was: .* With 8 lanes, the mean wait is [\d.]+( ms)? to [\d.]+ m?s\. In a typical run, up to \d+ wait at once\.$/,
      );

      // Before the deploy nobody waits; after it, all four lanes are taken.
      const [was, other] = [page.locator('#sandbox .caption'), page.locator('#companion figcaption')];
      await scrub(page, 0.2);
      expect(await was.innerText()).toContain('nobody waiting');
      await scrub(page, 0.7);
      const [, waited] = (await was.innerText()).match(/4 in the tunnel, (\d+) waiting/) ?? [];
      const [, waits = '0'] = (await other.innerText()).match(/^With 8 lanes · .*, (\d+|nobody) waiting/) ?? [];
      expect(Number(waited)).toBeGreaterThan(5);
      expect(Number(waits.replace('nobody', '0'))).toBeLessThan(Number(waited) / 2);

      const lanes = page.locator('#sandbox-pool');
      await lanes.fill('4');
      await told.filter({ hasText: 'Drag the lanes to see what another pool would have done.' }).waitFor();
      expect(await other.isVisible()).toBe(false);
      expect(await page.locator('html').evaluate((root) => root.scrollWidth - root.clientWidth)).toBe(0);
      await page.evaluate(axe.source);
      const { violations } = await page.evaluate(() => Reflect.get(globalThis, 'axe').run());
      expect(violations).toEqual([]);
      expect(incidents).toEqual([]);
      await page.close();
    });
  });

  /** @param {import('playwright-core').Page} page @param {number} share of the run */
  function scrub(page, share) {
    return page.locator('#sandbox .time input').fill(String(share));
  }
});
