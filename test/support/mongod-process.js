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

/** Like startMongod, as a replica set. @param {string[]} [args] */
export async function startReplicaSet(args = []) {
  const mongod = await startMongod(['--replSet', 'rs', ...args]);
  const host = `127.0.0.1:${mongod.port}`;
  const client = new MongoClient(`mongodb://${host}/?directConnection=true`);
  await client.db('admin').command({
    // With the default, a restarted mongod would wait 10 s before its election.
    replSetInitiate: { _id: 'rs', members: [{ _id: 0, host }], settings: { electionTimeoutMillis: 200 } },
  });
  await until('a primary', async () => (await client.db('admin').command({ hello: 1 })).isWritablePrimary);
  await client.close();
  return { ...mongod, url: `mongodb://${host}/?replicaSet=rs` };
}
