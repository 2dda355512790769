import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFile, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { cleanUp, scratchFolder } from 'test-support/cleanup.js';
import { until } from 'test-support/waiting.js';
import { saveSampleResult } from '../report/sample-result.js';
import { cleanEnvironment } from '../../../test/support/start-app.js';
import { runCli } from '../support/run-cli.js';

const folder = await scratchFolder();

describe('a watched lesson', () => {
  const env = { POOL_LAB_DATA: path.join(folder, 'data') };

  /** @param {string[]} args */
  function watch(...args) {
    const child = spawn(process.execPath, ['lab/cli.js', 'workshop', 'watch', ...args, '--results', folder], {
      env: cleanEnvironment(env),
    });
    cleanUp(() => child.kill('SIGKILL'));
    let said = '';
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (text) => {
        said += text;
      });
    return { child, says: (/** @type {string} */ words) => until(words, () => said.includes(words)), read: () => said };
  }

  test('watch checks each new result by itself and ends when one is right', async () => {
    await runCli(['workshop', 'guess', '2', '20'], { env });
    const { child, says } = watch('2');
    const ended = once(child, 'exit');
    await says('Watching');
    saveSampleResult(folder, 3);
    await says('Not yet. First run it with one lane');
    saveSampleResult(folder, 1);
    await says('Right. A query of 2 ms');
    await says('3 of 3 points: you guessed 20, and it was 20 seconds.');
    expect(await ended).toEqual([0, null]);
  });

  test('a signal ends it', async () => {
    const { child, says, read } = watch('3');
    await says('Watching');
    child.kill('SIGINT');
    expect(await once(child, 'exit')).toEqual([130, null]);
    expect(read()).not.toMatch(/Interrupted|^ +at /m);
  });
});

describe('a case', () => {
  const LINE = /^9 of 10 requests took at most: \/order .+, \/customer .+, \/offers .+$/m;
  const CLASS = { url: 'http://127.0.0.1:1/join/ABC234', learner: 'one', name: 'Ada', unsent: [] };

  /** Starts the third case in a folder of its own, as a learner of a class. */
  async function startCase() {
    const folder = await scratchFolder();
    const progress = path.join(folder, 'workshop.json');
    await writeFile(progress, JSON.stringify({ lessons: {}, class: CLASS }));
    const child = spawn(process.execPath, ['lab/cli.js', 'case', '3'], {
      env: cleanEnvironment({ POOL_LAB_DATA: folder }),
    });
    cleanUp(() => child.kill('SIGKILL'));
    let said = '';
    child.stdout.setEncoding('utf8').on('data', (text) => (said += text));
    child.stderr.setEncoding('utf8').on('data', (text) => (said += text));
    return {
      folder,
      shop: path.join(folder, 'case-3', 'shop.mjs'),
      /** @param {RegExp} words to wait for, after what was said before */
      hear: async (words) => {
        await until(`it says ${words}`, () => words.test(said), 60_000).catch((error) => {
          throw new Error(`${error.message}: ${said}`);
        });
        const all = said;
        said = '';
        return all;
      },
      readCause: async () => JSON.parse(await readFile(progress, 'utf8')).lessons['case-3'].cause,
      async stop() {
        child.kill('SIGINT');
        return (await once(child, 'exit'))[0];
      },
    };
  }

  test('a class gets the same cause; a saved file starts the shop again, also one that has an error', async () => {
    const [ada, ben, cleo] = [await startCase(), await startCase(), await startCase()];
    const intro = await ada.hear(LINE);
    expect(intro).toMatch(/npx pool-lab attach \d+\n/);
    expect(intro).toContain('npx pool-lab workshop verify case-3 --cause NAME --route');
    await Promise.all([ben.hear(LINE), cleo.hear(LINE)]);
    const causes = await Promise.all([ada, ben, cleo].map(({ readCause }) => readCause()));
    expect(new Set(causes).size).toBe(1);
    expect(intro).toContain(causes[0]);
    expect(await Promise.all([ben.stop(), cleo.stop()])).toEqual([130, 130]);

    await writeFile(ada.shop, 'export const routes = ;');
    await ada.hear(/The file has changed.+SyntaxError/s);
    await copyFile('lessons/cases/shop.mjs', ada.shop);
    await ada.hear(new RegExp(`The file has changed.+${LINE.source}`, 'ms'));
    expect(await ada.stop()).toBe(130);
  }, 180_000);
});
