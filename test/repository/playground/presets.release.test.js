import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { expect, test } from '@jest/globals';
import { SCREENS } from '../../../playground/browser/screens.js';
import { describeInBrowser } from 'test-support/chromium.js';
import { runCli } from '../../../lab/test/support/run-cli.js';
import { until } from 'test-support/waiting.js';
import { buildOnce, drag, folder, openPlayground, readFigures } from './playground-page.js';

/** @import { Page } from 'playwright-core' */

/**
 * `pool-lab predict` on a scenario.
 * @param {string} yaml
 * @param {{ services?: string[], cores?: number, poolSizes: number[] }} input
 */
async function predict(yaml, { services = [], cores, poolSizes }) {
  const file = path.join(folder, 'scenario.yaml');
  await writeFile(file, yaml);
  return predictWith(
    file,
    '--workers',
    '1',
    '--pool-sizes',
    poolSizes.join(),
    ...services.flatMap((service) => ['--service', service]),
    ...(cores ? ['--server-cores', String(cores)] : []),
  );
}

/** @param {string[]} args */
async function predictWith(...args) {
  const { code, stdout, stderr } = await runCli(['predict', ...args, '--json']);
  expect({ code, stderr }).toEqual({ code: 0, stderr: expect.any(String) });
  return JSON.parse(stdout);
}

/** Makes a line one of a trace without waits, of a pool with a timeout. @param {any} line */
function withoutWaits(line) {
  if (line.define === 'pool') return [{ ...line, options: { ...line.options, waitQueueTimeoutMS: { value: 40 } } }];
  // A request's line has the wait in its time.
  if (line.status !== undefined) return [];
  return ['waitMs' in line ? { ...line, waitMs: 0, behind: undefined } : line];
}

/** The sandbox's table: percentiles and failures by route. @param {Page} page */
async function readPercentiles(page) {
  const rows = await page.locator('#percentiles tr').all();
  return Object.fromEntries(
    await Promise.all(
      rows.map(async (row) => [
        await row.locator('th').innerText(),
        await row
          .locator('data')
          .evaluateAll((cells) => cells.map((cell) => Number(/** @type {HTMLDataElement} */ (cell).value))),
      ]),
    ),
  );
}

/** The same of a prediction. @param {any} result */
function percentilesOf({ variants: [{ predicted }] }) {
  return Object.fromEntries(
    Object.entries(/** @type {Record<string, any>} */ (predicted.routes)).map(([route, times]) => [
      route,
      [times.p50Ms, times.p95Ms, times.p99Ms, times.maxMs, times.failures],
    ]),
  );
}

describeInBrowser('the figures of the playground are those of pool-lab predict, to the last digit', () => {
  buildOnce();

  test('on each screen', async () => {
    const page = await openPlayground();
    for (const screen of SCREENS) {
      await page.locator(`#${screen.id} .guess button`).click();
      await page.locator(`#${screen.id} .verdict`).filter({ hasText: /\d/ }).waitFor();
      const preset = screen.preset(Object.fromEntries(screen.handles.map(({ name, value }) => [name, value])));
      const { variants } = await predict(String(preset.yaml), preset);
      expect(await readFigures(page, screen.id)).toEqual(
        Object.fromEntries(
          variants.map((/** @type {any} */ { settings, predicted }) => [settings.poolSize, screen.figureOf(predicted)]),
        ),
      );
    }
    await page.close();
  });

  test('in the sandbox, which arrives at random, and prints the command for it', async () => {
    const page = await openPlayground('#sandbox?spread=exponential&slow=500&pool=2');
    await page.locator('#percentiles data').first().waitFor();
    await page.locator('#command summary').click();
    const [yaml, command] = [
      await page.locator('#command pre').innerText(),
      await page.locator('#command code').innerText(),
    ];
    const services = [...command.matchAll(/--service '([^']+)'/g)].map(([, service]) => service);
    const result = await predict(yaml, { services, poolSizes: [2] });
    expect(await readPercentiles(page)).toEqual(percentilesOf(result));
    expect(result.settings.seeds).toBe(99);
    await page.close();
  });

  test.each([
    ['a trace', (/** @type {any} */ line) => [line], 6],
    ['a trace of an app with a timeout, where nobody waited', withoutWaits, 12],
  ])('of %s, which stays on the page', async (_, change, poolSize) => {
    const recorded = (await readFile('examples/ordinary-minute.jsonl', 'utf8')).trim().split('\n');
    const lines = recorded.flatMap((line) => change(JSON.parse(line)));
    const file = path.join(folder, 'trace.jsonl');
    await writeFile(file, lines.map((line) => JSON.stringify(line)).join('\n'));
    const page = await openPlayground('#sandbox');
    await page.locator('#own-traffic summary').click();
    await page.locator('#trace-file').setInputFiles(file);
    await page.getByText('The trace trace.jsonl').waitFor();
    await drag(page.locator('#sandbox-pool'), poolSize);
    const expected = percentilesOf(await predictWith('--trace', file, '--pool-sizes', String(poolSize)));
    await until('these figures', async () => {
      const shown = await readPercentiles(page);
      // predict leaves out what is not sure.
      const sure = Object.entries(expected).map(([route, figures]) => [
        route,
        figures.map((figure, index) => figure ?? shown[route]?.[index]),
      ]);
      return isDeepStrictEqual(shown, Object.fromEntries(sure));
    });
    expect(page.url()).not.toContain('trace');
    await page.close();
  });

  test('of a pasted scenario, which the link holds', async () => {
    const page = await openPlayground('#sandbox');
    const yaml = await readFile('loadtests/users-and-admins.yaml', 'utf8');
    await page.locator('#own-traffic summary').click();
    await page.locator('#yaml').fill(yaml);
    await page.getByRole('button', { name: 'Use it' }).click();
    await page.getByLabel('/slow takes, in ms').fill('5000');
    await page.getByLabel('/fast takes, in ms').fill('exponential:2');
    await drag(page.locator('#sandbox-pool'), 8);
    const result = await predict(yaml, { services: ['/slow=5000', '/fast=exponential:2'], poolSizes: [8] });
    await until('these figures', async () => isDeepStrictEqual(await readPercentiles(page), percentilesOf(result)));
    await until('the link', () => page.url().includes('pool=8'));
    const copy = await openPlayground(new URL(page.url()).hash);
    expect(await readPercentiles(copy)).toEqual(percentilesOf(result));
    await Promise.all([page.close(), copy.close()]);
  });
});
