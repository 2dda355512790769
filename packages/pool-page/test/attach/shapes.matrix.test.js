import { spawn } from 'node:child_process';
import { cp, symlink } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from '@jest/globals';
import { MongoClient } from 'mongodb';
import { cleanUp, scratchFolder, startMongod } from 'test-support/cleanup.js';
import { install } from 'test-support/installations.js';
import { runNode } from 'test-support/processes.js';
import { measureUntil, until } from 'test-support/waiting.js';

/** How long each find takes, and how wrong a wait may be. */
const [FIND_MS, TOLERANCE_MS] = [300, 25];
/** Much longer than anything takes on a busy machine. */
const PATIENCE_MS = 60_000;

const { port } = await startMongod(['--setParameter', 'enableTestCommands=1']);
const url = `mongodb://127.0.0.1:${port}`;
const client = await MongoClient.connect(url);
cleanUp(() => client.close());
await client.db('admin').command({
  configureFailPoint: 'failCommand',
  mode: 'alwaysOn',
  data: { failCommands: ['find'], blockConnection: true, blockTimeMS: FIND_MS, appName: 'shop' },
});

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

/** @typedef {{ args: string[], of?: 'libraries' | 'shapes', path?: string, route?: string }} Shape */

/** @type {[string, Shape][]} */
const SHAPES = Object.entries({
  koa: { args: ['shapes.mjs', 'koa'], of: 'libraries' },
  hapi: { args: ['shapes.mjs', 'hapi'], of: 'libraries', route: '/users/{id}' },
  'Fastify 3': { args: ['shapes.mjs', 'fastify3'], of: 'libraries' },
  'Fastify 4': { args: ['shapes.mjs', 'fastify4'], of: 'libraries' },
  'Fastify 5': { args: ['shapes.mjs', 'fastify5'], of: 'libraries' },
  Nest: { args: ['shapes.mjs', 'nest'] },
  Apollo: { args: ['shapes.mjs', 'apollo'], path: '/', route: 'POST / GetUser' },
  Agenda: { args: ['shapes.mjs', 'agenda'], path: '', route: 'background' },
  tsx: { args: ['node_modules/tsx/dist/cli.mjs', 'server.cjs'] },
  nodemon: { args: ['node_modules/nodemon/bin/nodemon.js', 'server.cjs'] },
  pm2: { args: ['node_modules/pm2/bin/pm2-runtime', 'server.cjs', '--instances', '1'] },
  'a bundle': { args: ['bundle.cjs'] },
  'a minified bundle': { args: ['minified.cjs'] },
});
const QUERY = {
  method: 'POST',
  headers: { 'Content-Type': 'application/json' },
  body: '{"query":"query GetUser { user }"}',
};

test.concurrent.each(SHAPES)(
  '%s: it is watched, its routes have their names, and waits are right',
  async (_, { args, of = 'shapes', path: asked = '/users/7', route = '/users/:id' }) => {
    const app = await start(args, folders[of]);
    const waits = await measureUntil(
      async () => {
        if (asked !== '')
          await (await fetch(`http://127.0.0.1:${app.port}${asked}`, asked === '/' ? QUERY : {})).text();
        return app.listWaits(route);
      },
      (found) => found.some(isRight),
      10,
    );
    expect(waits.find(isRight) ?? waits).toEqual(expect.any(Number));
  },
);

/** @param {number} waitMs */
function isRight(waitMs) {
  return Math.abs(waitMs - FIND_MS) <= TOLERANCE_MS;
}

/** @param {string[]} args @param {string} cwd */
async function start(args, cwd) {
  const child = spawn(process.execPath, args, {
    cwd,
    // Some start the app in other processes.
    detached: true,
    env: {
      ...process.env,
      NODE_OPTIONS: `--import=${import.meta.resolve('mongodb-pool-monitor/attach')}`,
      MONGO_URL: url,
      PM2_HOME: path.join(cwd, 'pm2'),
      ESBUILD_BINARY_PATH: path.resolve('node_modules/@esbuild', `${process.platform}-${process.arch}`, 'bin/esbuild'),
    },
  });
  cleanUp(() => {
    try {
      process.kill(-Number(child.pid), 'SIGKILL');
    } catch {
      // It has ended.
    }
  });
  let said = '';
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (chunk) => (said += chunk));
  const find = (/** @type {RegExp} */ words) =>
    until(String(words), () => words.exec(said)?.[1], PATIENCE_MS).catch(({ message }) => {
      throw new Error(`${message}\n${said}`);
    });
  const listening = await find(/listening (\d+)/);
  const monitor = find(/watching process \d+: (http:\S+)/);
  monitor.catch(() => {});
  return {
    port: listening,
    /** @param {string} route @returns {Promise<number[]>} of its checkouts, in ms */
    async listWaits(route) {
      const pool = await monitor;
      const ofRoute = async () => {
        const { checkouts } = await (await fetch(`${pool}pool/checkouts`)).json();
        const own = checkouts.filter((/** @type {any} */ each) => each.route === route && each.checkedOutAtMs !== null);
        return own.map((/** @type {any} */ each) => each.checkedOutAtMs - each.checkOutStartedAtMs);
      };
      return until(
        `checkouts of ${route}`,
        async () => {
          const waits = await ofRoute();
          return waits.some((/** @type {number} */ ms) => ms > FIND_MS / 2) && waits;
        },
        PATIENCE_MS,
      ).catch(async ({ message }) => {
        throw new Error(`${message}: ${await (await fetch(`${pool}pool/requests`)).text()}\n${said}`);
      });
    },
  };
}
