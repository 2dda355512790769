import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { pathToFileURL } from 'node:url';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { cleanUp, scratchFolder } from 'test-support/cleanup.js';

/** On Windows a process can't handle signals. */
const onPosix = process.platform === 'win32' ? describe.skip : describe;

/** @type {string} */
let script;

beforeAll(async () => {
  script = path.join(await scratchFolder(), 'busy.mjs');
  const module = pathToFileURL(path.resolve('lab/cli/signals.js')).href;
  await writeFile(
    script,
    `import { abortOnSignal } from ${JSON.stringify(module)};
const { signal } = abortOnSignal('Stopped.');
signal.addEventListener('abort', () => process.stdout.write('aborted'));
process.stdout.write('ready');
setInterval(() => {}, 1000);`,
  );
});

async function startBusy() {
  const child = spawn(process.execPath, [script], { stdio: ['ignore', 'pipe', 'pipe'] });
  cleanUp(() => child.kill('SIGKILL'));
  const stderr = text(child.stderr);
  await once(child.stdout, 'data');
  return { child, stderr };
}

onPosix('a run that does not end when it is aborted', () => {
  test.concurrent('is ended by force, and says what was interrupted', async () => {
    const { child, stderr } = await startBusy();
    child.kill('SIGHUP');
    expect(await once(child, 'exit')).toEqual([129, null]);
    expect(await stderr).toBe('Stopped.\n');
  });

  test.concurrent('ends at once by a second signal', async () => {
    const { child, stderr } = await startBusy();
    child.kill('SIGTERM');
    await once(child.stdout, 'data');
    child.kill('SIGINT');
    expect(await once(child, 'exit')).toEqual([null, 'SIGINT']);
    expect(await stderr).toBe('');
  });
});
