// What the page measures, on a machine that does nothing else.
import { expect, test } from '@jest/globals';
import { setTimeout as sleep } from 'node:timers/promises';
import { describeInBrowser } from 'test-support/chromium.js';
import { app, findFaults, incidents, openForEachTest, openPage, page, setPool } from './live-page.js';

/** The middle one of three results. @param {() => Promise<number>} measure */
async function medianOf(measure) {
  const results = [await measure(), await measure(), await measure()];
  return results.toSorted((one, other) => one - other)[1];
}

/** A bus and ten Ferraris a second, each on its own socket: nobody waits for answers. @param {number} durationMs */
async function bringLoad(durationMs) {
  const requests = [];
  for (let atMs = 0, startMs = performance.now(); atMs < durationMs; atMs += 100) {
    await sleep(startMs + atMs - performance.now());
    for (const route of atMs % 1000 === 0 ? ['/fast', '/slow'] : ['/fast'])
      requests.push(fetch(app.url + route, { headers: { connection: 'close' } }));
  }
  const responses = await Promise.all(requests);
  expect(responses.map(({ status }) => status)).toEqual(responses.map(() => 200));
}

/** The first time in a text such as `/fast p95 2.3 ms, /slow p95 5.0 s`. @param {string} text */
function readMs(text) {
  const [, value, unit] = text.match(/([\d.,]+)\s(ms|s)\b/) ?? [];
  return Number(value) * (unit === 's' ? 1000 : 1);
}

describeInBrowser('the live page', () => {
  openForEachTest();

  test('the page paints within a second', async () => {
    const paintedAtMs = await medianOf(async () => {
      await openPage();
      return page.evaluate(() => performance.getEntriesByName('first-contentful-paint')[0].startTime);
    });
    expect(paintedAtMs).toBeLessThan(1000);
    expect(incidents).toEqual([]);
  });

  test('it predicts what was measured within 15 %, and less than half with ten connections', async () => {
    await setPool({ slowMs: 500 });
    await openPage({ viewport: { width: 390, height: 844 } });
    const section = page.getByRole('region', { name: 'What if the pool were larger?' });
    const slider = section.getByRole('slider', { name: 'Try a pool size' });
    await section.getByText(/^Send at least ten requests/).waitFor();
    expect(await slider.count()).toBe(0);
    await bringLoad(5000);
    await section.getByText(/: 50\s\/fast, 5\s\/slow/).waitFor();
    await slider.press('Home');
    const figures = await section.getByText(/^With 1 connection: .* Measured with 1 connection: /).innerText();
    const [predictedMs, measuredMs] = figures.split('Measured').map(readMs);
    expect(measuredMs).toBeGreaterThan(200);
    expect(predictedMs).toBeGreaterThan(measuredMs * 0.85);
    expect(predictedMs).toBeLessThan(measuredMs * 1.15);
    await slider.press('End');
    const answer = await section.getByText(/^With 10 connections, \/fast would have taken /).innerText();
    expect(readMs(answer)).toBeLessThan(predictedMs / 2);
    expect(await slider.getAttribute('aria-valuetext')).toBe(answer.trim());
    await slider.press('ArrowLeft');
    await section.getByText(/^With 9 connections, /).waitFor();
    expect(await page.locator('html').evaluate((root) => root.scrollWidth - root.clientWidth)).toBe(0);
    expect(await findFaults()).toEqual([]);
    expect(incidents).toEqual([]);
  });
});
