import { expect, test } from '@jest/globals';
import { describeInBrowser } from '../support/chromium.js';
import { startMongod } from '../support/mongod-process.js';
import {
  HIGHLIGHT, app, findFaults, findFront, incidents, openForEachTest, openPage, page, pollUntil, readData, readEnded,
  readPool, send, setPool, start, timeToHead,
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
    await pollUntil(async () => await findFront(HIGHLIGHT) > 0);
    await pollUntil(async () => await seconds() >= early + 0.5);

    const note = page.locator('#notes li');
    await note.waitFor();
    expect(await note.innerText()).toMatch(/^\/fast took \d\.\d s, \d\.\d s of it waiting behind \/slow$/);
    const { totalMs, waitMs } = await ended;
    expect(waitMs).toBeGreaterThan(1000);
    expect(totalMs).toBeGreaterThanOrEqual(waitMs);
    expect(totalMs).toBeGreaterThan(await toHead - 0.1);
    expect(await readData(note.locator('data'))).toBe(totalMs);
    const inChart = page.locator('#latency-chart data').first();
    await pollUntil(async () => await readData(inChart) > 0);
    // The app may summarise a second in a histogram of three digits.
    expect(await readData(inChart) / totalMs).toBeCloseTo(1, 2);
    expect(incidents).toEqual([]);
  });

  test('the pool grows from 1 to 10 under load, and no request fails', async () => {
    await setPool({ slowMs: 200 });
    await openPage();
    let isOver = false;
    const statuses = Promise.all(['/slow', '/fast', '/fast', '/fast', '/slow', '/fast'].map(async (path) => {
      const seen = [];
      while (!isOver) seen.push((await fetch(app.url + path)).status);
      return seen;
    }));
    await page.getByRole('button', { name: '/fast waits' }).first().waitFor();

    await page.getByRole('button', { name: '10', exact: true }).click();

    await page.getByText('The pool has 10 lanes now.').waitFor();
    await page.getByRole('img', { name: /^The tunnel has 10 lanes/ }).waitFor();
    await page.getByRole('heading', { name: /of 10 lanes busy, nobody is waiting/ }).waitFor();
    isOver = true;
    const all = (await statuses).flat();
    expect(all.length).toBeGreaterThan(20);
    expect(new Set(all)).toEqual(new Set([200]));
    const preset = page.getByRole('button', { name: '10', exact: true });
    expect(await preset.getAttribute('aria-pressed')).toBe('true');
    expect(incidents).toEqual([]);
  });

  test('buses with a separate pool have a separate tunnel, and Ferraris drive past', async () => {
    const other = await start({ MONGO_POOLSIZE: '2', SLOW_POOLSIZE: '1' });
    try {
      await openPage({ viewport: { width: 390, height: 844 } }, other.url);
      await send('a bus');
      await send('a bus');
      await page.getByRole('heading', { name: /^Client slow, to \S+\. The only lane is busy, 1 waiting, for \d+\.\d s\.$/ }).waitFor();
      await page.getByRole('heading', { name: 'All 2 lanes are free.' }).waitFor();
      await timeToHead('/fast');
      expect((await readPool(other.url)).clients[1]).toMatchObject({ active: 1, waiting: 1 });
      // Where it pressed the button, the queue may come under the pointer.
      await page.mouse.move(0, 0);
      await page.getByRole('button', { name: '/slow waits behind /slow' }).focus();
      await page.getByText(/^\/slow has waited \d+\.\d s behind \/slow$/).waitFor();
      await page.getByText(/^No prediction: the simulator has one pool/).waitFor();
      expect(await page.locator('html').evaluate((root) => root.scrollWidth - root.clientWidth)).toBe(0);
      expect(await findFaults()).toEqual([]);
      expect(incidents).toEqual([]);
    } finally {
      await other.stop();
    }
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

  test('mixed.yaml runs while somebody changes the pool, and its result remains on the page', async () => {
    await setPool({ poolSize: 3, slowMs: 300 });
    await openPage();
    await page.getByRole('button', { name: 'Run mixed.yaml' }).click();
    await page.getByRole('progressbar', { name: 'Progress of the load test' }).waitFor();
    await page.getByRole('button', { name: '10', exact: true }).click();
    await page.getByText('The pool has 10 lanes now.').waitFor();
    const changes = /changed during the test: the pool size to 10 after \d+\.\d s/;
    await page.getByText(new RegExp(`^running; ${changes.source}$`)).waitFor();

    const row = page.getByRole('row', { name: /^3 \d+ ms/ });
    await row.waitFor({ timeout: 60_000 });
    expect(await row.getByRole('cell').nth(1).innerText()).toBe('–');
    expect(await row.getByRole('cell').nth(3).innerText()).toBe('10');
    expect(await row.getByRole('cell').nth(4).innerText()).toBe('0');
    const summary = page.getByText(new RegExp(`^With a pool of 3 \\(${changes.source}\\), the slowest .*; no request failed\\.$`));
    await summary.waitFor({ state: 'attached' });
    await page.reload();
    await row.waitFor();
    await page.getByRole('cell', { name: changes }).waitFor();
    expect(incidents).toEqual([]);
  });

  test('it says that MongoDB is unreachable, lists failures, and is live again afterwards', async () => {
    const mongod = await startMongod();
    const other = await start({
      MONGO_URL: `mongodb://127.0.0.1:${mongod.port}`, MONGO_SERVER_SELECTION_TIMEOUT_MS: '500',
    });
    try {
      await openPage({}, other.url);
      await page.getByRole('heading', { name: 'The only lane is free.' }).waitFor();
      await mongod.kill('SIGKILL');
      await page.getByRole('heading', { name: 'MongoDB is unreachable, requests fail.' }).waitFor();
      await page.getByText(/^The app responds, but MongoDB does not/).waitFor();
      await page.getByRole('img', { name: /: 1 closed$/ }).waitFor();
      await send('a Ferrari');
      await page.getByText(/^Sent\. It will fail/).waitFor();
      await page.getByText(/^\/fast failed with status 503 after \d+ ms$/).waitFor();
      expect(await findFaults()).toEqual([]);

      await mongod.start();
      await page.getByText('Live', { exact: true }).waitFor();
      await page.getByRole('heading', { name: 'The only lane is free.' }).waitFor();
    } finally {
      await other.stop();
    }
  });

  test.each([
    ['off', /^This page is read-only/], ['on', /^SLOW_MS, 1 to/],
  ])('with its controls %s it says so', async (controls, text) => {
    const other = await start({ CONTROLS: controls });
    try {
      await openPage({}, other.url);
      await page.getByText(text).waitFor();
      expect(await page.getByRole('button', { name: 'Send a bus' }).count()).toBe(controls === 'on' ? 1 : 0);
    } finally {
      await other.stop();
    }
  });

  test('it says that the app is not responding, and catches up when it is back', async () => {
    const other = await start();
    const port = new URL(other.url).port;
    await openPage({}, other.url);
    await other.stop();
    await page.getByText('The app is not responding. The page shows the last known state and keeps retrying.').waitFor();

    const again = await start({ PORT: port, MONGO_POOLSIZE: '3' });
    try {
      await page.getByText('Live', { exact: true }).waitFor();
      await page.getByRole('img', { name: /^The tunnel has 3 lanes/ }).waitFor();
    } finally {
      await again.stop();
    }
  });
});
