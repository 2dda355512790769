import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { MongoClient } from 'mongodb';
import { findMongod } from '../../src/mongo/find-mongod.js';
import { readSettings } from '../../src/settings.js';
import { findFreePort } from 'test-support/processes.js';

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
