import { nameClient } from '../trace/pick-pool.js';

/** @import { RecordedPool } from '../reading/recorded-trace.js' */
/** @import { SettingFinding } from './setting-findings.js' */

/**
 * Minor versions of the driver in which `timeoutMS` is dangerous, by major version. If the time runs out after a
 * command was sent and before the driver waits for its answer, the connection returns to the pool, and the next command
 * on it reads that answer (sendWire in lib/cmap/connection.js). 6.22 and 7.8 made the option a no-op:
 * https://github.com/mongodb/node-mongodb-native/releases/tag/v6.22.0
 * https://github.com/mongodb/node-mongodb-native/releases/tag/v7.8.0
 * Seen on a real mongod with 6.11, 6.13, 6.16, 6.20, 6.21, 7.0, 7.2, 7.5 and 7.7; not with 6.10, 6.22, 7.8 and 7.9.
 *
 * @type {Record<string, { first: number, last: number }>}
 */
const UNSAFE_MINORS = { 6: { first: 11, last: 21 }, 7: { first: 0, last: 7 } };

/**
 * Says of each client that was given `timeoutMS` which of two holds for its driver. A value that only a database, a
 * collection or an operation was given is not known here.
 *
 * @param {Pick<RecordedPool, 'name' | 'driver' | 'options'>[]} pools or clients of `GET /pool`
 * @returns {SettingFinding[]} one for each client
 */
export function findTimeouts(pools) {
  const found = pools.flatMap((pool) => judgeTimeout(pool));
  return [...new Map(found.map((finding) => [`${finding.kind} ${finding.client}`, finding])).values()];
}

/** @param {Pick<RecordedPool, 'name' | 'driver' | 'options'>} pool @returns {SettingFinding[]} */
function judgeTimeout({ name, driver = '', options = {} }) {
  const { value = 0, uri = 0, ignored = false } = options.timeoutMS ?? {};
  // mongoose adds its own version: 7.9.0|9.12.1
  const [version] = driver.split('|');
  const [major, minor] = version.split('.').map(Number);
  const unsafe = UNSAFE_MINORS[major];
  if (!unsafe || !(value || uri || ignored)) return [];
  const about = { client: nameClient({ name }), option: 'timeoutMS', driver: version };
  const isUnsafe = minor >= unsafe.first && minor <= unsafe.last;
  // An unsafe driver takes the value, so the URI's was replaced by a 0 in the code, which never times out.
  if (isUnsafe) return value ? [{ kind: 'unsafeTimeout', ...about, value: Number(value) }] : [];
  return [{ kind: 'ignoredTimeout', ...about, value: Number(value || uri) }];
}
