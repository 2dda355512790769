import { readdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { beforeAll, expect, test } from '@jest/globals';
import { forkScript } from '../../harness/forked-process.js';
import { cleanUp, scratchFolder } from 'test-support/cleanup.js';

/** Replies with what it is asked, dies of `die`, and keeps quiet at `wait`. @type {string} */
let script;

beforeAll(async () => {
  script = path.join(await scratchFolder(), 'echo.mjs');
  await writeFile(
    script,
    `process.send('ready');
process.on('message', (question) => {
  if (question === 'die') throw new Error('asked to die');
  if (question !== 'wait') process.send(question);
});
process.on('disconnect', () => process.exit());`,
  );
});

/** @param {AbortSignal} [signal] */
async function start(signal) {
  const echo = await forkScript(script, { name: 'the echo', signal });
  cleanUp(echo.stop);
  return echo;
}

test('a script is asked one thing after the other', async () => {
  const echo = await start();
  expect([echo.message, await echo.ask('one'), await echo.ask('two')]).toEqual(['ready', 'one', 'two']);
});

test('one that dies instead of an answer says why', async () => {
  const echo = await start();
  await expect(echo.ask('die')).rejects.toThrow(/^the echo ended by itself: [^]*asked to die/);
});

test('whoever waits for an answer can be interrupted', async () => {
  const controller = new AbortController();
  const echo = await start(controller.signal);
  const answer = echo.ask('wait');
  controller.abort(new Error('enough'));
  await expect(answer).rejects.toThrow('enough');
});

test('after an interruption, nothing is started', async () => {
  const folder = await scratchFolder();
  const marking = path.join(folder, 'mark.mjs');
  await writeFile(
    marking,
    `import { writeFileSync } from 'node:fs';
writeFileSync(new URL('started', import.meta.url), '');
process.send('ready');
process.disconnect();`,
  );
  const signal = AbortSignal.abort(new Error('enough'));
  await expect(forkScript(marking, { name: 'the mark', signal })).rejects.toThrow('enough');
  expect(await readdir(folder)).toEqual(['mark.mjs']);
});
