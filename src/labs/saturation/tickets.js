import { customersOf } from '../../mongo/demo-data.js';
import { calibrate } from '../../mongo/work-query.js';
import { openReadTickets } from './read-tickets.js';

/** @import { MongoClient } from 'mongodb' */

/** Steps per customer: about 2 ms and 13 ms. */
const SIZES = [40, 300];

/**
 * Few read tickets. A query needs a ticket while it is in the storage engine. It gives the ticket back now and then, so
 * that others get a turn. The heavy query computes while it reads and so keeps its ticket long: it is a filter that no
 * customer passes. An aggregation would not do: it reads first and computes without a ticket.
 * @type {import('./causes.js').Cause}
 */
export const tickets = {
  label: 'tickets',
  control: 'default tickets',
  async prepare({ client, options: { heavyMs, tickets: count }, signal }) {
    const speed = await calibrate((steps) => filter(client, steps, signal), SIZES);
    const steps = Math.max(0, heavyMs - speed.baseMs) * speed.roundsPerMs;
    const readTickets = await openReadTickets(client);
    // Whoever may not do this learns it now.
    await readTickets.set(count).finally(readTickets.restore);
    return {
      createHeavy: (own) => () => filter(own, steps),
      begin: () => readTickets.set(count),
      end: readTickets.restore,
    };
  },
};

/** @param {MongoClient} client @param {number} steps for each customer @param {AbortSignal} [signal] */
async function filter(client, steps, signal) {
  const letters = { $map: { input: { $range: [0, Math.max(1, Math.round(steps))] }, in: { $mod: ['$$this', 7] } } };
  await customersOf(client).find({ $expr: { $lt: [{ $sum: letters }, 0] } }, { signal }).toArray();
}
