import { SETTINGS } from '../../src/settings.js';

/** Where to find mongod is the machine's affair; every other setting is the test's. */
const KEPT = ['MONGOD_PATH', 'POOL_LAB_CACHE'];

/**
 * An environment for a child process that no setting of the developer's leaks into.
 * @param {Record<string, string>} [settings]
 */
export function cleanEnvironment(settings) {
  const names = SETTINGS.map(({ env }) => env).filter((env) => !KEPT.includes(env));
  const inherited = Object.entries(process.env).filter(([name]) => !names.includes(name));
  return { ...Object.fromEntries(inherited), ...settings };
}

/** @returns {string} connection string of the MongoDB that all tests share */
export function sharedMongoUrl() {
  return /** @type {string} */ (process.env.TEST_MONGO_URL);
}
