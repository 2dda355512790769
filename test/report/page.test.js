import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';
import { renderHtml } from '../../src/report/html.js';
import { describeInBrowser, launchChromium } from '../support/chromium.js';
import { mixed } from '../../src/labs/mixed.js';
import { createSampleResult } from './sample-result.js';

/** @import { Browser, Page } from 'playwright-core' */

/** @type {Browser} */
let browser;
/** @type {string} */
let folder;
/** @type {Page} */
let page;
/** @type {string[]} what the page asked for, and what it complained about */
let incidents;

beforeAll(async () => {
  [browser, folder] = await Promise.all([launchChromium(), mkdtemp(join(tmpdir(), 'pool-lab-report-'))]);
});
afterEach(() => page.close());
afterAll(async () => {
  await browser?.close();
  await rm(folder, { recursive: true });
});

/**
 * Opens a report from disk, with the network off.
 * @param {Parameters<typeof renderHtml>[0]} entries
 * @param {import('playwright-core').BrowserContextOptions} [options]
 */
async function openReport(entries, options) {
  const path = join(folder, 'report.html');
  await writeFile(path, renderHtml(entries));
  page = await browser.newPage({ offline: true, ...options });
  incidents = [];
  page.on('console', (message) => incidents.push(message.text()));
  page.on('pageerror', (error) => incidents.push(error.message));
  page.on('request', (request) => {
    if (!/^(file|data|blob):/.test(request.url())) incidents.push(request.url());
  });
  await page.goto(pathToFileURL(path).href);
}

/**
 * How much of the first chart is painted in a colour, in the next frame: changes of media are told before it.
 * @param {[red: number, green: number, blue: number]} color
 */
function countPixels(color) {
  return page.locator('canvas').first().evaluate(async (node, [red, green, blue]) => {
    const chart = /** @type {HTMLCanvasElement} */ (node);
    await new Promise((resolve) => { chart.ownerDocument.defaultView?.requestAnimationFrame(resolve); });
    // Read from a copy: the browser warns of reading often from a canvas that was not made for it.
    const copy = chart.ownerDocument.createElement('canvas');
    Object.assign(copy, { width: chart.width, height: chart.height });
    const context = copy.getContext('2d', { willReadFrequently: true });
    context?.drawImage(chart, 0, 0);
    const data = context?.getImageData(0, 0, copy.width, copy.height).data ?? [];
    let count = 0;
    for (let at = 0; at < data.length; at += 4) {
      if (data[at] === red && data[at + 1] === green && data[at + 2] === blue) count += 1;
    }
    return count;
  }, color);
}

/** @type {[number, number, number]} */
const BLUE = [0x00, 0x72, 0xb2];
/** @type {[number, number, number]} */
const SKY_BLUE = [0x56, 0xb4, 0xe9];

describeInBrowser('in a browser without a network', () => {
  const entries = () => [{ lab: mixed, result: createSampleResult() }];

  test('the chart is drawn in the colours of the theme, and drawn anew when the theme changes', async () => {
    await openReport(entries(), { colorScheme: 'light' });
    expect(await countPixels(BLUE)).toBeGreaterThan(1000);
    expect(await countPixels(SKY_BLUE)).toBe(0);

    await page.emulateMedia({ colorScheme: 'dark' });
    expect(await countPixels(SKY_BLUE)).toBeGreaterThan(1000);

    await page.emulateMedia({ colorScheme: 'dark', media: 'print' });
    expect(await countPixels(BLUE)).toBeGreaterThan(1000);
    expect(incidents).toEqual([]);
  });

  test('it opens in the dark', async () => {
    await openReport(entries(), { colorScheme: 'dark' });

    expect(await countPixels(SKY_BLUE)).toBeGreaterThan(1000);
    expect(incidents).toEqual([]);
  });

  test.each([390, 768, 1440, 2560])('nothing sticks out at a width of %i pixels', async (width) => {
    await openReport(entries(), { viewport: { width, height: 900 } });

    const excess = await page.locator('html').evaluate((root) => root.scrollWidth - root.clientWidth);
    expect(excess).toBe(0);
    const chart = await page.locator('canvas').boundingBox();
    expect(chart?.width).toBeGreaterThan(300);
  });

  test('the question, the answer, the chart and how to read it are on the first screen', async () => {
    await openReport(entries(), { viewport: { width: 1440, height: 900 } });

    for (const part of ['.question', '.takeaway', 'canvas', '.how-to-read']) {
      const box = await page.locator(part).boundingBox();
      expect((box?.y ?? Infinity) + (box?.height ?? 0)).toBeLessThanOrEqual(900);
    }
  });

  test('the chart has a text in its place', async () => {
    await openReport(entries());

    await page.getByRole('img', { name: /1 connection: Slowest request of all 21\.1 s/ }).waitFor();
    await page.getByText('The chart in figures').click();
    await page.getByRole('cell', { name: '20.1 s' }).waitFor();
  });

  test('the result that it carries can be downloaded whole', async () => {
    const result = createSampleResult({ warnings: ['</script><!-- & "quoted"'] });
    await openReport([{ lab: mixed, result }]);

    const [download] = await Promise.all([
      page.waitForEvent('download'), page.getByRole('button', { name: 'Download the result' }).click(),
    ]);

    expect(download.suggestedFilename()).toBe('mixed-2026-11-20T14-22-05-120Z.json');
    expect(JSON.parse(await readFile(await download.path(), 'utf8'))).toEqual(result);
  });

  test('hostile text runs nothing, and neither would a script that got in', async () => {
    const hostile = '</script><script>console.log("in")</script><img src=x onerror="console.log(1)">';
    await openReport([{
      lab: { ...mixed, title: hostile, takeaway: () => hostile },
      result: createSampleResult({ warnings: [hostile], settings: { [hostile]: hostile } }),
    }]);
    expect(incidents).toEqual([]);
    expect(await page.locator('h2').textContent()).toBe(hostile);

    await page.locator('body').evaluate((body) => {
      const script = body.ownerDocument.createElement('script');
      script.textContent = 'console.log("in")';
      body.append(script);
    });
    expect(incidents).toEqual([expect.stringContaining('Content Security Policy')]);
  });

  test('a result without any figure has no chart', async () => {
    const result = createSampleResult();
    for (const variant of result.variants) {
      Object.assign(variant, { measured: null, exact: null, published: null, runs: [], error: 'no MongoDB' });
    }

    await openReport([{ lab: mixed, result }]);

    await page.getByText('Nothing was measured.').waitFor();
    expect(await page.locator('canvas').count()).toBe(0);
    expect(incidents).toEqual([]);
  });

  test('bars and lines of several runs are drawn', async () => {
    const [bars] = mixed.charts;
    /** @type {import('../../src/report/types.js').Lab} */
    const lab = { ...mixed, charts: [{ ...bars, kind: 'line', log: true }, bars] };
    await openReport([{ lab, result: createSampleResult() }, { lab, result: createSampleResult() }]);

    expect(await countPixels(BLUE)).toBeGreaterThan(100);
    expect(await page.locator('canvas').count()).toBe(6);
    expect(incidents).toEqual([]);
  });
});
