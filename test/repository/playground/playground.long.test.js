import { readFile, readdir, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import axe from 'axe-core';
import { afterEach, expect, test } from '@jest/globals';
import { SCREENS } from '../../../playground/browser/screens.js';
import { summariseViolation } from '../../page/live-page.js';
import { describeInBrowser } from 'test-support/chromium.js';
import { scratchFolder } from 'test-support/cleanup.js';
import { until } from 'test-support/waiting.js';
import { buildOnce, drag, folder, incidents, openPlayground, readFigures } from './playground-page.js';

/** @import { Page } from 'playwright-core' */

/** @type {Page} */
let page;

/** @param {string} id */
const captionOf = (id) => page.locator(`#${id} .caption`).innerText();

/** @param {string} id places a guess with the mouse */
async function guess(id) {
  await page.locator(`#${id} .guess button`).click();
  await page.locator(`#${id} .verdict`).filter({ hasText: /\d/ }).waitFor();
}

/** @param {string} selector goes there with the Tab key */
async function tabTo(selector) {
  for (let presses = 0; presses < 40; presses++) {
    if (await page.locator(selector).evaluate((node) => node === node.ownerDocument.activeElement)) return;
    await page.keyboard.press('Tab');
  }
  throw new Error(`The Tab key does not lead to ${selector}`);
}

describeInBrowser('the playground, opened from disk', () => {
  buildOnce();
  afterEach(() => page.close());

  test('weighs at most 329 kB, makes no request, and may make none', async () => {
    page = await openPlayground();
    for (const { id } of SCREENS) await guess(id);
    expect(incidents).toEqual([]);
    const names = await readdir(folder);
    const sizes = await Promise.all(
      names.filter((name) => !name.endsWith('.yaml')).map(async (name) => (await stat(`${folder}/${name}`)).size),
    );
    // 325,800 bytes when this was written: 7 kB follow failovers, and 8 kB know loops of queries, jobs, operations that
    // fail and many clients. 1 kB more changes the queries of a recording, and 1 kB keeps work of no request apart.
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(329_400);
    expect(await readFile(`${folder}/index.html`, 'utf8')).toContain("connect-src 'none'");
    const refused = await page.evaluate(() =>
      fetch('http://127.0.0.1:9/').then(
        () => 'sent',
        (error) => error.message,
      ),
    );
    expect(refused).toBe('Failed to fetch');
    expect(incidents.join()).toContain('Content Security Policy');
  });

  test('it moves before the first click: under the title, and on a screen before its guess', async () => {
    page = await openPlayground();
    for (const id of ['opening', 'one-lane']) {
      await page.locator(`#${id} .stage`).scrollIntoViewIfNeeded();
      const clock = () => page.locator(`#${id} .caption`).textContent();
      const before = await clock();
      await until(`${id} moves`, async () => (await clock()) !== before);
    }
    // The answer is not in it.
    expect(Number.parseFloat(await captionOf('one-lane'))).toBeLessThan(4);
  });

  test.each(
    /** @type {const} */ ([
      [1440, 900, '.watch', 0.45],
      [390, 844, '.stage', 0.29],
    ]),
  )('at %i x %i the tunnel stays in view beside its handle', async (width, height, part, most) => {
    page = await openPlayground('#knee', { viewport: { width, height }, reducedMotion: 'reduce' });
    await guess('knee');
    for (const handle of ['#knee-bus', '#knee-lanes']) {
      await page.locator(handle).scrollIntoViewIfNeeded();
      await page.locator(handle).focus();
      const [stage, range] = await Promise.all(
        [`#knee ${part}`, handle].map((selector) => page.locator(selector).boundingBox()),
      );
      if (!stage || !range) throw new Error('it is not there');
      expect(stage.y).toBeGreaterThanOrEqual(0);
      expect(stage.y + stage.height).toBeLessThanOrEqual(most * height);
      expect(range.y).toBeGreaterThanOrEqual(stage.y + stage.height - 1);
      expect(range.y + range.height).toBeLessThanOrEqual(height);
    }
  });

  test('every screen by mouse: guess, watch, drag', async () => {
    page = await openPlayground();
    for (const {
      id,
      handles: [{ name, min, max, value }],
    } of SCREENS) {
      for (const part of ['.result', '.player']) expect(await page.locator(`#${id} ${part}`).isVisible()).toBe(false);
      await guess(id);
      const began = await captionOf(id);
      await until('it moves', async () => (await captionOf(id)) !== began);
      await page.locator(`#${id} .play`).click();
      expect(await page.locator(`#${id} .play`).innerText()).toBe('Play');
      const told = await page.locator(`#${id} .told`).innerText();
      await drag(page.locator(`#${id}-${name}`), value === min ? max : min);
      await until('other figures', async () => (await page.locator(`#${id} .told`).innerText()) !== told);
    }
    expect(incidents).toEqual([]);
  });

  test('customers who come at random wait where those who come evenly do not', async () => {
    page = await openPlayground('#tunnel?guess=500&rate=400');
    const told = page.locator('#tunnel .told');
    await told.filter({ hasText: /400 customers per second who arrive evenly, .* nobody waits/ }).waitFor();
    await page.getByLabel('They arrive').selectOption('at random');
    await told.filter({ hasText: /400 customers per second who arrive at random, .* up to \d+ wait/ }).waitFor();
    await until('the link', () => page.url().endsWith('#tunnel?rate=400&arrivals=1&guess=500'));
  });

  test('forty apps have forty small tunnels', async () => {
    page = await openPlayground('#many-apps?guess=700', { reducedMotion: 'reduce' });
    const canvas = page.locator('#many-apps .tunnel canvas');
    await until('its tunnels', async () =>
      /of 640 lanes in 40 tunnels busy/.test(String(await canvas.getAttribute('aria-label'))),
    );
    /** Counts the tunnels along a line through the first row, or the first column. */
    const count = (/** @type {boolean} */ isAcross) =>
      canvas.evaluate((node, across) => {
        const { width, height, ownerDocument } = /** @type {HTMLCanvasElement} */ (node);
        const context = Object.assign(ownerDocument.createElement('canvas'), { width, height }).getContext('2d');
        context?.drawImage(/** @type {HTMLCanvasElement} */ (node), 0, 0);
        const [x, y, wide, high] = across ? [0, 30, width, 1] : [40, 0, 1, height];
        const data = context?.getImageData(x, y, wide, high).data ?? [];
        // The hill between them is much lighter than their ink and their tubes.
        const dark = Array.from(
          { length: data.length / 4 },
          (_, at) => data[4 * at + 2] < 0xd0 && data[4 * at + 3] > 0,
        );
        return dark.filter((isDark, at) => isDark && !dark[at - 1]).length;
      }, isAcross);
    expect((await count(true)) * (await count(false))).toBeGreaterThanOrEqual(40);
  });

  test('every screen by keyboard', async () => {
    page = await openPlayground();
    for (const {
      id,
      guess: { value, step = 1, unit },
      handles: [{ name, value: first, min, step: by = 1 }],
    } of SCREENS) {
      await tabTo(`#${id}-guess`);
      await page.keyboard.press('ArrowRight');
      expect(await page.locator(`#${id} .guess output`).innerText()).toBe(`${value + step} ${unit}`);
      await tabTo(`#${id} .guess button`);
      await page.keyboard.press('Enter');
      await until('the focus is on the verdict', () =>
        page.locator(`#${id} .verdict`).evaluate((node) => node === node.ownerDocument.activeElement),
      );
      await tabTo(`#${id}-${name}`);
      await page.keyboard.press(first > min ? 'ArrowLeft' : 'ArrowRight');
      const now = first > min ? first - by : first + by;
      await until('the link has it', () => page.url().includes(`${name}=${now}`));
      await page.locator(`#${id} .play`).focus();
      if ((await page.locator(`#${id} .play`).innerText()) === 'Pause') await page.keyboard.press('Space');
      const before = await captionOf(id);
      await tabTo(`#${id} .step`);
      await until('a step', async () => {
        await page.keyboard.press('Enter');
        return (await captionOf(id)) !== before;
      });
    }
    expect(incidents).toEqual([]);
  });

  test('with reduced motion nothing plays unasked, and Play shows still pictures', async () => {
    page = await openPlayground('', { reducedMotion: 'reduce' });
    for (const { id } of SCREENS) {
      await guess(id);
      expect(await page.locator(`#${id} .play`).innerText()).toBe('Play');
      const began = await captionOf(id);
      await until('a step', async () => {
        await page.locator(`#${id} .step`).click();
        return (await captionOf(id)) !== began;
      });
    }
    const { id } = SCREENS[1];
    await page.locator(`#${id} .play`).click();
    const began = await captionOf(id);
    await until('the next picture', async () => (await captionOf(id)) !== began);
    expect(incidents).toEqual([]);
  });

  test.each(
    /** @type {const} */ ([
      [320, 'dark'],
      [2560, 'light'],
    ]),
  )('at %i pixels nothing overflows, and axe finds no violation in the %s theme', async (width, colorScheme) => {
    page = await openPlayground('', { colorScheme, viewport: { width, height: 900 }, reducedMotion: 'reduce' });
    await page.evaluate(axe.source);
    const faults = async () => {
      const { violations, passes } = await page.evaluate(() => Reflect.get(globalThis, 'axe').run());
      expect(passes.length).toBeGreaterThan(20);
      return violations.map(summariseViolation);
    };
    expect(await faults()).toEqual([]);
    for (const { id } of SCREENS) await guess(id);
    for (const details of await page.locator('summary').all()) await details.click();
    expect(await faults()).toEqual([]);
    expect(await page.locator('html').evaluate((root) => root.scrollWidth - root.clientWidth)).toBe(0);
    const tables = await page
      .locator('.figures')
      .evaluateAll((nodes) => nodes.map((node) => node.scrollWidth - node.clientWidth));
    expect(Math.max(...tables)).toBeLessThanOrEqual(0);
  });

  test('a link holds the screen, its handles and the guess', async () => {
    page = await openPlayground();
    await drag(page.locator('#knee-guess'), 7);
    await guess('knee');
    await drag(page.locator('#knee-bus'), 2);
    await page.getByText(/The knee is at 3 lanes/).waitFor();
    const hash = '#knee?bus=2&guess=7';
    await until('the link', () => new URL(page.url()).hash === hash);
    const figures = await readFigures(page, 'knee');
    expect(await page.locator('#knee .link').getAttribute('href')).toBe(hash);
    await page.close();

    page = await openPlayground(hash);
    expect(await readFigures(page, 'knee')).toEqual(figures);
    expect(await page.locator('#knee .verdict').innerText()).toBe('5 lanes. You said 7 lanes.');
    expect(await page.locator('#one-lane .result').isVisible()).toBe(false);
  });

  test('on its own, a screen fits a frame on another page', async () => {
    page = await openPlayground('#three-lanes?embed');
    expect(await page.locator('section:visible').count()).toBe(1);
    expect(await page.locator('header').isVisible()).toBe(false);
    await guess('three-lanes');
    expect(await page.locator('#three-lanes .verdict').innerText()).toBe('7.0 s. You said 15 s.');
  });

  test('it works in a frame that may do nothing but run its script', async () => {
    const host = path.join(await scratchFolder(), 'host.html');
    await writeFile(
      host,
      `<iframe sandbox="allow-scripts" width="600" height="700"
      src="${pathToFileURL(`${folder}/index.html`)}#one-lane?embed"></iframe>`,
    );
    page = await openPlayground();
    await page.goto(pathToFileURL(host).href);
    const frame = page.frameLocator('iframe');
    await frame.getByRole('button', { name: 'Make your guess' }).click();
    await frame.getByText('21.0 s. You said 15 s.').waitFor();
  });

  test('the sandbox has a timeout, a second client and a cap', async () => {
    page = await openPlayground('#sandbox?admins=30&pool=2');
    const told = () => page.locator('#sandbox .told').innerText();
    expect(await told()).not.toContain('no answer');
    for (const [name, value] of /** @type {const} */ ([
      ['timeout', 500],
      ['cap', 1],
      ['second', 4],
    ])) {
      const before = await page.locator('#percentiles').innerText();
      await drag(page.locator(`#sandbox-${name}`), value);
      await until('other figures', async () => (await page.locator('#percentiles').innerText()) !== before);
      if (name !== 'second') expect(await told()).toContain('get no answer');
    }
    expect(await page.locator('#sandbox .tunnel canvas').first().getAttribute('aria-label')).toContain('of 6 lanes');
  });

  test('a dropped trace plays as it was, says why requests waited, and shows another pool', async () => {
    // Every 2 s two reports take both connections for 1 s, and a customer waits for 0.9 s of it.
    const visits = Array.from({ length: 15 }, (_, index) => index * 2000);
    const trace = [
      { trace: 'mongodb-pool-lab', version: 3 },
      { define: 'pool', id: 0, name: null, address: 'db:1', options: { maxPoolSize: { value: 2, from: 'code' } } },
      ...['/report', '/customer'].map((name, id) => ({ define: 'route', id, name })),
      { define: 'operation', id: 0, name: 'find articles' },
      ...visits.flatMap((atMs, index) => [
        ...[0, 1].map((more) => ({
          ...{ atMs, waitMs: 0, useMs: 1000, pool: 0, route: 0, operation: 0, request: 3 * index + more },
        })),
        {
          ...{ atMs: atMs + 100, waitMs: 900, useMs: 2, pool: 0, route: 1, request: 3 * index + 2 },
          behind: [[0, 0, 3 * index, 3 * index + 1]],
        },
      ]),
    ];
    const file = path.join(await scratchFolder(), 'incident.jsonl');
    await writeFile(file, trace.map((line) => JSON.stringify(line)).join('\n'));
    page = await openPlayground('#sandbox');
    await page.locator('#own-traffic summary').click();
    await page.locator('#trace-file').setInputFiles(file);

    const told = page.locator('#sandbox .told');
    await told
      .filter({
        hasText: /^As it was: .* wait 900 ms on average, because \/report \(find articles\) holds all 2 connections\./,
      })
      .waitFor();
    expect(await page.locator('#sandbox-pool').inputValue()).toBe('4');
    // Scrubs to 4.5 s of 29.
    await drag(page.locator('#sandbox .time input'), 4.5 / 29);
    expect(await captionOf('sandbox')).toMatch(/4\.50? s · 2 in the tunnel, 1 waiting$/);
    expect(await page.locator('#companion figcaption').innerText()).toBe(
      'With 4 lanes · 2 in the tunnel, nobody waiting',
    );
    await drag(page.locator('#sandbox-pool'), 3);
    await told.filter({ hasText: /With 3 lanes, / }).waitFor();
    expect(incidents).toEqual([]);
  });

  test('says what is wrong with a scenario, and keeps what it had', async () => {
    page = await openPlayground('#sandbox');
    await page.locator('#own-traffic summary').click();
    await page.locator('#yaml').fill('scenarios: [');
    await page.getByRole('button', { name: 'Use it' }).click();
    await page
      .getByRole('alert')
      .filter({ hasText: /^The scenario, line 1/ })
      .waitFor();
    await drag(page.locator('#sandbox-pool'), 5);
    await page.getByText(/^With 5 lanes/).waitFor();
    expect(await page.getByRole('alert').isVisible()).toBe(false);
  });
});
