import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterAll } from '@jest/globals';
import { spawnMongod, spawnReplicaSet } from './mongod.js';

/** @type {(() => unknown)[]} */
const closers = [];

/** Close something after the last test of this file, in reverse order. @param {() => unknown} close */
export function cleanUp(close) {
  closers.push(close);
}

afterAll(async () => {
  while (closers.length > 0) await closers.pop()?.();
});

/** @returns {Promise<string>} an empty folder, removed after the test file */
export async function scratchFolder() {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'pool-lab-test-'));
  cleanUp(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

/** Like spawnMongod. It ends with the test file. @param {Parameters<typeof spawnMongod>} args */
export async function startMongod(...args) {
  const mongod = await spawnMongod(...args);
  cleanUp(mongod.stop);
  return mongod;
}

/** Like spawnReplicaSet. It ends with the test file. @param {Parameters<typeof spawnReplicaSet>} args */
export async function startReplicaSet(...args) {
  const set = await spawnReplicaSet(...args);
  cleanUp(set.stop);
  return set;
}
