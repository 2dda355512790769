/**
 * @typedef {object} RemedySettings
 * @property {'none' | 'size' | 'client' | 'cap' | 'timeout' | 'warm'} remedy
 * @property {'all' | 'customers' | 'burst'} load who comes: all, all but the administrators, or customers at one moment
 * @property {Record<string, number>} env what the app is told
 *
 * @typedef {{ name: string, settings: RemedySettings }} RemedyVariant
 */

/** What can be tried beside no remedy. */
export const REMEDIES = ['size', 'client', 'cap', 'timeout', 'warm'];

/** Of the treated pool's connections, the share that slow queries may take. */
const SLOW_SHARE = 0.6;
/** A wait-queue timeout, as a share of how long a slow query takes. */
const TIMEOUT_SHARE = 0.5;

/** A burst is met by a pool of this size, cold or warm; the driver's own maxConnecting, said aloud. */
const BURST_POOL = { MONGO_POOLSIZE: 20, MONGO_MAX_CONNECTING: 2 };

/**
 * One app for each remedy: first the pool that is too small, without and with administrators, then other sizes, then
 * the remedies that keep its size; and a burst, which is another load.
 *
 * @param {number[]} poolSizes
 * @param {number} treated size of the pool that is too small, at least 2
 * @param {number} slowMs
 * @returns {RemedyVariant[]}
 */
export function listVariants(poolSizes, treated, slowMs) {
  const apart = Math.min(treated - 1, Math.ceil(treated * SLOW_SHARE));
  const timeoutMs = Math.ceil(slowMs * TIMEOUT_SHARE);
  const pool = { MONGO_POOLSIZE: treated };
  return [
    describe(`pool ${treated}, no /slow`, 'none', pool, 'customers'),
    describe(`pool ${treated}`, 'none', pool),
    ...poolSizes.filter((size) => size !== treated).map((size) => describe(`pool ${size}`, 'size', { MONGO_POOLSIZE: size })),
    describe(`second client ${treated - apart}+${apart}`, 'client',
      { MONGO_POOLSIZE: treated - apart, SLOW_POOLSIZE: apart }),
    describe(`cap of ${apart}`, 'cap', { ...pool, SLOW_CONCURRENCY: apart }),
    describe(`timeout ${timeoutMs} ms`, 'timeout', { ...pool, MONGO_WAIT_QUEUE_TIMEOUT_MS: timeoutMs }),
    describe('burst, cold pool', 'warm', BURST_POOL, 'burst'),
    describe('burst, warm pool', 'warm', { ...BURST_POOL, MONGO_MIN_POOLSIZE: BURST_POOL.MONGO_POOLSIZE }, 'burst'),
  ];
}

/**
 * @param {string} name
 * @param {RemedySettings['remedy']} remedy
 * @param {Record<string, number>} env
 * @param {RemedySettings['load']} [load]
 * @returns {RemedyVariant}
 */
function describe(name, remedy, env, load = 'all') {
  return { name, settings: { remedy, load, env } };
}

/**
 * Whether an app with that remedy refuses requests because it was told to.
 * @param {RemedySettings['remedy']} remedy
 */
export function refuses(remedy) {
  return remedy === 'cap' || remedy === 'timeout';
}
