import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { expect, test } from '@jest/globals';
import { describeInBrowser, launchChromium } from 'test-support/chromium.js';
import { cleanUp } from 'test-support/cleanup.js';
import { spawnReplicaSet } from 'test-support/mongod.js';
import { until } from 'test-support/waiting.js';

const APP = fileURLToPath(new URL('read-anywhere-app.js', import.meta.url));
const GAUGES = {
  used: /connections?\{.*pool_name="([^/"]+).*state="used"\} (\d+)$/gm,
  waiting: /pending_requests\{.*pool_name="([^/"]+).*\} (\d+)$/gm,
};

/** An app that reads from all three servers of a set, each with at most 2 connections. */
async function startApp() {
  const [set, browser] = await Promise.all([spawnReplicaSet([], 3), launchChromium()]);
  cleanUp(set.stop);
  cleanUp(() => browser.close());
  const child = spawn(process.execPath, ['--import', 'mongodb-pool-monitor/attach', APP], {
    env: { ...process.env, MONGO_URL: set.url, NODE_OPTIONS: '' },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  cleanUp(() => child.kill('SIGKILL'));
  const lines = [child.stdout, child.stderr].map((input) => once(createInterface({ input }), 'line'));
  const [[app], [watching]] = await Promise.all(lines);
  return { app: String(app), monitor: String(/http:\S+/.exec(watching)), browser };
}

/** What each server's pool does, by its address. @param {string} url of the monitor */
async function readGauges(url) {
  const text = await (await fetch(`${url}metrics`)).text();
  const [used, waiting] = [GAUGES.used, GAUGES.waiting].map((gauge) =>
    Object.fromEntries(Array.from(text.matchAll(gauge), ([, address, value]) => [address, Number(value)])),
  );
  return Object.keys(used).map((address) => ({ address, used: used[address], waiting: waiting[address] }));
}

describeInBrowser('a client of several servers', () => {
  test('has a tunnel for each, and each sentence is about one of them', async () => {
    const { app, monitor, browser } = await startApp();
    const get = (/** @type {string} */ path) => fetch(app + path).then((response) => response.text());
    await get('/quick');
    const page = await browser.newPage({ viewport: { width: 1440, height: 900 } });
    page.setDefaultTimeout(60_000);
    await page.goto(monitor);
    await page.getByText(/^This is client \S+, to 127\.0\.0\.1:\d+ \(primary\)\.$/).waitFor();
    const requests = ['/primary', ...Array(5).fill('/secondary')].map(get);
    const headings = page.getByRole('heading', { name: /lanes? busy|lanes are free|waiting/ });

    // Two secondaries have four lanes for five queries.
    await until('one waits', async () => (await readGauges(monitor)).some(({ waiting }) => waiting === 1));
    await page.getByRole('heading', { name: /^The primary\. 1 of 2 lanes busy, nobody is waiting\.$/ }).waitFor();
    await page
      .getByRole('heading', { name: /^Client \S+, to \S+ \(secondary\)\. 2 of 2 lanes busy, 1 waiting, for/ })
      .waitFor();
    const texts = await headings.allTextContents();
    for (const { address, used, waiting } of await readGauges(monitor)) {
      const told = texts.find((text) => text.includes(address)) ?? texts[0];
      expect(told).toContain(`${used} of 2 lanes busy, ${waiting || 'nobody is'} waiting`);
    }
    expect(texts).toHaveLength(3);
    await page
      .getByText(/^1 waits for 127\.0\.0\.1:\d+ now, because 2 × \/secondary.* hold all 2 connections\.$/)
      .waitFor();
    expect(await page.getByRole('img', { name: /^The tunnel has 2 lanes/ }).count()).toBe(3);
    await Promise.all(requests);
  });
});
