import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { beforeAll, expect, test } from '@jest/globals';
import { cleanUp, scratchFolder } from 'test-support/cleanup.js';

/** @type {string} */
let script;
beforeAll(async () => {
  script = path.join(await scratchFolder(), 'owner.mjs');
  const module = pathToFileURL(path.resolve('src/process/temp-folder.js')).href;
  await writeFile(
    script,
    `import { makeTempFolder } from ${JSON.stringify(module)};
process.send([await makeTempFolder('mongodb'), await makeTempFolder('artillery')]);
process.on('message', () => {});`,
  );
});

/** A process that has made a temporary folder for each use. @param {string} temp */
async function startOwner(temp) {
  const child = fork(script, { env: { ...process.env, TMPDIR: temp, TEMP: temp } });
  cleanUp(() => child.kill('SIGKILL'));
  const [[mongodb, artillery]] = await once(child, 'message');
  return { child, mongodb, artillery };
}

test('what a dead process left over is removed, and nothing else', async () => {
  const temp = await scratchFolder();
  const dead = await startOwner(temp);
  await mkdir(path.join(dead.mongodb, 'member-0'));
  await writeFile(path.join(dead.mongodb, 'member-0', 'data'), 'old');
  const alive = await startOwner(temp);
  // Linux knows when a process started: another one had this id before.
  const reused = alive.mongodb.replace(/-\d+-(\w+)-\w+$/, '-1-$1-reused');
  // The ids of a container that shares the temporary folder are its own.
  const elsewhere = dead.mongodb.replace(/-\w+-\w+$/, '-0123456789ab-elsewhere');
  for (const folder of [reused, elsewhere]) await mkdir(folder);
  dead.child.kill('SIGKILL');
  await once(dead.child, 'exit');

  const { mongodb, artillery } = await startOwner(temp);
  const kept = [alive.mongodb, alive.artillery, elsewhere, ...(process.platform === 'linux' ? [] : [reused])];
  expect((await readdir(temp)).map((name) => path.join(temp, name)).sort()).toEqual(
    [...kept, mongodb, artillery].sort(),
  );
});
