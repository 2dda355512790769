import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';
import { renderHtml } from '../../report/html.js';
import { describeInBrowser, launchChromium } from 'test-support/chromium.js';
import { mixed } from '../../labs/mixed/mixed-lab.js';
import { createSampleResult } from './sample-result.js';

/** @import { Browser, Page } from 'playwright-core' */

/** @type {Browser} */
let browser;
/** @type {string} */
let folder;
/** @type {Page} */
let page;
/** @type {string[]} requests and errors of the page */
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
  return page
    .locator('canvas')
    .first()
    .evaluate(async (node, [red, green, blue]) => {
      const chart = /** @type {HTMLCanvasElement} */ (node);
      await new Promise((resolve) => {
        chart.ownerDocument.defaultView?.requestAnimationFrame(resolve);
      });
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
const ORANGE = [0xd5, 0x5e, 0x00];
/** @type {[number, number, number]} */
const LIGHT_ORANGE = [0xf2, 0x8a, 0x3c];

describeInBrowser('in a browser without a network', () => {
  const entries = () => [{ lab: mixed, result: createSampleResult() }];

  test('the chart is drawn in the colours of the theme, and drawn anew when the theme changes', async () => {
    await openReport(entries(), { colorScheme: 'light' });
    expect(await countPixels(ORANGE)).toBeGreaterThan(1000);
    expect(await countPixels(LIGHT_ORANGE)).toBe(0);

    await page.emulateMedia({ colorScheme: 'dark' });
    expect(await countPixels(LIGHT_ORANGE)).toBeGreaterThan(1000);

    await page.emulateMedia({ colorScheme: 'dark', media: 'print' });
    expect(await countPixels(ORANGE)).toBeGreaterThan(1000);
    expect(incidents).toEqual([]);
  });

  test('it opens in the dark', async () => {
    await openReport(entries(), { colorScheme: 'dark' });

    expect(await countPixels(LIGHT_ORANGE)).toBeGreaterThan(1000);
    expect(incidents).toEqual([]);
  });

  test.each([390, 768, 1440, 2560])('nothing sticks out at a width of %i pixels', async (width) => {
    await openReport(entries(), { viewport: { width, height: 900 } });

    const excess = await page.locator('html').evaluate((root) => root.scrollWidth - root.clientWidth);
    expect(excess).toBe(0);
    const chart = await page.locator('canvas').boundingBox();
    expect(chart?.width).toBeGreaterThan(300);
  });

  test.each(
    /** @type {const} */ ([
      [390, 'bar'],
      [390, 'dot'],
      [1440, 'bar'],
      [1440, 'dot'],
    ]),
  )('at a width of %i pixels a %s chart cuts off no name and no figure', async (width, kind) => {
    const result = createSampleResult();
    for (const { measured } of result.variants) Object.assign(measured ?? {}, { maxMs: 516, routes: {} });
    const [spec] = mixed.charts;
    /** @type {import('../../report/result-types.js').ChartSpec} */
    const chart = {
      ...spec,
      kind,
      series: spec.series.slice(0, 1),
      category: ({ settings }) => `${settings.poolSize}00: client-per-query`,
    };
    await openReport([{ lab: { ...mixed, charts: [chart] }, result }], { viewport: { width, height: 900 } });

    const edges = await page.locator('canvas').evaluate((node) => {
      const { width: wide, height, ownerDocument } = /** @type {HTMLCanvasElement} */ (node);
      const copy = Object.assign(ownerDocument.createElement('canvas'), { width: wide, height });
      const context = /** @type {CanvasRenderingContext2D} */ (copy.getContext('2d'));
      context.drawImage(/** @type {HTMLCanvasElement} */ (node), 0, 0);
      return [0, wide - 1].map((x) => context.getImageData(x, 0, 1, height).data.some((value) => value > 0));
    });
    expect(edges).toEqual([false, false]);
  });

  test.each(
    /** @type {const} */ ([
      [390, 'dot'],
      [390, 'line'],
    ]),
  )('at a width of %i pixels no names on the axes of a logarithmic %s chart overlap or lean', async (width, kind) => {
    const [spec] = mixed.charts;
    const result = createSampleResult();
    const timeSeries = Object.fromEntries(
      Array.from({ length: 60 }, (_, second) => [(second / 2).toFixed(1), 3 + 40 * second]),
    );
    /** @type {import('../../report/result-types.js').ChartSpec} */
    const chart = { ...spec, kind, log: true, ...(kind === 'line' && { timeSeries: () => timeSeries }) };
    await openReport([{ lab: { ...mixed, charts: [chart] }, result }], { viewport: { width, height: 900 } });

    const overlaps = await page.locator('canvas').evaluate((node) => {
      /** @type {any} */
      const { ctx, scales, options } = /** @type {any} */ (node.ownerDocument.defaultView).Chart.getChart(node);
      ctx.font = `${options.font.size}px ${options.font.family}`;
      return Object.values(scales).map((scale) => {
        const named = scale.ticks
          .map((/** @type {any} */ { label }, /** @type {number} */ index) => ({
            at: scale.getPixelForTick(index),
            half: scale.isHorizontal() ? ctx.measureText(label).width / 2 : options.font.size / 2,
          }))
          .toSorted((/** @type {any} */ a, /** @type {any} */ b) => a.at - b.at);
        return (
          named
            .slice(1)
            .filter(
              (/** @type {any} */ { at, half }, /** @type {number} */ index) =>
                at - half < named[index].at + named[index].half,
            ).length + (named.length > 1 && scale.labelRotation === 0 ? 0 : 100)
        );
      });
    });
    expect(overlaps).toEqual([0, 0]);
  });

  test('a dot on a logarithmic axis is no bar', async () => {
    const [spec] = mixed.charts;
    await openReport([{ lab: { ...mixed, charts: [{ ...spec, kind: 'dot' }] }, result: createSampleResult() }]);

    // Three dots, where three bars are tens of thousands.
    expect(await countPixels(ORANGE)).toBeGreaterThan(100);
    expect(await countPixels(ORANGE)).toBeLessThan(1000);
  });

  test('the question, the answer, the chart and how to read it are on the first screen', async () => {
    await openReport(entries(), { viewport: { width: 1440, height: 900 } });

    for (const part of ['.question', '.takeaway', 'canvas', '.how-to-read']) {
      const box = await page.locator(part).boundingBox();
      expect((box?.y ?? Infinity) + (box?.height ?? 0)).toBeLessThanOrEqual(900);
    }
  });

  test('findings with a spread come first; charts and table are folded, and drawn when they are opened', async () => {
    const [bars] = mixed.charts;
    /** @type {import('../../report/result-types.js').LabView} */
    const lab = {
      ...mixed,
      picture: 'findings',
      charts: [{ ...bars, kind: 'line' }],
      findings: () => [{ claim: 'p99, 100 / 4', measured: 2.5, published: 38.5, spread: [1.2, 3] }],
    };
    await openReport([{ lab, result: createSampleResult() }], { viewport: { width: 1440, height: 900 } });

    const findings = await page.getByRole('region', { name: 'Findings, as ratios' }).boundingBox();
    expect((findings?.y ?? Infinity) + (findings?.height ?? 0)).toBeLessThan(900);
    expect(await page.locator('canvas').isVisible()).toBe(false);
    await page.getByText('What was measured, in charts and figures').click();
    expect((await page.locator('canvas').boundingBox())?.width).toBeGreaterThan(500);
    expect(await countPixels(ORANGE)).toBeGreaterThan(100);
    expect(incidents).toEqual([]);
  });

  test('the chart has a text in its place', async () => {
    await openReport(entries());

    await page.getByRole('img', { name: /1 connection: Slowest request of all 21\.1 s/ }).waitFor();
    await page.getByText('The chart in figures').click();
    await page.getByRole('cell', { name: '20.1 s' }).waitFor();
  });

  test('the complete result can be downloaded', async () => {
    const result = createSampleResult({ warnings: ['</script><!-- & "quoted"'] });
    await openReport([{ lab: mixed, result }]);

    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Download the result' }).click(),
    ]);

    expect(download.suggestedFilename()).toBe('mixed-2026-11-20T14-22-05-120Z.json');
    expect(JSON.parse(await readFile(await download.path(), 'utf8'))).toEqual(result);
  });

  test('hostile text runs nothing, and neither would a script that got in', async () => {
    const hostile = '</script><script>console.log("in")</script><img src=x onerror="console.log(1)">';
    await openReport([
      {
        lab: { ...mixed, title: hostile, takeaway: () => hostile },
        result: createSampleResult({ warnings: [hostile], settings: { [hostile]: hostile } }),
      },
    ]);
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
      Object.assign(variant, { measured: null, exact: null, published: null, repeats: [], error: 'no MongoDB' });
    }

    await openReport([{ lab: mixed, result }]);

    await page.getByText('Nothing was measured.').waitFor();
    expect(await page.locator('canvas').count()).toBe(0);
    expect(incidents).toEqual([]);
  });

  test('bars and lines of several runs are drawn', async () => {
    const [bars] = mixed.charts;
    /** @type {import('../../report/result-types.js').LabView} */
    const lab = { ...mixed, charts: [{ ...bars, kind: 'line', log: true }, bars] };
    await openReport([
      { lab, result: createSampleResult() },
      { lab, result: createSampleResult() },
    ]);

    expect(await countPixels(ORANGE)).toBeGreaterThan(100);
    expect(await page.locator('canvas').count()).toBe(2);
    expect(incidents).toEqual([]);
  });
});
