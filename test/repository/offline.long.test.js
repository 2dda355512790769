import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { expect, test } from '@jest/globals';
import { cleanEnvironment } from '../support/environment.js';
import { cutNetwork } from '../support/offline.js';
import { scratchFolder } from 'test-support/cleanup.js';

const prefix = await cutNetwork();
const testOffline = prefix ? test : test.skip;
const folder = await scratchFolder();

/** @param {string} command */
async function runOffline(command) {
  const [file, ...args] = [...(prefix ?? []), 'sh', '-c', command];
  const child = spawn(file, args, { env: cleanEnvironment(), stdio: ['ignore', 'pipe', 'pipe'] });
  const [[code], ...said] = await Promise.all([once(child, 'close'), text(child.stdout), text(child.stderr)]);
  return { code, said: said.join('\n') };
}

// The lessons of the workshop are done without a network too, by their own test.
testOffline('the demo works without a network, with a MongoDB of its own', async () => {
  const short = `--environment smoke --slow-ms 200 --pool-sizes 1,3 --parallel --out ${folder}`;
  expect(await runOffline(`npm run demo -- ${short}`)).toMatchObject({
    code: 0,
    said: expect.stringMatching(/^ +3 +4 +0 .+Report: /ms),
  });
});

testOffline('so do tests', async () => {
  expect(await runOffline('npm test -- test/app.test.js')).toMatchObject({
    code: 0,
    said: expect.stringMatching(/Tests: +\d+ passed/),
  });
});
