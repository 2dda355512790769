import { spawn } from 'node:child_process';
import { once } from 'node:events';
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
