import { MONITORS } from '../base/monitors.js';
import { sum } from '../base/sample-statistics.js';
import { nameClient } from '../trace/pick-pool.js';
import { findTimeouts } from './timeout-findings.js';

/** @import { ClientUse } from '../trace/client-use.js' */
/** @import { RecordedPool, RecordedTrace } from '../reading/recorded-trace.js' */
/** @import { WaitEvidence } from './explain-waits.js' */
/** @import { FoundLimit } from '../trace/find-limits.js' */
/** @import { WaitVerdict } from './verdict.js' */

/**
 * A setting that does not do what it seems to:
 * - overridden: the URI asked for `other`, and the code won;
 * - unusedMinimum: minPoolSize keeps `value` connections open, and at most `used` were in use;
 * - neverFull: at most `used` of the `value` connections were in use, because of a concurrency limit, or because the
 *   event loop has no room for more;
 * - tooManyConnections: `value` connections of all instances, and the server accepts `other`;
 * - manyClients: `value` clients of one server stay open;
 * - strayTimeout: `value` waits timed out, and no option lets them;
 * - unsafeTimeout: with this `driver`, timeoutMS can give the answer of one operation to another one;
 * - ignoredTimeout: with this `driver`, timeoutMS has no effect. `value` is 0 where it is not known.
 *
 * @typedef {object} SettingFinding
 * @property {'overridden' | 'unusedMinimum' | 'neverFull' | 'tooManyConnections' | 'strayTimeout' | 'manyClients' |
 *   'unsafeTimeout' | 'ignoredTimeout'} kind
 * @property {string} client
 * @property {string} option
 * @property {number} value
 * @property {number} [other]
 * @property {number} [used]
 * @property {ClientUse} [clients]
 * @property {'limit' | 'loop'} [by] what keeps the pool from being full
 * @property {string} [driver] version
 */

/**
 * @param {RecordedTrace} trace
 * @param {WaitEvidence} evidence
 * @param {{ instances?: number, serverLimit?: number, limits: FoundLimit[], isWhole: boolean, verdict:
 *   WaitVerdict }} known isWhole: whether the trace has all checkouts
 * @returns {SettingFinding[]}
 */
export function findSettings(
  { pools, checkouts, reasons },
  { pools: histories, loops, clients },
  { instances, serverLimit, limits, isWhole, verdict },
) {
  // A danger comes before what only does nothing.
  const findings = findTimeouts(pools);
  const used = histories.map(({ mostInUse }) => mostInUse);
  const timedOut = pools.map(() => 0);
  for (let row = 0; row < checkouts.length; row++)
    if (reasons[checkouts.reasonOf[row]] === 'timeout') timedOut[checkouts.poolOf[row]]++;
  for (const [row, pool] of pools.entries()) {
    if (used[row] === 0) continue;
    const client = nameClient(pool);
    findings.push(...findOverridden(pool, client));
    if (timedOut[row] > 0 && hasNoTimeout(pool))
      findings.push({ kind: 'strayTimeout', client, option: 'waitQueueTimeoutMS', value: timedOut[row] });
    if (!isWhole) continue;
    const minimum = Number(pool.options?.minPoolSize?.value ?? 0);
    if (minimum > used[row])
      findings.push({ kind: 'unusedMinimum', client, option: 'minPoolSize', value: minimum, used: used[row] });
    const { maxPoolSize = 0 } = pool;
    const by = limits.length > 0 ? 'limit' : loops[pool.process].isFull ? 'loop' : undefined;
    if (by && used[row] < maxPoolSize)
      findings.push({ kind: 'neverFull', client, option: 'maxPoolSize', value: maxPoolSize, used: used[row], by });
  }
  const [use] = verdict.facts?.clients ? [] : clients;
  if (use)
    findings.push({
      ...{ kind: 'manyClients', client: use.hosts, option: 'maxPoolSize' },
      ...{ value: use.open, clients: use },
    });
  return [...findings, ...findTooMany(pools, instances, serverLimit)];
}

/**
 * Whether no option ends a wait. Driver 7.9 still says that a wait timed out if the operation's signal did, because it
 * goes by the name of the signal's reason: checkOut in its connection_pool.js, TimeoutError.is.
 * @param {RecordedPool} pool
 */
function hasNoTimeout({ options = {} }) {
  return options.waitQueueTimeoutMS?.value === 0 && !options.timeoutMS?.value;
}

/** @param {RecordedPool} pool @param {string} client @returns {SettingFinding[]} */
function findOverridden({ options = {} }, client) {
  return Object.entries(options).flatMap(([option, { value, uri, from }]) =>
    from === 'code' && uri !== undefined && uri !== value
      ? { kind: /** @type {const} */ ('overridden'), client, option, value: Number(value), other: Number(uri) }
      : [],
  );
}

/**
 * @param {RecordedPool[]} pools
 * @param {number} [instances]
 * @param {number} [serverLimit]
 * @returns {SettingFinding[]}
 */
function findTooMany(pools, instances, serverLimit) {
  if (instances === undefined || serverLimit === undefined) return [];
  return [...new Set(pools.map(({ address }) => address))].flatMap((address) => {
    const own = pools.filter((pool) => pool.address === address && pool.process === pools[0].process);
    const value = instances * sum(own.map(({ maxPoolSize = 0 }) => maxPoolSize + MONITORS));
    if (value <= serverLimit) return [];
    const client = own.map(nameClient).join(', ');
    return {
      kind: /** @type {const} */ ('tooManyConnections'),
      client,
      option: 'maxPoolSize',
      value,
      other: serverLimit,
    };
  });
}
