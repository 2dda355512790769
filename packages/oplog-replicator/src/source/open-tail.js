import { createDriverTail } from './driver-tail.js';
import { createSocketTail } from './socket-tail.js';

/** @import { Document, MongoClient } from 'mongodb' */
/** @import { Position } from './position.js' */

/**
 * @typedef {object} Tail of an oplog
 * @property {() => Promise<import('./op-msg.js').EntryBatch | null>} next waits for entries, and comes back without any now
 *   and then; null once the tail is closed. Throws a LineBrokeError or one of the driver's
 * @property {() => Promise<void>} close
 */

/** Entries a batch. With larger ones the workers have nothing to write while one is on its way. */
const BATCH_SIZE = 2000;
const DEFAULT_PORT = 27017;

/**
 * @param {import('../connect-ends.js').Source} source
 * @param {Position} from the first entry, or the next if there is none
 * @returns {Promise<Tail>}
 */
export async function openTail(source, from) {
  const { client } = source;
  const address = plainAddress(client, await source.reach());
  return address
    ? createSocketTail({ address, from, batchSize: BATCH_SIZE })
    : createDriverTail({ client, from, batchSize: BATCH_SIZE });
}

/**
 * @param {MongoClient} client
 * @param {Document} hello
 * @returns {{ host: string, port: number } | null} of the primary; null where a plain socket can't speak to it
 */
function plainAddress({ options }, hello) {
  if (options.tls || options.credentials || options.proxyHost || options.hosts[0].socketPath) return null;
  // A set's members know their own names, unless the connection string wants this one host and no other.
  if (options.directConnection) {
    const [{ host, port }] = options.hosts;
    return { host: String(host), port: port ?? DEFAULT_PORT };
  }
  const colon = hello.me.lastIndexOf(':');
  return { host: hello.me.slice(0, colon).replace(/^\[|\]$/g, ''), port: Number(hello.me.slice(colon + 1)) };
}
