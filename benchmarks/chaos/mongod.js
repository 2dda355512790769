import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { MongoClient } from 'mongodb';
import { findMongod } from '../../src/mongo/find-mongod.js';
import { readSettings } from '../../src/settings.js';

/** A mongod on a port and on data of its own, that can be ended in every way and started again. */
export async function createMongod() {
  const { file } = await findMongod(readSettings());
  const folder = await mkdtemp(path.join(os.tmpdir(), 'pool-lab-chaos-'));
  const port = await findFreePort();
  const url = `mongodb://127.0.0.1:${port}/?directConnection=true`;
  let child;
  let ended;

  async function start() {
    child = spawn(file, [
      '--dbpath', folder, '--port', String(port), '--bind_ip', '127.0.0.1', '--setParameter', 'enableTestCommands=1',
    ], { stdio: 'ignore' });
    ended = once(child, 'exit');
    const client = await MongoClient.connect(url, { serverSelectionTimeoutMS: 30_000 });
    await client.close();
  }
  async function end(signal) {
    child.kill(signal);
    await ended;
  }
  const killWithParent = () => child?.kill('SIGKILL');
  process.once('exit', killWithParent);
  return {
    url,
    port,
    start,
    end,
    pause: () => child.kill('SIGSTOP'),
    resume: () => child.kill('SIGCONT'),
    async remove() {
      await end('SIGKILL');
      process.off('exit', killWithParent);
      await rm(folder, { recursive: true, force: true });
    },
  };
}

async function findFreePort() {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address();
  server.close();
  await once(server, 'close');
  return port;
}
