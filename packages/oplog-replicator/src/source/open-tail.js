import { createDriverTail } from './driver-tail.js';
import { SocketTail } from './socket-tail.js';

/** @import { Document } from 'mongodb' */
/** @import { Source } from '../base/connect-deployments.js' */
/** @import { Deployment } from '../base/deployment.js' */
/** @import { OplogTail } from './oplog.js' */
/** @import { Position } from './position.js' */

/** Entries of a batch. The workers would run idle while a larger one is on its way. */
const BATCH_SIZE = 2000;
const DEFAULT_PORT = 27017;

/**
 * There are two tails because neither can replace the other: the plain socket has no login and no TLS, and the driver
 * takes four times the CPU time (2.9 instead of 0.7 us for an entry of 1 KB, measured with Node.js 20 and driver 7.9),
 * of the 5 us that replicating an insert takes altogether.
 *
 * @param {Source} source
 * @param {Position} from the entry to begin with; if it does not exist, the next one
 * @returns {Promise<OplogTail>}
 */
export async function openTail({ deployment }, from) {
  const address = plainAddress(deployment, await deployment.reach());
  return address
    ? new SocketTail(deployment, { address, from, batchSize: BATCH_SIZE })
    : createDriverTail(deployment, { from, batchSize: BATCH_SIZE });
}

/**
 * @param {Deployment} deployment
 * @param {Document} hello
 * @returns {{ host: string, port: number } | null} of the primary; null if a plain socket can't connect to it
 */
function plainAddress({ options }, hello) {
  if (options.tls || options.credentials || options.proxyHost || options.hosts[0].socketPath) return null;
  // The primary knows its own address. With directConnection, use the connection string's.
  if (options.directConnection) {
    const [{ host, port }] = options.hosts;
    return { host: String(host), port: port ?? DEFAULT_PORT };
  }
  const colon = hello.me.lastIndexOf(':');
  return { host: hello.me.slice(0, colon).replace(/^\[|\]$/g, ''), port: Number(hello.me.slice(colon + 1)) };
}
