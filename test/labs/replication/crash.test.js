import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { expect, test } from '@jest/globals';
import { createRandom } from '../../../src/predict/random.js';
import { replicate } from '../../../src/labs/replication/replicate.js';
import { compare, startSet } from './two-sets.js';
import { writeAnything } from './write-anything.js';

const REPLICATOR = fileURLToPath(new URL('replicator-process.js', import.meta.url));
const KILLS = 10;

test('killed ten times at any moment, it loses nothing and does nothing twice', async () => {
  const [source, target] = await Promise.all([startSet(), startSet()]);
  const random = createRandom(Number(process.env.SEED ?? 1));
  const options = {
    sources: [source.url], target: target.url, tunnel: 'direct', workers: 3, hash: 'id', from: 'checkpoint',
  };
  let isWriting = true;
  const write = async () => {
    while (isWriting) await writeAnything(source.client, source.client.db('shop'), random);
  };
  const writing = Promise.all([write(), write()]);
  for (let kills = 0; kills < KILLS; kills++) {
    const child = spawn(process.execPath, [REPLICATOR, JSON.stringify(options)], { stdio: 'inherit' });
    // It takes about 300 ms until it begins.
    await sleep(300 + random.uniform() * 1200);
    expect(child.exitCode).toBe(null);
    child.kill('SIGKILL');
    await once(child, 'exit');
  }
  isWriting = false;
  await writing;

  const { operationTime } = await source.client.db('admin').command({ ping: 1 });
  const { done } = await replicate({ ...options, until: operationTime });
  const figures = await done;
  if (process.env.SEED) console.log(figures);
  const found = await compare(source.client, target.client);
  expect(found.target).toEqual(found.source);
}, 60_000);
