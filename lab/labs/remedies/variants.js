import { createChoicesParser } from '../../harness/lab-options.js';

/**
 * @typedef {object} RemedySettings
 * @property {'none' | 'size' | 'client' | 'limit' | 'timeout' | 'warm'} remedy
 * @property {'all' | 'customers' | 'burst'} load all requests, those without administrators, or customers at one moment
 * @property {{ MONGO_POOLSIZE: number } & Record<string, number>} env settings of the app
 *
 * @typedef {{ name: string, settings: RemedySettings }} RemedyVariant
 */

const REMEDIES = ['size', 'client', 'limit', 'timeout', 'warm'];

/** The share of the treated pool's connections that slow queries may take. */
const SLOW_SHARE = 0.6;
/** A wait-queue timeout, as a share of how long a slow query takes. */
const TIMEOUT_SHARE = 0.5;

/** Of the pool that a burst meets. */
const BURST_POOL_SIZE = 20;

/** @type {import('../../harness/lab-options.js').LabOption} */
export const REMEDIES_OPTION = {
  value: 'list',
  about: `which to try: ${REMEDIES.join(', ')}`,
  parse: parseRemedies,
  default: REMEDIES,
};

/** @param {string} text @returns {string[]} */
function parseRemedies(text) {
  // Version 0.1 called it cap.
  return createChoicesParser(REMEDIES)(text.replaceAll(/\bcap\b/g, 'limit'));
}

/**
 * One app for each remedy: first the pool that is too small, without and with administrators, then other sizes, then
 * the remedies that keep its size; and a burst, which is another load.
 * @param {number[]} poolSizes
 * @param {number} treated size of the pool that is too small, at least 2
 * @param {number} slowMs
 * @param {number} maxConnecting of the pool that a burst meets
 * @returns {RemedyVariant[]}
 */
export function listVariants(poolSizes, treated, slowMs, maxConnecting) {
  const slow = Math.min(treated - 1, Math.ceil(treated * SLOW_SHARE));
  const timeoutMs = Math.ceil(slowMs * TIMEOUT_SHARE);
  const pool = { MONGO_POOLSIZE: treated };
  const burstPool = { MONGO_POOLSIZE: BURST_POOL_SIZE, MONGO_MAX_CONNECTING: maxConnecting };
  return [
    describe(`pool ${treated}, no /slow`, 'none', pool, 'customers'),
    describe(`pool ${treated}`, 'none', pool),
    ...poolSizes
      .filter((size) => size !== treated)
      .map((size) => describe(`pool ${size}`, 'size', { MONGO_POOLSIZE: size })),
    describe(`second client ${treated - slow}+${slow}`, 'client', {
      MONGO_POOLSIZE: treated - slow,
      SLOW_POOLSIZE: slow,
    }),
    describe(`limit of ${slow}`, 'limit', { ...pool, SLOW_CONCURRENCY: slow }),
    describe(`timeout ${timeoutMs} ms`, 'timeout', { ...pool, MONGO_WAIT_QUEUE_TIMEOUT_MS: timeoutMs }),
    describe('burst, cold pool', 'warm', burstPool, 'burst'),
    describe('burst, warm pool', 'warm', { ...burstPool, MONGO_MIN_POOLSIZE: BURST_POOL_SIZE }, 'burst'),
  ];
}

/**
 * @param {string} name
 * @param {RemedySettings['remedy']} remedy
 * @param {RemedySettings['env']} env
 * @param {RemedySettings['load']} [load]
 * @returns {RemedyVariant}
 */
function describe(name, remedy, env, load = 'all') {
  return { name, settings: { remedy, load, env } };
}

/** Whether an app with this remedy refuses requests on purpose. @param {RemedySettings['remedy']} remedy */
export function refuses(remedy) {
  return remedy === 'limit' || remedy === 'timeout';
}
