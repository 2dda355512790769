import { expect, test } from '@jest/globals';
import { describeInBrowser } from '../support/chromium.js';
import { findFaults, incidents, openForEachTest, openPage, page, pollUntil, readPool, send } from './live-page.js';

const heading = () => page.locator('#sentence').innerText();
const live = () => page.locator('#back-to-live');

describeInBrowser('the live page in front of a projector', () => {
  openForEachTest();

  test('a pause keeps the picture, and afterwards the page goes on where it was', async () => {
    await openPage();
    await page.getByRole('button', { name: 'Pause' }).click();
    await send('a bus');
    await pollUntil(async () => (await readPool()).active === 1);
    await live().filter({ hasText: /[1-9] s/ }).waitFor();
    expect(await heading()).toBe('The only lane is free.');
    expect(await findFaults()).toEqual([]);

    await page.getByRole('button', { name: 'Resume' }).click();
    await page.getByRole('heading', { name: /^The only lane is busy/ }).waitFor();
    await live().click();
    await pollUntil(async () => !await live().isVisible());
    expect(incidents).toEqual([]);
  });

  test('in slow motion the page falls behind, and one click brings it back', async () => {
    await openPage();
    const slow = page.getByRole('button', { name: 'Slow motion' });
    await slow.press('Enter');
    expect(await slow.getAttribute('aria-pressed')).toBe('true');
    await live().filter({ hasText: /[1-9] s/ }).waitFor();
    await send('a bus');
    await pollUntil(async () => (await readPool()).active === 1);
    expect(await heading()).toBe('The only lane is free.');
    await live().click();
    await page.getByRole('heading', { name: /^The only lane is busy/ }).waitFor();
    expect(await slow.getAttribute('aria-pressed')).toBe('false');
    expect(incidents).toEqual([]);
  });
});
