import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterAll } from '@jest/globals';

/**
 * A folder that is gone when the tests of the file are over.
 * @returns {Promise<string>}
 */
export async function makeTemporaryFolder() {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'pool-lab-test-'));
  afterAll(() => rm(folder, { recursive: true, force: true }));
  return folder;
}
