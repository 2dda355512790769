import { AsyncLocalStorage } from 'node:async_hooks';
import { watchCiphers } from './sessions-data.js';

/** True in the async context of a change stream. @type {AsyncLocalStorage<true>} */
const streams = new AsyncLocalStorage();

/** Whether a change stream is checking out a connection at this moment. */
export function isStreamCheckout() {
  return streams.getStore() === true;
}

/**
 * Opens change streams and leaves them open, like a session of mgo that nobody closed. Each sends getMore until the client
 * closes, and keeps a connection until the answer comes.
 * @param {import('mongodb').MongoClient} client
 * @param {import('mongodb-pool-monitor').PoolMonitor} monitor the client's
 * @param {number} count from 1
 * @param {number} [maxAwaitMs] how long the server holds back an answer, default the server's
 * @returns {Promise<void>} resolves once they hold as many connections as they can
 * @throws what the driver throws, for example where there is no replica set
 */
export async function leakStreams(client, monitor, count, maxAwaitMs) {
  // First each opens. Then they send getMore, as many at a time as there are connections.
  const enough = count + Math.min(count, client.options.maxPoolSize);
  let checkouts = 0;
  /** @type {() => void} */
  let unsubscribe = () => {};
  const held = new Promise((resolve) => {
    unsubscribe = monitor.subscribe(({ type }) => {
      if (type === 'checkedOut' && ++checkouts === enough) resolve(undefined);
    });
  });
  // After this nobody listens to a stream's end.
  const ends = streams.run(true, () => Array.from({ length: count }, () => watchCiphers(client, maxAwaitMs).next()));
  await Promise.race([held, ...ends]);
  unsubscribe();
}
