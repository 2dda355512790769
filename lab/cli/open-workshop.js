import { requireWritableFolder } from '../base/write-atomically.js';
import { readSettings } from '../../src/settings.js';
import { readLessons } from '../workshop/lessons.js';

/** @returns {Promise<string>} where to keep the progress of the workshop @throws {Error} if it can't be written */
export async function findDataFolder() {
  const { dataDir } = readSettings();
  await requireWritableFolder(dataDir, 'POOL_LAB_DATA');
  return dataDir;
}

/** @typedef {Awaited<ReturnType<typeof openWorkshop>>} Workshop dataDir: where the progress is */

/** The lessons, and where to keep the progress of the workshop. @throws {Error} if that can't be written */
export async function openWorkshop() {
  return { dataDir: await findDataFolder(), lessons: await readLessons() };
}
