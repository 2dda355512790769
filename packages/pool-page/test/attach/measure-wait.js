import { spawn } from 'node:child_process';
import { createRequire } from 'node:module';
import path from 'node:path';
import { MongoClient } from 'mongodb';
import { cleanUp, scratchFolder, startMongod } from 'test-support/cleanup.js';
import { measureUntil, until } from 'test-support/waiting.js';

/** How long each find takes, and how wrong a wait may be. */
const [FIND_MS, TOLERANCE_MS] = [300, 25];
/** Much longer than anything takes on a busy machine. */
const PATIENCE_MS = 60_000;

/** Starts a MongoDB whose finds take FIND_MS for clients called `shop`. @returns {Promise<string>} its URL */
export async function startSlowMongo() {
  const { port } = await startMongod(['--setParameter', 'enableTestCommands=1']);
  const url = `mongodb://127.0.0.1:${port}`;
  const client = await MongoClient.connect(url);
  cleanUp(() => client.close());
  await client.db('admin').command({
    configureFailPoint: 'failCommand',
    mode: 'alwaysOn',
    data: { failCommands: ['find'], blockConnection: true, blockTimeMS: FIND_MS, appName: 'shop' },
  });
  return url;
}

/**
 * @typedef {object} Shape
 * @property {string[]} args of node
 * @property {string} cwd
 * @property {string} [path] of a request whose second find waits for its first one
 * @property {string} [route] the name of its route
 * @property {RegExp} [listening] what it says of its port
 */

/**
 * Starts an app with the monitor, sends it requests until one has waited for as long as it must, and stops it.
 *
 * @param {string} mongoUrl
 * @param {Shape} shape
 * @returns {Promise<number | number[]>} the right wait, or else all wrong ones
 */
export async function measureWait(mongoUrl, { args, cwd, path: asked = '/users/7', route = '/users/:id', listening }) {
  const app = await start(mongoUrl, args, cwd, listening);
  let known = 0;
  const waits = await measureUntil(
    async () => {
      if (asked !== '') await (await fetch(`http://127.0.0.1:${app.port}${asked}`, asked === '/' ? QUERY : {})).text();
      const found = await app.listWaits(route, known);
      known = found.length;
      return found;
    },
    (found) => found.some(isRight),
    10,
  );
  return waits.find(isRight) ?? waits;
}

/** @param {number} waitMs */
function isRight(waitMs) {
  return Math.abs(waitMs - FIND_MS) <= TOLERANCE_MS;
}

const QUERY = {
  method: 'POST',
  headers: { 'Content-Type': 'application/json' },
  body: '{"query":"query GetUser { user }"}',
};

/** @param {string} mongoUrl @param {string[]} args @param {string} cwd @param {RegExp} [listening] */
async function start(mongoUrl, args, cwd, listening = /listening (\d+)/) {
  const child = spawn(process.execPath, args, {
    cwd,
    // Some start the app in other processes.
    detached: true,
    env: {
      ...process.env,
      NODE_OPTIONS: `--require=${createRequire(import.meta.url).resolve('mongodb-pool-monitor/attach')}`,
      MONGO_URL: mongoUrl,
      // Not in the apps' folder: nodemon would see pm2's files there, and start its app again.
      PM2_HOME: await scratchFolder(),
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
  const port = await find(listening);
  const monitor = find(/watching process \d+: (http:\S+)/);
  monitor.catch(() => {});
  return {
    port,
    /**
     * @param {string} route
     * @param {number} known how many there were before
     * @returns {Promise<number[]>} long waits of its checkouts, in ms, once there are more
     */
    async listWaits(route, known) {
      const pool = await monitor;
      return until(
        `checkouts of ${route}`,
        async () => {
          const { checkouts } = await (await fetch(`${pool}pool/checkouts`)).json();
          const waits = checkouts
            .filter((/** @type {any} */ each) => each.route === route && each.checkedOutAtMs !== null)
            .map((/** @type {any} */ each) => each.checkedOutAtMs - each.checkOutStartedAtMs)
            .filter((/** @type {number} */ ms) => ms > FIND_MS / 2);
          return waits.length > known && waits;
        },
        PATIENCE_MS,
      ).catch(async ({ message }) => {
        throw new Error(`${message}: ${await (await fetch(`${pool}pool/requests`)).text()}\n${said}`);
      });
    },
  };
}
