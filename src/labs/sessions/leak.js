import { watchCiphers } from './data.js';

/** How long the server may hold back its answer to a change stream: longer than any run. */
const HELD_MS = 86_400_000;
/** A change stream asks for itself first, then for the next change, and that answer does not come. */
const CHECKOUTS_EACH = 2;

/**
 * Open change streams and forget them, as one forgot to close a session of mgo. Each keeps a connection, until the
 * client closes.
 *
 * @param {import('mongodb').MongoClient} client
 * @param {import('../../pool/monitor.js').PoolMonitor} monitor the client's
 * @param {number} count from 1, no more than the pool is large
 * @returns {Promise<void>} resolves once all hold their connection
 * @throws what the driver says, for example where the server is of no replica set
 */
export async function leakStreams(client, monitor, count) {
  let checkouts = 0;
  /** @type {() => void} */
  let unsubscribe = () => {};
  const held = new Promise((resolve) => {
    unsubscribe = monitor.subscribe(({ type }) => {
      if (type === 'got' && ++checkouts === CHECKOUTS_EACH * count) resolve(undefined);
    });
  });
  // Nobody hears of a stream's end after that.
  const ends = Array.from({ length: count }, () => watchCiphers(client, HELD_MS).next());
  await Promise.race([held, ...ends]);
  unsubscribe();
}
