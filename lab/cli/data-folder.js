import { requireWritableFolder } from '../base/write-atomically.js';
import { readSettings } from '../../src/settings.js';

/** @returns {Promise<string>} where to keep the progress of the workshop @throws {Error} if it can't be written */
export async function findDataFolder() {
  const { dataDir } = readSettings();
  await requireWritableFolder(dataDir, 'POOL_LAB_DATA');
  return dataDir;
}
