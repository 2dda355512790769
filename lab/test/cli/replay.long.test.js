import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import axe from 'axe-core';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { describeInBrowser, launchChromium } from 'test-support/chromium.js';
import { scratchFolder } from 'test-support/cleanup.js';
import { expectRefused, runCli } from '../support/run-cli.js';

/** @import { Browser } from 'playwright-core' */

const INCIDENT = 'examples/slow-deploy.jsonl';
const folder = await scratchFolder();

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
    expect(stdout).toContain('because /recommendations (find\nproducts) holds all 4 connections');
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
    expect(await told.innerText()).toMatch(/^As it was: .* With 8 lanes, .* Trust: yes near the recorded 4, /);

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
