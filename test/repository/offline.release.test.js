import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { expect, test } from '@jest/globals';
import { scratchFolder } from 'test-support/cleanup.js';
import { cutNetwork } from '../support/offline.js';
import { cleanEnvironment } from '../support/start-app.js';

const prefix = await cutNetwork();
const folder = await scratchFolder();

const testOffline = prefix ? test : test.skip;

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
    said: expect.stringMatching(/^ +3 +4 .+Report: /ms),
  });
});

testOffline('tests run without a network', async () => {
  expect(await runOffline('npm test -- test/app.test.js')).toMatchObject({
    code: 0,
    said: expect.stringMatching(/Tests: +\d+ passed/),
  });
});
