import { MongoServerError } from 'mongodb';
import { shortenRefusal } from '../mongo/client.js';
import { customersOf, pickEmail, seedCustomers } from '../mongo/demo-data.js';
import { calibrateWork, createWorkQuery } from '../mongo/work-query.js';
import { returnsCursor } from './read-query.js';

/** @import { Document, MongoClient } from 'mongodb' */
/** @import { ReadQuery } from './read-query.js' */

/** How long the demo's /slow works, in ms, on an idle server. */
export const DEMO_WORK_MS = 32;

/**
 * @typedef {object} MeasuredQuery
 * @property {string} route
 * @property {(options: { signal: AbortSignal }) => Promise<unknown>} run reads the whole answer. `signal` aborts it, on the
 *   server too; one that returns a cursor ends only when its client is closed
 */

/**
 * The user's own queries. They run on the primary.
 *
 * @param {MongoClient} client
 * @param {ReadQuery[]} queries
 * @param {{ db: string, limitMs: number }} options limitMs: after this time the server itself ends a query
 * @returns {MeasuredQuery[]}
 */
export function createOwnQueries(client, queries, { db, limitMs }) {
  return queries.map(({ route, command }) => {
    const limited = { ...command, maxTimeMS: command.maxTimeMS ?? limitMs };
    return named({ route, run: (options) => runCommand(client, { db, command: limited }, options) });
  });
}

/**
 * The demo's queries: /fast finds a customer, /slow works for 32 ms. Inserts the demo data if they are missing.
 *
 * @param {MongoClient} client
 * @param {{ signal: AbortSignal }} options
 * @returns {Promise<MeasuredQuery[]>}
 */
export async function createDemoQueries(client, { signal }) {
  await seedDemoData(client);
  const customers = customersOf(client);
  const work = createWorkQuery(client, await calibrateWork(client, { signal }));
  return [
    named({ route: '/fast', run: (options) => customers.findOne({ email: pickEmail() }, options) }),
    named({ route: '/slow', run: (options) => work(DEMO_WORK_MS, options) }),
  ];
}

/** @param {MongoClient} client @throws {Error} when the user may not write */
export async function seedDemoData(client) {
  await seedCustomers(client).catch((cause) => {
    throw new Error(shortenRefusal(cause.message), { cause });
  });
}

/**
 * @param {MongoClient} client
 * @param {{ db: string, command: Document }} query
 * @param {{ signal: AbortSignal }} options
 * @returns {Promise<unknown>}
 */
async function runCommand(client, { db, command }, options) {
  return returnsCursor(command) ? client.db(db).runCursorCommand(command).toArray() : client.db(db).command(command, options);
}

/** Errors of the server name the route. @param {MeasuredQuery} query @returns {MeasuredQuery} */
function named({ route, run }) {
  return {
    route,
    run: (options) => run(options).catch((cause) => {
      throw cause instanceof MongoServerError ? new Error(`${route}: ${shortenRefusal(cause.message)}`, { cause }) : cause;
    }),
  };
}
