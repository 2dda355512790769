import { median } from 'mongodb-pool-page/universal/stats.js';
import { customersOf } from './demo-data.js';

/** @import { Collection, MongoClient } from 'mongodb' */
/** @import { Customer } from './demo-data.js' */

/**
 * @typedef {{ baseMs: number, roundsPerMs: number }} WorkSpeed how long a query takes: baseMs, and 1 ms per
 *   `roundsPerMs` rounds
 */

/** The documents that each round works on. */
const DOCUMENTS = 1000;
/** Two sizes of the query, in rounds: a few ms and a few tens of ms. */
const SIZES = [30, 300];
/** Samples of each size, taken in turns: the median of nine tolerates a stall of the machine. */
const SAMPLES = 9;

/**
 * Measures how long the work query takes on this server when it runs alone.
 *
 * @param {MongoClient} client to an idle server with the demo data
 * @param {{ signal?: AbortSignal }} [options]
 * @returns {Promise<WorkSpeed>}
 */
export async function calibrateWork(client, { signal } = {}) {
  const customers = customersOf(client);
  /** @type {number[][]} */
  const tookMs = SIZES.map(() => []);
  // The first turn warms up and does not count.
  for (let turn = 0; turn <= SAMPLES; turn++) {
    for (const [index, rounds] of SIZES.entries()) {
      const startedAtMs = performance.now();
      await work(customers, rounds, signal);
      if (turn > 0) tookMs[index].push(performance.now() - startedAtMs);
    }
  }
  const [shortMs, longMs] = tookMs.map(median);
  const roundsPerMs = (SIZES[1] - SIZES[0]) / Math.max(longMs - shortMs, 0.1);
  return { baseMs: Math.max(0, shortMs - SIZES[0] / roundsPerMs), roundsPerMs };
}

/**
 * Creates a query that costs the server CPU time: it groups the demo customers, again and again. Alone it takes as
 * long as asked. Beside others it takes longer, because they share the server's cores. createSlowQuery only sleeps.
 *
 * @param {MongoClient} client
 * @param {WorkSpeed} speed of its server
 * @returns {(ms: number, options?: { signal?: AbortSignal }) => Promise<void>} `ms`: how long it takes alone, at least
 *   about 1 ms; `signal` aborts it, on the server too
 */
export function createWorkQuery(client, { baseMs, roundsPerMs }) {
  const customers = customersOf(client);
  return (ms, { signal } = {}) => work(customers, Math.max(0, ms - baseMs) * roundsPerMs, signal);
}

/** @param {Collection<Customer>} customers @param {number} rounds may be a fraction @param {AbortSignal} [signal] */
async function work(customers, rounds, signal) {
  const whole = Math.max(1, Math.ceil(rounds));
  await customers
    .aggregate(
      [
        { $limit: Math.max(1, Math.round((DOCUMENTS * rounds) / whole)) },
        { $set: { round: { $range: [0, whole] } } },
        { $unwind: '$round' },
        { $group: { _id: { $mod: [{ $strLenCP: '$email' }, 7] }, letters: { $sum: { $strLenCP: '$name' } } } },
      ],
      { signal },
    )
    .toArray();
}
