import { fork } from 'node:child_process';
import { once } from 'node:events';
import { readdir, readFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { cleanUp } from 'test-support/cleanup.js';
import { SETTINGS } from '../../src/base/settings-table.js';
import { isRunning } from '../../src/process/process-info.js';

/** The machine says where mongod is. The test decides on every other setting. */
const KEPT = ['MONGOD_PATH', 'POOL_LAB_CACHE'];

/** An environment for a child process, without the developer's settings. @param {Record<string, string>} [settings] */
export function cleanEnvironment(settings) {
  const names = SETTINGS.map(({ env }) => env).filter((env) => !KEPT.includes(env));
  const inherited = Object.entries(process.env).filter(([name]) => !names.includes(name));
  return { ...Object.fromEntries(inherited), ...settings };
}

const SERVER = fileURLToPath(new URL('../../src/server.js', import.meta.url));
/** A folder without a .env file. */
const HERE = fileURLToPath(new URL('.', import.meta.url));

/**
 * @typedef {object} AppProcess
 * @property {import('node:child_process').ChildProcess} child
 * @property {number} pid
 * @property {Promise<string>} url resolves when the app listens; rejects when it ends earlier
 * @property {Promise<{ code: number | null, stdout: string, stderr: string }>} ended
 * @property {() => Promise<void>} stop ends the app, and resolves once its shutdown is over
 */

/**
 * Runs `node src/server.js` in a new process on a free port.
 * @param {Record<string, string>} [settings]
 * @param {{ args?: string[], cwd?: string, server?: string, openFiles?: number }} [options] server: the file to run;
 *   openFiles: that it may have, not on Windows
 * @returns {AppProcess}
 */
export function startApp(settings, { args = [], cwd = HERE, server = SERVER, openFiles } = {}) {
  const limited = ['-c', `ulimit -n ${openFiles}; exec "${process.execPath}" "$@"`, 'sh'];
  const child = fork(server, args, {
    cwd,
    silent: true,
    ...(openFiles ? { execPath: 'sh', execArgv: limited } : { execArgv: [] }),
    env: cleanEnvironment({ PORT: '0', ...settings }),
  });
  // Does nothing if it has ended.
  cleanUp(() => child.kill('SIGKILL'));
  const ended = collect(child);
  const url = Promise.race([
    once(child, 'message').then(([message]) => message.url),
    ended.then(({ stdout, stderr }) => {
      throw new Error(`the app did not start: ${stderr}${stdout}`);
    }),
  ]);
  // Not every test awaits it.
  url.catch(() => {});
  const stop = async () => {
    if (child.connected) child.disconnect();
    await ended;
  };
  return { child, pid: /** @type {number} */ (child.pid), url, ended, stop };
}

/** @param {import('node:child_process').ChildProcess} child */
async function collect(child) {
  // Not the event 'close': Node leaves it out when the parent has disconnected.
  const [[code], stdout, stderr] = await Promise.all([
    once(child, 'exit'),
    text(/** @type {import('node:stream').Readable} */ (child.stdout)),
    text(/** @type {import('node:stream').Readable} */ (child.stderr)),
  ]);
  return { code, stdout, stderr };
}

/** @param {string} url */
export function refusesConnections(url) {
  return fetch(`${url}/livez`).then(
    () => false,
    (error) => error.cause?.code === 'ECONNREFUSED',
  );
}

/** The data folders of a process's embedded MongoDBs. @param {number} pid */
export async function dataFoldersOf(pid) {
  const names = await readdir(os.tmpdir());
  return names
    .filter((name) => name.startsWith(`mongodb-pool-lab-${pid}-`))
    .map((name) => path.join(os.tmpdir(), name));
}

/**
 * The process ids of a process's running mongods: each one writes its id to a file beside its data. One that was
 * started in vain may have left its folder.
 * @param {number} pid
 */
export async function mongodsOf(pid) {
  const pids = [];
  for (const folder of await dataFoldersOf(pid)) {
    for (const member of await readdir(folder)) {
      pids.push(Number(await readFile(path.join(folder, member, 'mongod.lock'), 'utf8')));
    }
  }
  return pids.filter(isRunning);
}
