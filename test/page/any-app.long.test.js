import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import axe from 'axe-core';
import { describeInBrowser, launchChromium } from 'test-support/chromium.js';
import { until } from 'test-support/waiting.js';
import { summariseViolation } from './live-page.js';

/** @import { ChildProcess } from 'node:child_process' */
/** @import { Browser, BrowserContextOptions, Page } from 'playwright-core' */

const SHOP = fileURLToPath(new URL('shop-app.js', import.meta.url));

describeInBrowser('the page of an app that knows nothing of it', () => {
  /** @type {Browser} */
  let browser;
  /** @type {ChildProcess} */
  let child;
  /** @type {string} */
  let shop;
  /** @type {string} */
  let monitor;
  beforeAll(async () => {
    child = spawn(process.execPath, ['--import', 'mongodb-pool-monitor/attach', SHOP], {
      env: { ...process.env, MONGO_URL: process.env.TEST_MONGO_URL, NODE_OPTIONS: '' },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const [output, errors] = [child.stdout, child.stderr].map((stream) =>
      createInterface({ input: /** @type {NodeJS.ReadableStream} */ (stream) }),
    );
    const lines = await Promise.all([once(output, 'line'), once(errors, 'line'), launchChromium()]);
    shop = lines[0][0];
    monitor = String(/http:\S+/.exec(lines[1][0]));
    browser = lines[2];
  });
  afterAll(() => {
    child.kill('SIGKILL');
    return browser?.close();
  });

  /** @type {string[]} */
  let incidents;
  /** @param {BrowserContextOptions} [options] @returns {Promise<Page>} */
  async function open(options) {
    const page = await browser.newPage({ viewport: { width: 1440, height: 900 }, ...options });
    page.setDefaultTimeout(60_000);
    incidents = [];
    page.on('console', (message) => incidents.push(message.text()));
    page.on('pageerror', (error) => incidents.push(String(error.stack)));
    await page.goto(monitor);
    await page.getByText('Live', { exact: true }).waitFor();
    return page;
  }
  const get = (/** @type {string} */ path) => fetch(shop + path).then((response) => response.text());

  /** Beside the cursor, one lane is free for a request that wants two. @param {Page} page */
  async function crowd(page) {
    const reports = ['/report', '/report'].map(get);
    await page.getByRole('heading', { name: /^3 of 4 lanes busy/ }).waitFor();
    return [...reports, get('/both')];
  }

  test('it names the process, and has nothing that only the lab has', async () => {
    const page = await open();
    await page.getByRole('heading', { level: 1, name: 'shop-app.js' }).waitFor();
    await page.getByText(new RegExp(`^process ${child.pid} · Node\\.js \\d+\\.\\d+\\.\\d+$`)).waitFor();
    expect(await page.getByRole('spinbutton').count()).toBe(0);
    // The server says how busy it is, as there is no user who may not ask.
    await page
      .getByText(/^MongoDB, \d+\scores?/)
      .first()
      .waitFor();
    for (const text of ['How long a bus takes', 'This page is read-only', 'MongoDB Pool Lab']) {
      expect(await page.getByText(text).and(page.locator(':visible')).count()).toBe(0);
    }
    expect(incidents).toEqual([]);
    await page.close();
  });

  test('a route is a bus or a Ferrari by how long it holds its connection, and each client has a tunnel', async () => {
    const page = await open();
    for (let round = 0; round < 5; round++) await Promise.all(['/customers', '/orders', '/search'].map(get));
    await Promise.all(['/report', '/export'].map(get));
    await page.getByText(/^\/report(, | and )\/export.*, the buses$/).waitFor();
    // Queries that are quick, once the machine lets them be.
    const ferraris = page.getByText(/^(?=.*\/customers)(?=.*\/orders)(?=.*the app itself).*, the Ferraris$/);
    await until('quick routes are Ferraris', async () => {
      await Promise.all(['/customers', '/orders'].map(get));
      return ferraris.isVisible();
    });

    const busy = ['/report', '/report', '/report', '/report'].map(get);
    // A job is short, so there is always a next one until the page has shown all.
    let isSeen = false;
    const exporting = (async () => {
      while (!isSeen) await get('/export');
    })();
    await Promise.all([
      page.getByRole('heading', { name: /^4 of 4 lanes busy/ }).waitFor(),
      page.getByRole('heading', { name: /^Client jobs, to \S+\. 1 of 2 lanes busy, nobody is waiting\.$/ }).waitFor(),
      page.getByRole('img', { name: 'The tunnel has 4 lanes: 4 with a bus' }).waitFor(),
      page.getByRole('img', { name: /^The tunnel has 2 lanes: 1 with a bus/ }).waitFor(),
    ]);
    isSeen = true;
    const waiting = get('/customers');
    await page.getByRole('button', { name: /^\/customers waits behind 3 × \w+ \w+ of \/report/ }).focus();
    await page.getByText(/^\/customers has waited \d\.\d s behind 3 × \w+ \w+ of \/report$/).waitFor();
    await Promise.all([...busy, exporting, waiting]);
    const note = page.locator('#notes li', { hasText: /^\/customers took .* waiting behind/ }).first();
    await until('a delayed Ferrari is noted', async () => {
      const isNoted = await note.waitFor({ timeout: 2000 }).then(
        () => true,
        () => false,
      );
      // On a busy machine, its queries may have been too slow for one at that moment.
      if (!isNoted) await Promise.all(['/report', '/report', '/report', '/report', '/customers'].map(get));
      return isNoted;
    });

    // Charts show a second once it is over.
    const legend = page.locator('#rate-chart .legend li');
    for (const name of ['/customers', '/export', '/report', 'failed']) await legend.filter({ hasText: name }).waitFor();
    const readColors = async () =>
      Object.fromEntries(
        await legend.evaluateAll((items) =>
          items.map((item) => [
            item.firstChild?.textContent,
            item.ownerDocument.defaultView?.getComputedStyle(item, '::before').backgroundColor,
          ]),
        ),
      );
    const colors = await readColors();
    expect(new Set(Object.values(colors)).size).toBe(Object.keys(colors).length);
    await page.reload();
    // On a busy machine the first ones may be older than the minute that the charts have.
    await Promise.all(['/report', '/export'].map(get));
    for (const name of ['/export', '/report']) await legend.filter({ hasText: name }).waitFor();
    const again = await readColors();
    // Of routes that wait for nearly as long, the page may choose others now.
    const common = Object.keys(again).filter((name) => name in colors);
    expect(common).toEqual(expect.arrayContaining(['/export ', '/report ']));
    expect(common.map((name) => [name, again[name]])).toEqual(common.map((name) => [name, colors[name]]));
    expect(incidents).toEqual([]);
    await page.close();
  });

  test('it marks what holds a lane for good, and a request that holds a connection and waits for another', async () => {
    const page = await open();
    await get('/follow');
    await page.getByText('A tailable cursor holds 1 lane for as long as it is open.').waitFor();
    await page.getByRole('img', { name: /^The tunnel has 4 lanes: 1 parked for good/ }).waitFor();
    const busy = await crowd(page);
    await page.getByText('A waiting request holds a connection and waits for another: deadlock risk.').waitFor();
    const risky = page.getByRole('button', { name: /^\/both holds a connection and waits behind/ });
    await risky.focus();
    await page
      .getByText(/^\/both has waited .* It holds a connection and waits for another: deadlock risk\.$/)
      .waitFor();
    await Promise.all(busy);
    expect(incidents).toEqual([]);
    await page.close();
  });

  test.each(
    /** @type {const} */ ([
      [1440, 'light'],
      [390, 'dark'],
    ]),
  )('at %i pixels in the %s theme it fits and is accessible, long names included', async (width, colorScheme) => {
    const page = await open({ viewport: { width, height: 900 }, colorScheme });
    const name = '/a-route-that-is/quite-a-long-one/that-nobody/wants-to-read/and-has-no-space/in-its-long-name';
    // So often that only one route holds connections longer, and the charts show it.
    await Promise.all([name, name, name, name].map(get));
    await page.locator('#latency-chart .legend li', { hasText: name }).first().waitFor();
    const busy = [...(await crowd(page)), ...['/export', '/export', '/export'].map(get)];
    await page.getByRole('heading', { name: /^Client jobs.* 1 waiting/ }).waitFor();
    // On a busy machine it may be served before it has the focus.
    const both = page.getByRole('button', { name: '/both holds a connection' });
    await both.focus({ timeout: 5000 }).catch(() => {});
    expect(await page.locator('html').evaluate((root) => root.scrollWidth - root.clientWidth)).toBe(0);
    await page.evaluate(axe.source);
    const { violations } = await page.evaluate(() => Reflect.get(globalThis, 'axe').run());
    expect(violations.map(summariseViolation)).toEqual([]);
    await Promise.all(busy);
    expect(incidents).toEqual([]);
    await page.close();
  });
});
