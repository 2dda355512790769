import { SETTINGS } from '../../src/base/settings-table.js';

/** The machine says where mongod is. The test decides on every other setting. */
const KEPT = ['MONGOD_PATH', 'POOL_LAB_CACHE'];

/** An environment for a child process, without the developer's settings. @param {Record<string, string>} [settings] */
export function cleanEnvironment(settings) {
  const names = SETTINGS.map(({ env }) => env).filter((env) => !KEPT.includes(env));
  const inherited = Object.entries(process.env).filter(([name]) => !names.includes(name));
  return { ...Object.fromEntries(inherited), ...settings };
}
