/** @import { MongoClient } from 'mongodb' */

/** The server's parameter, from MongoDB 7.0 on and before. */
const NAMES = ['storageEngineConcurrentReadTransactions', 'wiredTigerConcurrentReadTransactions'];

/**
 * @typedef {object} ReadTickets how many operations may read in the storage engine at once
 * @property {(count: number) => Promise<void>} set
 * @property {() => Promise<void>} restore sets what was there before; may be called several times
 */

/**
 * @param {MongoClient} client
 * @returns {Promise<ReadTickets>}
 * @throws {Error} when the server has no such parameter or does not let us read it
 */
export async function openReadTickets(client) {
  const admin = client.db('admin');
  const { name, before } = await findParameter();
  let isChanged = false;
  return {
    async set(count) {
      // First, because a command whose answer is lost may have done its work.
      isChanged = true;
      await admin.command({ setParameter: 1, [name]: count });
    },
    async restore() {
      if (isChanged) await admin.command({ setParameter: 1, [name]: before });
      isChanged = false;
    },
  };

  async function findParameter() {
    /** @type {unknown} */
    let cause;
    for (const name of NAMES) {
      try {
        const { [name]: value } = await admin.command({ getParameter: 1, [name]: 1 });
        // 0 means that nobody has set it.
        return { name, before: Number(value) || await readTotal() };
      } catch (error) {
        cause = error;
      }
    }
    throw new Error(`the server does not tell how many read tickets it has: ${/** @type {Error} */ (cause).message}`, { cause });
  }

  /** @returns {Promise<number>} */
  async function readTotal() {
    const { wiredTiger, queues } = await admin.command({ serverStatus: 1 });
    const total = (queues?.execution ?? wiredTiger?.concurrentTransactions)?.read?.totalTickets;
    if (!(total > 0)) throw new Error('serverStatus has no tickets');
    return Number(total);
  }
}
