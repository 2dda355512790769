import { expect, test } from '@jest/globals';
import { describeInBrowser } from 'test-support/chromium.js';
import { measureUntil } from 'test-support/waiting.js';
import {
  BUS,
  findFaults,
  findFront,
  incidents,
  openForEachTest,
  openPage,
  page,
  pollUntil,
  readPool,
  readStyle,
  send,
  setPool,
} from './live-page.js';

describeInBrowser('the look of the live page', () => {
  openForEachTest();

  test('ten Ferraris queue up, and what does not fit is counted', async () => {
    await openPage({ viewport: { width: 390, height: 844 } });
    await send('a bus');
    await page.getByRole('heading', { name: /^The only lane is busy, nobody is waiting/ }).waitFor();
    await send('ten Ferraris');

    await page.getByRole('heading', { name: /busy, 10 waiting, the longest for/ }).waitFor();
    const shown = page.getByRole('button', { name: '/fast waits' });
    await pollUntil(async () => (await shown.count()) > 0);
    const more = Number.parseInt((await page.locator('.rest').innerText()).slice(1), 10);
    expect((await shown.count()) + more).toBe(10);
  });

  test.each([320, 390, 768, 1440])('at %i pixels, traffic does not move the controls', async (width) => {
    await openPage({ viewport: { width, height: 900 } });
    const top = async () =>
      page
        .locator('#controls')
        .evaluate((node) => node.getBoundingClientRect().top - node.ownerDocument.body.getBoundingClientRect().top);
    const atFirst = await top();
    await send('a bus');
    await send('ten Ferraris');
    await page.getByRole('heading', { name: /busy, 10 waiting, the longest for/ }).waitFor();
    expect(await top()).toBeCloseTo(atFirst, 0);
    await page.getByRole('button', { name: '/fast waits' }).first().focus();
    await page.getByText(/^\/fast has waited/).waitFor();
    expect(await top()).toBeCloseTo(atFirst, 0);
    await page.locator('#notes li').first().waitFor();
    expect(await top()).toBeCloseTo(atFirst, 0);
  });

  test('a hovered button does not look like a selected one', async () => {
    await openPage();
    const [selected, other] = ['1', '3'].map((name) => page.getByRole('button', { name, exact: true }));
    const lookOf = (/** @type {typeof other} */ button) => readStyle(button, ['background-color', 'color']);
    await page.locator('#pool-size [aria-pressed=true]').waitFor();
    const atRest = await lookOf(other);
    await other.hover();

    const [hovered, pressed] = [await lookOf(other), await lookOf(selected)];
    expect(hovered).not.toEqual(atRest);
    expect(hovered[0]).not.toBe(pressed[0]);
    expect(hovered[1]).not.toBe(pressed[1]);
    await selected.hover();
    expect(await lookOf(selected)).toEqual(pressed);
  });

  test('a window too small for any lane causes no error', async () => {
    await openPage({ viewport: { width: 60, height: 40 } });
    // There may be no room for a pixel of it.
    await page.getByRole('img', { name: /1 open$/ }).waitFor({ state: 'attached' });
    await page.locator('#tunnel').evaluate(
      (node) =>
        new Promise((resolve) => {
          node.ownerDocument.defaultView?.requestAnimationFrame(resolve);
        }),
    );
    expect(incidents).toEqual([]);
  });

  test.each([3, 100, 1000])('a bus is visible on %i lanes', async (poolSize) => {
    await setPool({ poolSize });
    await openPage();
    await send('a bus');

    const lanes = `The tunnel has ${poolSize} lanes: 1 with a bus`;
    await page.getByRole('img', { name: new RegExp(`^${lanes}`) }).waitFor();
    await pollUntil(async () => (await findFront(BUS)) > 0);
    expect(incidents).toEqual([]);
  });

  test('the page is small and paints within a second', async () => {
    const paintedAtMs = await measureUntil(
      async () => {
        await openPage();
        const { bytes, paintMs } = await page.evaluate(() => {
          const entries = performance.getEntries();
          return {
            bytes: entries.reduce((sum, entry) => sum + (Reflect.get(entry, 'encodedBodySize') ?? 0), 0),
            paintMs: entries.find(({ name }) => name === 'first-contentful-paint')?.startTime,
          };
        });
        expect(bytes).toBeGreaterThan(200_000);
        expect(bytes).toBeLessThan(1_500_000);
        return Number(paintMs);
      },
      (ms) => ms < 1000,
    );
    expect(paintedAtMs).toBeLessThan(1000);
    expect(incidents).toEqual([]);
  });

  test.each([390, 768, 1440, 2560])('nothing overflows at a width of %i pixels', async (width) => {
    await openPage({ viewport: { width, height: 900 } });
    await send('a bus');
    await send('ten Ferraris');
    await page.getByRole('heading', { name: /10 waiting/ }).waitFor();

    await page.getByText('10 are waiting now.').waitFor();
    const times = page.locator('#queue .large button');
    expect(await times.count()).toBeGreaterThan(0);
    for (const time of await times.all()) {
      expect(await time.innerText()).toMatch(/\d\.\d s$/);
      expect(Number.parseFloat((await readStyle(time, ['font-size']))[0])).toBeGreaterThan(28);
    }
    const excess = await page.locator('html').evaluate((root) => root.scrollWidth - root.clientWidth);
    expect(excess).toBe(0);
    for (const part of ['#sentence', '.what', '#queue', '#tunnel', '#pool-size', '#latency-chart canvas']) {
      const box = await page.locator(part).boundingBox();
      expect(box?.width).toBeGreaterThan(100);
      expect((box?.x ?? 0) + (box?.width ?? Infinity)).toBeLessThanOrEqual(width);
    }
  });

  test.each(
    /** @type {const} */ ([
      ['no-preference', true],
      ['reduce', false],
    ]),
  )('with prefers-reduced-motion "%s", a bus moves: %s', async (reducedMotion, moves) => {
    await openPage({ reducedMotion });
    await send('a bus');
    await pollUntil(async () => (await findFront(BUS)) > 0);
    const x = await findFront(BUS);
    await pollUntil(async () => (await readPool()).lanes[0].busyMs > 1500);

    expect((await findFront(BUS)) > x).toBe(moves);
  });

  test.each(/** @type {const} */ (['light', 'dark']))('axe finds no violation in the %s theme', async (colorScheme) => {
    await openPage({ colorScheme });
    await send('a bus');
    await send('ten Ferraris');
    // The queue stands still now, so that the pointer meets who it aims at.
    await page.getByRole('heading', { name: /10 waiting/ }).waitFor();
    await page.getByRole('button', { name: '/fast waits' }).first().hover();
    await page.getByText(/^\/fast has waited/).waitFor();

    expect(await findFaults()).toEqual([]);
  });
});
