import { createSlowQuery, measureLateness } from './slow-query.js';
import { calibrateWork, createWorkQuery } from './work-query.js';

/** @import { MongoClient } from 'mongodb' */
/** @import { Settings } from '../settings.js' */

/** @typedef {ReturnType<typeof createSlowQuery>} SlowQuery */

/**
 * Creates the query of /slow for one client after the other. The first client measures how fast the server is, or how late
 * it answers, and the others rely on that: later the server may be busy.
 *
 * @param {Settings['slowQuery']} kind
 * @returns {(client: MongoClient) => Promise<SlowQuery>} takes a client to a server with the demo data
 */
export function createSlowQueries(kind) {
  return kind === 'sleep' ? afterMeasuring(measureLateness, createSlowQuery) : afterMeasuring(calibrateWork, createWorkQuery);
}

/**
 * @template Known
 * @param {(client: MongoClient) => Promise<Known>} measure
 * @param {(client: MongoClient, known: Known) => SlowQuery} create
 */
function afterMeasuring(measure, create) {
  /** @type {Known | undefined} */
  let known;
  return async (/** @type {MongoClient} */ client) => {
    known ??= await measure(client);
    return create(client, known);
  };
}
