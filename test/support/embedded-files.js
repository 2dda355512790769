import { readdir, readFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';

/** The data folders of a process's embedded MongoDBs. @param {number} pid */
export async function dataFoldersOf(pid) {
  const names = await readdir(os.tmpdir());
  return names
    .filter((name) => name.startsWith(`mongodb-pool-lab-${pid}-`))
    .map((name) => path.join(os.tmpdir(), name));
}

/** The process ids of a process's mongods: each one writes its id to a file beside its data. @param {number} pid */
export async function mongodsOf(pid) {
  const pids = [];
  for (const folder of await dataFoldersOf(pid)) {
    for (const member of await readdir(folder)) {
      pids.push(Number(await readFile(path.join(folder, member, 'mongod.lock'), 'utf8')));
    }
  }
  return pids;
}

/** @param {number} pid */
export function isRunning(pid) {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
