import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { cleanUp } from 'test-support/cleanup.js';
import { until } from 'test-support/waiting.js';
import { cleanEnvironment } from '../../../test/support/start-app.js';

/** Starts a case. @param {string} folder of a learner @param {number} number */
export async function startCase(folder, number) {
  const child = spawn(process.execPath, ['lab/cli.js', 'case', String(number)], {
    env: cleanEnvironment({ POOL_LAB_DATA: folder }),
  });
  cleanUp(() => child.kill('SIGKILL'));
  let said = '';
  child.stdout.setEncoding('utf8').on('data', (text) => (said += text));
  child.stderr.setEncoding('utf8').on('data', (text) => (said += text));
  return {
    shop: path.join(folder, `case-${number}`, 'shop.mjs'),
    /** @param {RegExp} words to wait for, after what was said before */
    hear: async (words) => {
      await until(`it says ${words}`, () => words.test(said), 60_000).catch((error) => {
        throw new Error(`${error.message}: ${said}`);
      });
      const all = said;
      said = '';
      return all;
    },
    readCause: async () => {
      const { lessons } = JSON.parse(await readFile(path.join(folder, 'workshop.json'), 'utf8'));
      return lessons[`case-${number}`].cause;
    },
    async stop() {
      child.kill('SIGINT');
      return (await once(child, 'exit'))[0];
    },
  };
}
