import { writeFile } from 'node:fs/promises';
import { networkInterfaces } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import axe from 'axe-core';
import { writeCard } from '../../../workshop/card.js';
import { renderSheet } from '../../../workshop/class/sheet-page.js';
import { describeInBrowser, launchChromium } from 'test-support/chromium.js';
import { scratchFolder } from 'test-support/cleanup.js';
import { LESSONS } from './sample-lessons.js';
import { serveClass } from './serve-class.js';

/** @import { Browser, BrowserContextOptions, Page } from 'playwright-core' */

describeInBrowser('the pages of a class', () => {
  /** @type {Browser} */
  let browser;
  beforeAll(async () => {
    browser = await launchChromium();
  });
  afterAll(() => browser?.close());

  /** @param {string} url @param {BrowserContextOptions} [options] */
  async function open(url, options) {
    const page = await browser.newPage({ viewport: { width: 1440, height: 900 }, ...options });
    page.setDefaultTimeout(15_000);
    /** @type {string[]} */
    const incidents = [];
    page.on('console', (message) => incidents.push(message.text()));
    page.on('pageerror', (error) => incidents.push(error.message));
    await page.goto(url);
    return { page, incidents };
  }

  /** @param {Page} page */
  async function findFaults(page) {
    await page.evaluate(`${axe.source}; undefined`);
    /** @type {{ violations: { id: string, nodes: { html: string }[] }[] }} */
    const { violations } = await page.evaluate(() => Reflect.get(globalThis, 'axe').run());
    const { scrollWidth, clientWidth } = await page.evaluate(() => {
      const { documentElement } = Reflect.get(globalThis, 'document');
      return { scrollWidth: documentElement.scrollWidth, clientWidth: documentElement.clientWidth };
    });
    return [
      ...violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`),
      ...(scrollWidth > clientWidth ? [`${scrollWidth} px wide in a window of ${clientWidth}`] : []),
    ];
  }

  test('the projector fills a large screen, and its type grows with it', async () => {
    const { url, learn } = await serveClass();
    for (const [index, name] of ['Ada', 'Grace', 'Jo'].entries())
      await (await learn(name)).report({ guess: [4, 12, 20][index] });
    const sizes = [];
    for (const viewport of [
      { width: 1440, height: 900 },
      { width: 2560, height: 1440 },
    ]) {
      const { page } = await open(url, { viewport });
      await page.getByRole('img', { name: '3 guesses from 4 to 20' }).waitFor();
      const box = await page.locator('section').first().boundingBox();
      expect(((box?.y ?? 0) + (box?.height ?? 0)) / viewport.height).toBeGreaterThan(0.9);
      expect(await findFaults(page)).toEqual([]);
      sizes.push(await page.locator('#question').evaluate((node) => node.getBoundingClientRect().height));
      await page.close();
    }
    expect(sizes[1] / sizes[0]).toBeGreaterThan(1.5);
  });

  const VIEWS = /** @type {const} */ ([
    [1440, 'light'],
    [390, 'dark'],
  ]);

  test.each(VIEWS)('the projector at %i pixels, %s, before and after the reveal', async (width, colorScheme) => {
    const { url, learn } = await serveClass();
    const names = ['Ada', '<img src=x onerror=alert(1)>', 'Maximiliane-Alexandra-von-und-zu-Hohenfel', 'Jo'].map(
      (name) => name.slice(0, 40),
    );
    for (const [index, name] of names.entries()) {
      const learner = await learn(name);
      await learner.report({ guess: [0.5, 12, 20, 300][index] });
      if (index > 0)
        await learner.report({
          verdict: index > 1,
          figures: {
            measured: index > 1 ? 20 + index : null,
            points: [
              [1, 21_000],
              [3, 7000 + index],
            ],
          },
        });
    }
    const { page, incidents } = await open(url, { viewport: { width, height: 900 }, colorScheme });
    await page.getByRole('img', { name: '4 guesses from 0.5 to 300' }).waitFor();
    await page.getByText('4 of 4 have guessed, 2 of 4 have measured.').waitFor();
    expect(await findFaults(page)).toEqual([]);

    await page.getByRole('button', { name: 'Reveal the measurements' }).click();
    await page.getByRole('img', { name: /2 measurements from 22 to 23/ }).waitFor();
    await page.getByRole('img', { name: /The slowest request by pool size, 6 measurements/ }).waitFor();
    expect(await findFaults(page)).toEqual([]);

    await page.getByRole('button', { name: 'Hide the names' }).click();
    expect(await page.getByText('Ada').count()).toBe(0);
    const download = page.waitForEvent('download');
    await page.getByRole('button', { name: "Save the room's result" }).click();
    const file = path.join(await scratchFolder(), (await download).suggestedFilename());
    await (await download).saveAs(file);
    const result = await open(`file://${file}`, { viewport: { width, height: 900 }, colorScheme });
    expect(await findFaults(result.page)).toEqual([]);
    expect([...incidents, ...result.incidents]).toEqual([]);
    await Promise.all([page.close(), result.page.close()]);
  });

  test('a phone joins with the code, guesses, and sees the reveal; the projector follows', async () => {
    const { url, state } = await serveClass();
    const projector = await open(url);
    const { page, incidents } = await open(`${url}/join`, { viewport: { width: 390, height: 844 } });
    await page.getByLabel('The code on the projector').fill(state.code.toLowerCase());
    await page.getByRole('button', { name: 'Find the class' }).click();
    await page.getByLabel('Your first name').fill('Ada');
    expect(await page.getByText('a measurement').isVisible()).toBe(false);
    expect(await findFaults(page)).toEqual([]);
    await page.getByRole('button', { name: 'Join' }).click();
    await page.getByLabel('Your guess, in seconds').fill('15');
    await page.getByRole('button', { name: 'Guess' }).click();
    await page.getByText('Your guess: 15 seconds. You can change it until the reveal.').waitFor();
    await projector.page.getByRole('img', { name: '1 guess: 15 seconds.' }).waitFor();
    expect(await findFaults(page)).toEqual([]);

    await page.reload();
    await page.getByText('Your guess: 15 seconds.').waitFor();
    await projector.page.getByRole('button', { name: 'Reveal the measurements' }).click();
    await page.getByRole('img', { name: '1 guess: 15' }).waitFor();
    expect(await page.getByRole('button', { name: 'Guess' }).isVisible()).toBe(false);
    await projector.page.getByRole('button', { name: 'Next lesson' }).click();
    await page.getByRole('heading', { name: 'The second' }).waitFor();
    expect([...incidents, ...projector.incidents]).toEqual([]);
    await Promise.all([page.close(), projector.page.close()]);
  });

  test.each(VIEWS)(
    'the teacher lets learners in, hides a name and removes one, at %i pixels, %s',
    async (width, colorScheme) => {
      const { url, join, learn } = await serveClass();
      await learn('Ada');
      await learn('<b>Mallory</b>');
      const { page, incidents } = await open(url, { viewport: { width, height: 900 }, colorScheme });
      await page.getByRole('button', { name: 'Ask me before anyone joins' }).click();
      await page.getByRole('button', { name: 'Let anyone join' }).waitFor();
      const phone = await open(join, { viewport: { width: 390, height: 844 } });
      await phone.page.getByLabel('Your first name').fill('Ben');
      await phone.page.getByRole('button', { name: 'Join' }).click();
      await phone.page.getByText('The teacher will let you in. You can already guess.').waitFor();
      await learn('Spam');
      await page.getByText('Wait to be let in: 2').waitFor();
      expect(await page.getByText('Ben').count()).toBe(0);

      await page.getByRole('button', { name: 'Manage the room' }).click();
      expect(await findFaults(page)).toEqual([]);
      await page.getByRole('button', { name: 'Turn away Spam' }).click();
      await page.getByRole('button', { name: 'Let in Ben' }).click();
      await page.getByRole('button', { name: 'Hide Ben' }).focus();
      page.once('dialog', (dialog) => dialog.accept());
      await page.getByRole('button', { name: 'Remove <b>Mallory</b>' }).click();
      await page.getByText('Working: 2').waitFor();
      await page.getByRole('button', { name: 'Hide Ben' }).press('Enter');
      await page.getByRole('button', { name: 'Show Ben' }).waitFor();
      await page.getByRole('button', { name: 'Stop managing' }).click();
      await page.getByText('A learner').waitFor();
      expect([await page.getByText('Ada').count(), await page.getByText('Ben').count()]).toEqual([1, 0]);
      expect([...incidents, ...phone.incidents]).toEqual([]);
      await Promise.all([page.close(), phone.page.close()]);
    },
  );

  test.each(VIEWS)('the sheet at %i pixels, %s', async (width, colorScheme) => {
    const file = path.join(await scratchFolder(), 'sheet.html');
    await writeFile(file, renderSheet(LESSONS, await writeCard()));
    const { page, incidents } = await open(`file://${file}`, { viewport: { width, height: 900 }, colorScheme });
    await page.getByText('The second').waitFor();
    expect([...(await findFaults(page)), ...incidents]).toEqual([]);
    await page.close();
  });

  test("with a token, the teacher's page works by its link alone, and the token leaves the address", async () => {
    const token = 'only-the-teacher-knows';
    const { url } = await serveClass({ host: '0.0.0.0', token });
    const own = url.replace('0.0.0.0', '127.0.0.1');
    const other = await open(own);
    await other.page.getByText('This page needs the token of the class.').waitFor();
    const { page } = await open(`${own}/#token=${token}`);
    await page.getByText('Nobody has joined yet.').waitFor();
    const { family, address } =
      Object.values(networkInterfaces())
        .flat()
        .find((one) => one?.family === 'IPv4' && !one.internal) ?? {};
    expect(await page.locator('#link').innerText()).toBe(`${family ? address : '127.0.0.1'}:${new URL(own).port}/join`);
    expect(page.url()).toBe(`${own}/`);
    await page.getByRole('button', { name: 'Next lesson' }).click();
    await page.getByRole('heading', { name: 'The second' }).waitFor();
    await Promise.all([page.close(), other.page.close()]);
  });
});
