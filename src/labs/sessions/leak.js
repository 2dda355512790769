import { AsyncLocalStorage } from 'node:async_hooks';
import { watchCiphers } from './sessions-data.js';

/** Whose code runs: a change stream's, or that of a query. @type {AsyncLocalStorage<true>} */
const streams = new AsyncLocalStorage();

/** Whether it is a change stream that asks for a connection just now. */
export function isStreamAsking() {
  return streams.getStore() === true;
}

/**
 * Open change streams and forget them, as one forgot to close a session of mgo. Each asks "anything new?" again and
 * again, until the client closes, and keeps a connection until it is answered.
 *
 * @param {import('mongodb').MongoClient} client
 * @param {import('mongodb-pool-monitor').PoolMonitor} monitor the client's
 * @param {number} count from 1
 * @param {number} [maxAwaitMs] how long the server holds back an answer; the server's own default unless told
 * @returns {Promise<void>} resolves once they hold as many connections as they can
 * @throws what the driver says, for example where the server is of no replica set
 */
export async function leakStreams(client, monitor, count, maxAwaitMs) {
  // Each opens itself first. Only then do they ask for changes, as many at a time as there are connections.
  const enough = count + Math.min(count, client.options.maxPoolSize);
  let checkouts = 0;
  /** @type {() => void} */
  let unsubscribe = () => {};
  const held = new Promise((resolve) => {
    unsubscribe = monitor.subscribe(({ type }) => {
      if (type === 'checkedOut' && ++checkouts === enough) resolve(undefined);
    });
  });
  // Nobody hears of a stream's end after that.
  const ends = streams.run(true, () => Array.from({ length: count }, () => watchCiphers(client, maxAwaitMs).next()));
  await Promise.race([held, ...ends]);
  unsubscribe();
}
