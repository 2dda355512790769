import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { cleanUp } from './cleanup.js';

/** @returns {Promise<string>} an empty folder, removed after the test file */
export async function scratchFolder() {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'pool-lab-test-'));
  cleanUp(() => rm(folder, { recursive: true, force: true }));
  return folder;
}
