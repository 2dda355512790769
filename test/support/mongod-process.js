import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { MongoClient } from 'mongodb';
import { cleanUp } from './cleanup.js';
import { findFreePort } from './free-port.js';
import { realMongod } from './real-mongod.js';
import { until } from './until.js';

/**
 * A mongod that can be killed and started again with the same data. It ends with the test file.
 * @param {string[]} [args]
 */
export async function startMongod(args = []) {
  const file = await realMongod();
  const folder = await mkdtemp(path.join(os.tmpdir(), 'pool-lab-test-mongod-'));
  const port = await findFreePort();
  /** @type {import('node:child_process').ChildProcess} */
  let child;

  async function start() {
    child = spawn(file, ['--dbpath', folder, '--port', String(port), '--bind_ip', '127.0.0.1', ...args]);
    const lines = createInterface({ input: /** @type {import('node:stream').Readable} */ (child.stdout) });
    for await (const line of lines) if (line.includes('Waiting for connections')) break;
    child.stdout?.resume();
  }

  /** @param {NodeJS.Signals} signal */
  async function kill(signal) {
    if (child.exitCode !== null || child.signalCode !== null) return;
    child.kill(signal);
    await once(child, 'exit');
  }

  cleanUp(async () => {
    await kill('SIGKILL');
    await rm(folder, { recursive: true });
  });
  await start();
  return { port, start, kill, pause: () => child.kill('SIGSTOP'), goOn: () => child.kill('SIGCONT') };
}

/** Like startMongod, as a replica set. The mongod that comes back is its first. @param {string[]} [args] @param {number} [members] */
export async function startReplicaSet(args = [], members = 1) {
  const mongods = await Promise.all(Array.from({ length: members }, () => startMongod(['--replSet', 'rs', ...args])));
  const hosts = mongods.map(({ port }) => `127.0.0.1:${port}`);
  const client = new MongoClient(`mongodb://${hosts[0]}/?directConnection=true`);
  await client.db('admin').command({
    replSetInitiate: {
      _id: 'rs', members: hosts.map((host, _id) => ({ _id, host })),
      // With the default, a mongod without others that is started again would wait 10 s before its election.
      ...members === 1 && { settings: { electionTimeoutMillis: 200 } },
    },
  });
  await client.close();
  const url = `mongodb://${hosts.join(',')}/?replicaSet=rs`;
  const set = new MongoClient(url);
  await until('a primary', async () => (await set.db('admin').command({ hello: 1 })).isWritablePrimary, 40_000);
  await set.close();
  return { ...mongods[0], url };
}
