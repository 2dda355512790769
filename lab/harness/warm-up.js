import { setTimeout as sleep } from 'node:timers/promises';
import { PoolClient } from 'mongodb-pool-page/client';
import { median } from 'mongodb-pool-predictor/statistics';
import { requestOnce } from './loads/request-once.js';

/** @import { CheckoutRecord } from 'mongodb-pool-monitor' */

/** Most connections that the warm-up opens, however large the pool. */
const MAX_OPENED = 50;

/**
 * @typedef {object} WarmUp
 * @property {number} lastId of the checkouts so far
 * @property {{ serviceMs: number, overheadMs: number }} unloaded medians for /fast
 * @property {number[]} overheadsMs of each response
 */

/**
 * Brings the app and the driver up to speed before a measurement, and measures service time and overhead without load.
 * @param {string} url
 * @param {number} poolSize
 * @param {{ rounds?: number, requests?: number, everyMs?: number }} [options] how often all connections are used
 *   first, how many requests are measured then, and the pause between two
 * @returns {Promise<WarmUp>}
 */
export async function warmUp(url, poolSize, { rounds = 5, requests = 40, everyMs = 0 } = {}) {
  const client = new PoolClient(url);
  // Requests at the same time make the pool open its connections.
  const atOnce = Math.min(poolSize, MAX_OPENED);
  for (let round = 0; round < rounds; round++) {
    await Promise.all(Array.from({ length: atOnce }, () => timeFast(url)));
  }
  const { lastId: opened } = await client.checkoutsSince(0);
  /** @type {number[]} */
  const responsesMs = [];
  for (let request = 0; request < requests; request++) {
    await sleep(everyMs);
    responsesMs.push(await timeFast(url));
  }
  const { checkouts, lastId } = await client.checkoutsSince(opened);
  const servicesMs = checkouts.filter(({ route }) => route === '/fast').map(useMsOf);
  const overheadsMs = servicesMs.map((serviceMs, index) => Math.max(0, responsesMs[index] - serviceMs));
  const unloaded = { serviceMs: median(servicesMs), overheadMs: median(overheadsMs) };
  return { lastId, unloaded, overheadsMs };
}

/** @param {string} url @returns {Promise<number>} how long it took, in ms */
async function timeFast(url) {
  const { status, tookMs } = await requestOnce(new URL('/fast', url));
  if (status !== 200) throw new Error(`warm-up: /fast answered HTTP ${status}`);
  return tookMs;
}

/** @param {CheckoutRecord} checkout that ended */
export function useMsOf({ checkedOutAtMs, checkedInAtMs }) {
  return Number(checkedInAtMs) - Number(checkedOutAtMs);
}

/** @param {Pick<CheckoutRecord, 'checkOutStartedAtMs' | 'checkedOutAtMs'>} checkout that got its connection */
export function waitMsOf({ checkOutStartedAtMs, checkedOutAtMs }) {
  return Number(checkedOutAtMs) - checkOutStartedAtMs;
}
