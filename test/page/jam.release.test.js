// What the page says while a load test jams the pool, read every 250 ms.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, expect, test } from '@jest/globals';
import { describeInBrowser } from 'test-support/chromium.js';
import { openPage, page, start } from './live-page.js';

const READ_EVERY_MS = 250;
/** Within this time, a queue has an explanation. */
const EXPLAINED_MS = 1000;
/** The jam of users-and-admins.yaml lasts for minutes. */
const MAX_READ_MS = 100_000;
const TIMEOUT_MS = 300_000;
/** What the page says, by its place. */
const PLACES = {
  headline: '#sentence',
  reason: '#queue-reason',
  verdict: '#diagnosis',
  doubt: '#what-if .doubt',
  answer: '#what-if .answer',
};

/** @typedef {Record<keyof typeof PLACES, string>} Said */

/** @returns {Promise<Said>} what can be seen at one moment */
function readPage() {
  return page.locator('body').evaluate(
    (body, places) =>
      /** @type {any} */ (Object.fromEntries)(
        Object.entries(places).map(([name, selector]) => {
          const element = /** @type {HTMLElement | null} */ (body.querySelector(selector));
          return [name, element?.checkVisibility({ visibilityProperty: true }) ? element.innerText.trim() : ''];
        }),
      ),
    PLACES,
  );
}

/** What is wrong with a moment of the page. @param {Said} said @returns {string | null} */
function findFault({ headline, reason, verdict, doubt }) {
  const [, waiting = '0'] = headline.match(/(\d+) waiting/) ?? [];
  const [, longest = '0'] = headline.match(/for ([\d.]+) s/) ?? [];
  if (waiting === '0') return reason === '' ? null : 'a reason without a queue';
  if (reason === '' && Number(longest) * 1000 >= EXPLAINED_MS) return 'no reason';
  if (reason !== '' && !reason.startsWith(`${waiting} wait`)) return 'another number';
  if (reason !== '' && /All is well|do not wait/.test(verdict)) return 'a verdict that nobody waits';
  if (reason !== '' && /[Nn]obody waited for|queue is empty/.test(doubt)) return 'a wrong doubt';
  return null;
}

describeInBrowser('while a load test jams the pool, no second is empty or wrong', () => {
  /** @type {Awaited<ReturnType<typeof start>>} */
  let app;
  afterEach(() => app.stop());

  test.each([
    ['mixed', 1],
    ['mixed', 3],
    ['users-and-admins', 1],
    ['users-and-admins', 3],
  ])(
    '%s.yaml, with a pool of %i',
    async (scenario, poolSize) => {
      app = await start({ MONGO_POOLSIZE: String(poolSize) });
      await openPage({}, app.url);
      const load = spawn('npx', ['artillery', 'run', '--quiet', '--target', app.url, `loadtests/${scenario}.yaml`], {
        stdio: 'ignore',
      });
      let isOver = false;
      once(load, 'exit').then(() => (isOver = true));
      /** @type {{ s: number, said: Said, fault: string | null }[]} */
      const moments = [];
      for (let ms = 0; !isOver && ms < MAX_READ_MS; ms += READ_EVERY_MS) {
        const said = await readPage();
        moments.push({ s: ms / 1000, said, fault: findFault(said) });
        await sleep(READ_EVERY_MS);
      }
      load.kill();
      const explained = moments.filter(({ said }) => said.reason !== '');
      const table = explained
        .filter((_, index) => index % 20 === 0)
        .map(({ s, said }) => [s, ...Object.values(said)].join(' | '));
      process.stdout.write(
        `\n${scenario}.yaml, pool of ${poolSize}: ${explained.length} moments with a queue\n${table.join('\n')}\n`,
      );
      expect(moments.filter(({ fault }) => fault !== null)).toEqual([]);
      expect(explained.length).toBeGreaterThan(5);
      expect(explained.every(({ said }) => /\/(slow|fast)/.test(said.reason))).toBe(true);
    },
    TIMEOUT_MS,
  );
});
