import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, readdir, mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { MongoClient } from 'mongodb';
import { findFreePort } from 'test-support/processes.js';
import { forkScript } from '../../lab/harness/forked-process.js';
import { findMongod } from '../../src/mongo/find-mongod.js';
import { readSettings } from '../../src/settings.js';

/**
 * @typedef {object} Row what one fault did
 * @property {string} name of the fault
 * @property {number} sent requests
 * @property {number} answered with 200
 * @property {number} refused as they should be, e.g. with 503
 * @property {string[]} problems wrong or missing answers, contradictory gauges, leaks
 * @property {number} [recoveryMs] Infinity where the app never recovered
 * @property {string} [note]
 *
 * @typedef {{ isShort: boolean, report: (row: Row) => void }} Options
 *
 * @typedef {import('mongodb-pool-page').ClientReading
 *   & { requests: ReturnType<ReturnType<typeof
 *   import('../../src/http/concurrency-limit.js').createConcurrencyLimit>['snapshot']> }
 * } PoolReading the part of `GET /pool` that is used here
 *
 * @typedef {Awaited<ReturnType<typeof startApp>>} App
 * @typedef {{ app: App, admins: MongoClient[] }} TestBed `admins` has a client for each server, to query it directly
 */

const SERVER = fileURLToPath(new URL('../../src/server.js', import.meta.url));

/** The name by which servers know the app's connections. */
export const APP_NAME = 'chaos-app';

/**
 * Starts the app in a process that can be sent signals.
 * @param {Record<string, string>} settings environment variables
 */
export async function startApp(settings) {
  const { child, message, pid, stop } = await forkScript(SERVER, {
    name: 'the app',
    env: { HOST: '127.0.0.1', PORT: '0', LOG_LEVEL: 'fatal', MONGO_APP_NAME: APP_NAME, ...settings },
  });
  const url = String(message.url);
  return {
    url,
    stop,
    /** Resolves with the exit code; null after a signal. */
    exited: once(child, 'exit').then(([code]) => /** @type {number | null} */ (code)),
    kill: (/** @type {NodeJS.Signals} */ signal) => child.kill(signal),
    readPool: async () => /** @type {PoolReading} */ (await (await fetch(`${url}/pool`)).json()),
    /** Memory and open file descriptors; null where there is no /proc. */
    async readProcess() {
      try {
        const [status, descriptors] = await Promise.all([
          readFile(`/proc/${pid}/status`, 'utf8'),
          readdir(`/proc/${pid}/fd`),
        ]);
        return { rssMB: Number(status.match(/VmRSS:\s+(\d+)/)?.[1]) / 1024, descriptors: descriptors.length };
      } catch {
        return null;
      }
    },
  };
}

/**
 * Runs work against an app with a healthy mongod.
 * @template T
 * @param {Record<string, string>} settings environment variables
 * @param {(testBed: TestBed) => Promise<T>} work
 */
export async function withApp(settings, work) {
  const mongod = await createMongod();
  await mongod.start();
  const admins = [await MongoClient.connect(mongod.url)];
  const app = await startApp({ MONGO_URL: mongod.url, ...settings });
  try {
    return await work({ app, admins });
  } finally {
    await app.stop();
    await admins[0].close();
    await mongod.remove();
  }
}

/** @typedef {Awaited<ReturnType<typeof createMongod>>} Mongod */

/** A mongod that can be stopped, killed, paused and started again on the same port with the same data. */
export async function createMongod() {
  const { file } = await findMongod(readSettings());
  const folder = await mkdtemp(path.join(os.tmpdir(), 'pool-lab-chaos-'));
  const port = await findFreePort();
  const url = `mongodb://127.0.0.1:${port}/?directConnection=true`;
  /** @type {import('node:child_process').ChildProcess | undefined} */
  let child;

  async function start() {
    child = spawn(
      file,
      ['--dbpath', folder, '--port', String(port), '--bind_ip', '127.0.0.1', '--setParameter', 'enableTestCommands=1'],
      { stdio: 'ignore' },
    );
    const client = await MongoClient.connect(url, { serverSelectionTimeoutMS: 30_000 });
    await client.close();
  }
  /** @param {NodeJS.Signals} signal */
  async function end(signal) {
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    child.kill(signal);
    await once(child, 'exit');
  }
  const killWithParent = () => child?.kill('SIGKILL');
  process.once('exit', killWithParent);
  return {
    url,
    port,
    start,
    end,
    pause: () => child?.kill('SIGSTOP'),
    resume: () => child?.kill('SIGCONT'),
    async remove() {
      await end('SIGKILL');
      process.off('exit', killWithParent);
      await rm(folder, { recursive: true, force: true });
    },
  };
}
