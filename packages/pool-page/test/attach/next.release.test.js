import { cp, mkdtemp, rm } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from '@jest/globals';
import { cleanUp } from 'test-support/cleanup.js';
import { install } from 'test-support/installations.js';
import { runNode } from 'test-support/processes.js';
import { measureWait, startSlowMongo } from './measure-wait.js';

const url = await startSlowMongo();
const libraries = await install('next');
// Next.js takes the folder with the lock file for the project's, and refuses links to libraries outside of it.
const cwd = await mkdtemp(path.join(path.dirname(libraries), 'app-'));
cleanUp(() => rm(cwd, { recursive: true, force: true }));
await cp(fileURLToPath(new URL('next-app', import.meta.url)), cwd, { recursive: true });
const next = path.join(libraries, 'next', 'dist', 'bin', 'next');
const built = await runNode([next, 'build'], { cwd, env: { NEXT_TELEMETRY_DISABLED: '1' } });

test.each([
  ['app', '/users/7', '/users/[id]'],
  ['pages', '/orders/7', '/orders/[id]'],
])('Next.js, %s router: it is watched, its routes have their names, and waits are right', async (_, asked, route) => {
  expect(built).toMatchObject({ code: 0 });
  const args = [next, 'start', '--hostname', '127.0.0.1', '--port', '0'];
  expect(await measureWait(url, { args, cwd, path: asked, route, listening: /127\.0\.0\.1:(\d+)/ })).toEqual(
    expect.any(Number),
  );
});
