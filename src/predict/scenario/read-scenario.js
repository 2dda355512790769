import { readFile } from 'node:fs/promises';
import { readWorkload } from './workload.js';

/**
 * @param {string} file an Artillery scenario
 * @param {{ environment?: string }} [options] see readWorkload
 * @throws {Error} naming the file, when it can't be read or simulated
 */
export async function readScenario(file, { environment } = {}) {
  const text = await readFile(file, 'utf8').catch((cause) => {
    throw new Error(`${file} can't be read: ${cause.message}`, { cause });
  });
  return readWorkload(text, { environment, file });
}
