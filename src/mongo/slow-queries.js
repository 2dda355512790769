import { createSlowQuery, measureLateness } from './slow-query.js';
import { calibrateWork, createWorkQuery } from './work-query.js';

/** @import { MongoClient } from 'mongodb' */
/** @import { Settings } from '../settings.js' */
/** @import { Lateness } from './slow-query.js' */
/** @import { WorkSpeed } from './work-query.js' */

/** @typedef {ReturnType<typeof createSlowQuery>} SlowQuery */

/**
 * Creates the query of /slow for one client after the other. The first client measures how fast the server is, or how late
 * it answers, and the others rely on that: later the server may be busy.
 *
 * @param {Settings['slowQuery']} kind
 * @returns {(client: MongoClient) => Promise<SlowQuery>} takes a client to a server with the demo data
 */
export function createSlowQueries(kind) {
  if (kind === 'sleep') {
    /** @type {Lateness | undefined} */
    let late;
    return async (client) => {
      late ??= await measureLateness(client);
      return createSlowQuery(client, late);
    };
  }
  /** @type {WorkSpeed | undefined} */
  let speed;
  return async (client) => {
    speed ??= await calibrateWork(client);
    return createWorkQuery(client, speed);
  };
}
