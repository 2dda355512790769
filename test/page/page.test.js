import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { describeInBrowser } from 'test-support/chromium.js';
import { openMongoGate } from '../support/mongo-gate.js';
import {
  BUS,
  HIGHLIGHT,
  findFront,
  incidents,
  openPage,
  page,
  pollUntil,
  readData,
  readEnded,
  send,
  start,
  timeToHead,
} from './live-page.js';

describeInBrowser('the live page of the real app', () => {
  /** @type {Awaited<ReturnType<typeof openMongoGate>>} */
  let gate;
  /** @type {Awaited<ReturnType<typeof start>>} */
  let app;
  beforeAll(async () => {
    gate = await openMongoGate();
    app = await start({ MONGO_URL: gate.url, SLOW_MS: '1000' });
  });
  afterAll(() => app?.stop());

  test('a Ferrari waits behind a bus, and the page says how long and for what', async () => {
    await openPage({}, app.url);
    gate.hold();
    await send('a bus');
    await page.getByRole('img', { name: 'The tunnel has 1 lane: 1 with a bus' }).waitFor();
    const ended = readEnded('/fast', app.url);
    const toHead = timeToHead('/fast');
    const waiting = page.getByRole('button', { name: '/fast waits behind /slow' });
    await page.getByRole('heading', { name: /^The only lane is busy, 1 waiting, for \d+\.\d s\.$/ }).waitFor();

    const seconds = async () => Number.parseFloat((await waiting.innerText()).split('for')[1]);
    await waiting.focus();
    await page.getByText(/^\/fast has waited \d+\.\d s behind \/slow$/).waitFor();
    await pollUntil(async () => (await findFront(HIGHLIGHT)) > 0);
    await pollUntil(async () => (await seconds()) >= 1.5);
    gate.release();

    const note = page.locator('#notes li');
    await note.waitFor();
    expect(await note.innerText()).toMatch(
      /^\/fast took \d+\.\d s, \d+\.\d s of it waiting behind \/slow \d\d:\d\d:\d\d$/,
    );
    const { totalMs, waitMs } = await ended;
    // The page saw it wait for 1.5 s.
    expect(waitMs).toBeGreaterThan(1400);
    expect(totalMs).toBeGreaterThanOrEqual(waitMs);
    expect(totalMs).toBeGreaterThan((await toHead) - 0.1);
    expect(await readData(note.locator('data'))).toBe(totalMs);
    const inChart = page.locator('#latency-chart data').first();
    await pollUntil(async () => (await readData(inChart)) > 0);
    // Of one request, a percentile says nothing.
    expect(await inChart.innerText()).toMatch(/^max \d+\.\d s$/);
    // The app may summarise a second in a histogram of three digits.
    expect((await readData(inChart)) / totalMs).toBeCloseTo(1, 2);
    await pollUntil(async () => (await findFront(BUS, '#latency-chart canvas')) > 0);
    expect(incidents).toEqual([]);
  });
});
