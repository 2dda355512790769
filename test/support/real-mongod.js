import { findMongod } from '../../src/mongo/find-mongod.js';
import { readSettings } from '../../src/settings.js';

/** @returns {Promise<string>} path of the mongod for the tests */
export async function realMongod() {
  return (await findMongod(readSettings())).file;
}
