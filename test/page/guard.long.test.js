import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import axe from 'axe-core';
import { describeInBrowser, launchChromium } from 'test-support/chromium.js';
import { serveApp } from '../support/serve-app.js';
import { until } from 'test-support/waiting.js';

/** @import { Browser, Page } from 'playwright-core' */

const TOKEN = 'a-token-of-our-own_1';

describeInBrowser('access to the live page', () => {
  /** @type {Browser} */
  let browser;
  /** @type {string} */
  let url;
  /** @type {Page} */
  let page;
  beforeAll(async () => {
    [browser, url] = await Promise.all([launchChromium(), serveApp({ CONTROLS_TOKEN: TOKEN, SLOW_MS: '3000' })]);
  });
  beforeEach(async () => {
    page = await browser.newPage();
    page.setDefaultTimeout(15_000);
  });
  afterAll(() => browser?.close());

  const field = () => page.getByLabel('Token');
  const sendBus = () => page.getByRole('button', { name: 'Send a bus' });
  const allFree = () => page.getByRole('heading', { name: 'All 100 lanes are free.' });
  const oneBusy = () => page.getByRole('heading', { name: /^1 of 100 lanes busy/ });
  /** @returns {Promise<number>} the status of the answer */
  async function requestBus() {
    // The bus of the previous test may still be in the tunnel.
    await allFree().waitFor();
    const answer = page.waitForResponse((response) => response.url().endsWith('/control/traffic'));
    await sendBus().click();
    return (await answer).status();
  }

  test('it asks for the token, says when it is wrong, and shows the controls for the right one', async () => {
    await page.goto(url);
    await field().fill('wrong');
    await page.getByRole('button', { name: 'Unlock' }).click();
    await page.getByText('the token that the app was started with').waitFor();
    expect(await sendBus().isVisible()).toBe(false);
    await page.evaluate(axe.source);
    const { violations } = await page.evaluate(() => Reflect.get(globalThis, 'axe').run());
    expect(violations).toEqual([]);

    await field().fill(TOKEN);
    await field().press('Enter');
    expect(await requestBus()).toBe(202);
    await oneBusy().waitFor();
    await page.reload();
    await sendBus().waitFor();
    expect(await field().isVisible()).toBe(false);
  });

  test('the link from the log carries the token, and the address bar does not show it', async () => {
    await page.goto(`${url}/#token=${TOKEN}`);
    expect(await requestBus()).toBe(202);
    await oneBusy().waitFor();
    expect(page.url()).toBe(`${url}/`);
  });

  test('the page asks again for a token that is no longer valid', async () => {
    await page.goto(`${url}/#token=of-an-earlier-start`);
    expect(await requestBus()).toBe(401);
    await field().waitFor();
    expect(await sendBus().isVisible()).toBe(false);
  });

  test('injected code does not run, nothing is loaded from or sent to other hosts, and no page can frame it', async () => {
    /** @type {string[]} */
    const refused = [];
    page.on('console', (message) => refused.push(message.text()));
    await page.goto(url);
    await page.getByText('Live', { exact: true }).waitFor();
    expect(refused).toEqual([]);

    await page.locator('body').evaluate(async (body) => {
      const script = body.ownerDocument.createElement('script');
      script.textContent = 'document.title = "owned"';
      body.append(script);
      body.insertAdjacentHTML(
        'beforeend',
        `<img src="x" onerror="document.title = 'owned'">
        <p style="color: red"></p><iframe src="/"></iframe>`,
      );
      await fetch('http://elsewhere.example/').catch(() => {});
    });

    for (const what of ['inline script', 'inline event handler', 'inline style', 'connect-src', 'Framing']) {
      await until(`${what} is refused`, () => refused.some((text) => text.includes(what)));
    }
    expect(await page.title()).not.toBe('owned');
  });
});
