import { cp, symlink } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from '@jest/globals';
import { scratchFolder } from 'test-support/cleanup.js';
import { install } from 'test-support/installations.js';
import { runNode } from 'test-support/processes.js';
import { measureWait, startSlowMongo } from './measure-wait.js';

/** @import { Shape } from './measure-wait.js' */

const url = await startSlowMongo();

/** @param {'libraries' | 'shapes'} name @returns {Promise<string>} a folder with the apps, and these libraries */
async function prepare(name) {
  const folder = await scratchFolder();
  await cp(fileURLToPath(new URL('app', import.meta.url)), folder, { recursive: true });
  await symlink(await install(name), path.join(folder, 'node_modules'), 'junction');
  return folder;
}
const folders = { libraries: await prepare('libraries'), shapes: await prepare('shapes') };

const esbuild = path.resolve('node_modules/esbuild/bin/esbuild');
for (const [name, ...flags] of [['bundle'], ['minified', '--minify']])
  await runNode([esbuild, 'server.cjs', '--bundle', '--platform=node', `--outfile=${name}.cjs`, ...flags], {
    cwd: folders.shapes,
  });

/** @type {[string, Omit<Shape, 'cwd'> & { of?: 'libraries' | 'shapes' }][]} */
const SHAPES = Object.entries({
  koa: { args: ['shapes.mjs', 'koa'], of: 'libraries' },
  hapi: { args: ['shapes.mjs', 'hapi'], of: 'libraries', route: '/users/{id}' },
  'Fastify 3': { args: ['shapes.mjs', 'fastify3'], of: 'libraries' },
  'Fastify 4': { args: ['shapes.mjs', 'fastify4'], of: 'libraries' },
  'Fastify 5': { args: ['shapes.mjs', 'fastify5'], of: 'libraries' },
  Nest: { args: ['shapes.mjs', 'nest'] },
  Apollo: { args: ['shapes.mjs', 'apollo'], path: '/', route: 'POST / GetUser' },
  tRPC: { args: ['shapes.mjs', 'trpc'], of: 'libraries', path: '/api/trpc/user.list', route: '/api/trpc/user.list' },
  Hono: { args: ['shapes.mjs', 'hono'], of: 'libraries', path: '/users/rex' },
  'socket.io': { args: ['shapes.mjs', 'socketio'], of: 'libraries', path: '', route: 'event order' },
  Agenda: { args: ['shapes.mjs', 'agenda'], path: '', route: 'the app itself' },
  'Agenda with named jobs': { args: ['shapes.mjs', 'namedAgenda'], path: '', route: 'job mail' },
  tsx: { args: ['node_modules/tsx/dist/cli.mjs', 'server.cjs'] },
  nodemon: { args: ['node_modules/nodemon/bin/nodemon.js', 'server.cjs'] },
  pm2: { args: ['node_modules/pm2/bin/pm2-runtime', 'server.cjs', '--instances', '1'] },
  'a bundle': { args: ['bundle.cjs'] },
  'a minified bundle': { args: ['minified.cjs'] },
});
test.concurrent.each(SHAPES)(
  '%s: it is watched, its routes have their names, and waits are right',
  async (_, { of = 'shapes', ...shape }) => {
    expect(await measureWait(url, { ...shape, cwd: folders[of] })).toEqual(expect.any(Number));
  },
);
