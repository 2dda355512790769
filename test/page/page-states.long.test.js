import { expect, test } from '@jest/globals';
import { describeInBrowser } from 'test-support/chromium.js';
import { startMongod } from 'test-support/cleanup.js';
import {
  findFaults,
  incidents,
  openForEachTest,
  openPage,
  page,
  pollUntil,
  readPool,
  send,
  start,
  timeToHead,
} from './live-page.js';

describeInBrowser('the live page of an app that is not as usual', () => {
  openForEachTest();

  test('buses with a separate pool have a separate tunnel, and Ferraris drive past', async () => {
    const other = await start({ MONGO_POOLSIZE: '2', SLOW_POOLSIZE: '1' });
    try {
      await openPage({ viewport: { width: 390, height: 844 } }, other.url);
      await send('a bus');
      await send('a bus');
      await page
        .getByRole('heading', { name: /^Client slow, to \S+\. The only lane is busy, 1 waiting, for \d+\.\d s\.$/ })
        .waitFor();
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

  test('it says that MongoDB is unreachable, lists failures, and is live again afterwards', async () => {
    const mongod = await startMongod();
    const other = await start({
      MONGO_URL: `mongodb://127.0.0.1:${mongod.port}`,
      MONGO_SERVER_SELECTION_TIMEOUT_MS: '500',
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
      // A failure is counted, but its time is no measurement.
      const listFailed = async () => {
        const { seconds } = await (await fetch(`${other.url}/pool/seconds`)).json();
        return seconds.filter((/** @type {any} */ { routes }) => routes['/fast']?.failures === 1);
      };
      // The second has to end before it is listed.
      await pollUntil(async () => (await listFailed()).length > 0);
      await page.getByRole('img', { name: /^Responses per second, latest: .* failed 0$/ }).waitFor();
      expect(await listFailed()).toHaveLength(1);
      expect(await page.locator('#latency-chart data').allInnerTexts()).toEqual(['', '', '', '']);
      await page.reload();
      await page.getByText('None since this page was opened.').waitFor();

      await mongod.start();
      await page.getByText('Live', { exact: true }).waitFor();
      await page.getByRole('heading', { name: 'The only lane is free.' }).waitFor();
    } finally {
      await other.stop();
    }
  });

  test.each([
    ['off', /^This page is read-only/],
    ['on', /^SLOW_MS, 1 to/],
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
    await openPage({ viewport: { width: 390, height: 844 } }, other.url);
    const top = async () => (await page.locator('#tunnel').boundingBox())?.y;
    const before = await top();
    await other.stop();
    await page.getByText('The app is not responding. Retrying.').waitFor();
    expect(await top()).toBe(before);

    const again = await start({ PORT: port, MONGO_POOLSIZE: '3' });
    try {
      await page.getByText('Live', { exact: true }).waitFor();
      await page.getByRole('img', { name: /^The tunnel has 3 lanes/ }).waitFor();
    } finally {
      await again.stop();
    }
  });
});
