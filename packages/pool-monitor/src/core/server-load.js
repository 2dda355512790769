/** @import { MongoClient, Document } from 'mongodb' */

/**
 * What a server says about itself. A value is null where the server does not tell: serverStatus and hostInfo need the
 * role clusterMonitor, and only Linux counts CPU time.
 *
 * @typedef {object} ServerStatusLoad
 * @property {number} atMs when it was read, by performance.now()
 * @property {string | null} version
 * @property {number | null} cores that the server can use
 * @property {number | null} cpuMs CPU time since the server started
 * @property {number | null} ticketsOut operations in the storage engine now
 * @property {number | null} ticketsTotal
 * @property {number | null} connectionLimit how many connections it accepts
 * @property {number | null} queued operations that wait for a ticket or a lock
 */

/** Sections of serverStatus that nobody asks for here: without them it takes a quarter of the time. */
const LEFT_OUT = Object.fromEntries(
  'tcmalloc repl locks transactions sharding network opLatencies indexStats flowControl metrics'
    .split(' ')
    .map((section) => [section, 0]),
);

/**
 * Reads a server's load. It never fails for lack of a role.
 *
 * @param {MongoClient} client
 * @returns {(options?: { signal?: AbortSignal }) => Promise<ServerStatusLoad>}
 * @throws from the returned function, when the server can't be reached
 */
export function createServerLoadReader(client) {
  const admin = client.db('admin');
  /** @type {string | null} */
  let version = null;
  /** @type {number | null} */
  let cores = null;

  return async function readServerLoad({ signal } = {}) {
    version ??= (await ask({ buildInfo: 1 }, signal))?.version ?? null;
    cores ??= coresOf(await ask({ hostInfo: 1 }, signal));
    const status = await ask({ serverStatus: 1, ...LEFT_OUT }, signal);
    const { extra_info: usage, globalLock, wiredTiger, queues, connections } = status ?? {};
    // From MongoDB 7.1 on, tickets are under `queues`.
    const { read, write } = queues?.execution ?? wiredTiger?.concurrentTransactions ?? {};
    return {
      atMs: performance.now(),
      version,
      cores,
      cpuMs:
        usage?.user_time_us === undefined ? null : (Number(usage.user_time_us) + Number(usage.system_time_us)) / 1000,
      ticketsOut: sum(read?.out, write?.out),
      ticketsTotal: sum(read?.totalTickets, write?.totalTickets),
      connectionLimit: sum(connections?.current, connections?.available),
      queued: numberOf(globalLock?.currentQueue?.total),
    };
  };

  /**
   * @param {Document} command
   * @param {AbortSignal} [signal]
   * @returns {Promise<Document | null>} null when the server refuses
   */
  async function ask(command, signal) {
    return admin.command(command, { signal }).catch((error) => {
      // Any copy of the driver has this name for what the server refuses.
      if (error.name === 'MongoServerError') return null;
      throw error;
    });
  }
}

/**
 * A container may have fewer cores than its machine. From MongoDB 7 on, hostInfo says both.
 * @param {Document | null} info
 */
function coresOf(info) {
  const { numCores, numCoresAvailableToProcess: available } = info?.system ?? {};
  return numberOf(available > 0 ? available : numCores);
}

/** @param {unknown} value @returns {number | null} */
function numberOf(value) {
  return value === undefined || value === null ? null : Number(value);
}

/** @param {unknown} one @param {unknown} other */
function sum(one, other) {
  return one === undefined || other === undefined ? null : Number(one) + Number(other);
}
