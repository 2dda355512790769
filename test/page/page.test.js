import { expect, test } from '@jest/globals';
import { describeInBrowser } from 'test-support/chromium.js';
import {
  BUS,
  HIGHLIGHT,
  app,
  findFront,
  incidents,
  openForEachTest,
  openPage,
  page,
  pollUntil,
  readData,
  readEnded,
  readPool,
  send,
  setPool,
  timeToHead,
} from './live-page.js';

describeInBrowser('the live page of the real app', () => {
  openForEachTest();

  test('a Ferrari waits behind a bus, and the page says how long and for what', async () => {
    await openPage();
    await send('a bus');
    await page.getByRole('img', { name: 'The tunnel has 1 lane: 1 with a bus' }).waitFor();
    const ended = readEnded('/fast');
    const toHead = timeToHead('/fast');
    const waiting = page.getByRole('button', { name: '/fast waits behind /slow' });
    await page.getByRole('heading', { name: /^The only lane is busy, 1 waiting, for \d\.\d s\.$/ }).waitFor();

    const seconds = async () => Number.parseFloat((await waiting.innerText()).split('for')[1]);
    const early = await seconds();
    await waiting.focus();
    await page.getByText(/^\/fast has waited \d+\.\d s behind \/slow$/).waitFor();
    await pollUntil(async () => (await findFront(HIGHLIGHT)) > 0);
    await pollUntil(async () => (await seconds()) >= early + 0.5);

    const note = page.locator('#notes li');
    await note.waitFor();
    expect(await note.innerText()).toMatch(/^\/fast took \d\.\d s, \d\.\d s of it waiting behind \/slow$/);
    const { totalMs, waitMs } = await ended;
    expect(waitMs).toBeGreaterThan(1000);
    expect(totalMs).toBeGreaterThanOrEqual(waitMs);
    expect(totalMs).toBeGreaterThan((await toHead) - 0.1);
    expect(await readData(note.locator('data'))).toBe(totalMs);
    const inChart = page.locator('#latency-chart data').first();
    await pollUntil(async () => (await readData(inChart)) > 0);
    // The app may summarise a second in a histogram of three digits.
    expect((await readData(inChart)) / totalMs).toBeCloseTo(1, 2);
    await pollUntil(async () => (await findFront(BUS, '#latency-chart canvas')) > 0);
    expect(incidents).toEqual([]);
  });

  test('the pool grows from 1 to 10 under load, and no request fails', async () => {
    await setPool({ slowMs: 200 });
    await openPage();
    let isOver = false;
    const statuses = Promise.all(
      ['/slow', '/fast', '/fast', '/fast', '/slow', '/fast'].map(async (path) => {
        const seen = [];
        while (!isOver) seen.push((await fetch(app.url + path)).status);
        return seen;
      }),
    );
    await page.getByRole('button', { name: '/fast waits' }).first().waitFor();
    await page.getByText(/^The last minute: .* wait .* because /).waitFor();

    await page.getByRole('button', { name: '10', exact: true }).click();

    await page.getByText('The pool has 10 lanes now.').waitFor();
    await page.getByRole('img', { name: /^The tunnel has 10 lanes/ }).waitFor();
    await page.getByRole('heading', { name: /of 10 lanes busy, nobody is waiting/ }).waitFor();
    // Waits at the size before say nothing about this one.
    await page
      .locator('#diagnosis', { hasText: /^The last minute: / })
      .filter({ hasNotText: 'only connection' })
      .waitFor();
    isOver = true;
    const all = (await statuses).flat();
    expect(all.length).toBeGreaterThan(20);
    expect(new Set(all)).toEqual(new Set([200]));
    const preset = page.getByRole('button', { name: '10', exact: true });
    expect(await preset.getAttribute('aria-pressed')).toBe('true');
    expect(incidents).toEqual([]);
  });

  test('an invalid pool size shows an error and changes nothing', async () => {
    await openPage();
    const field = page.getByRole('spinbutton', { name: 'Pool size' });
    await field.fill('5000');
    await field.press('Enter');

    await page.locator('#pool-size .problem', { hasText: 'number from 1 to 1000' }).waitFor();
    expect((await readPool()).max).toBe(1);
    expect(await field.inputValue()).toBe('5000');
  });
});
