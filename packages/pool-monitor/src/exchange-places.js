/** @import { Checkout } from './checkout.js' */
/** @import { ServerPool } from './server-pool.js' */

/**
 * A checkout ends in its caller's own code. If we had linked that caller to another connection, or to a place in the queue,
 * or had given it up, it exchanges places with the one we took it for.
 *
 * @param {ServerPool} pool
 * @param {Checkout} supposed which we believed to end
 * @param {Checkout} real which ends
 */
export function exchangePlaces(pool, supposed, real) {
  const { connection, checkedOutAtMs, hasFailed } = real;
  take(real, supposed);
  if (connection === null) {
    if (supposed.wasSeen) pool.queue.replace(real, supposed);
    // Nobody waits there: we did not know who got the connection, and it was this one.
    else pool.queue.remove(real);
  }
  take(supposed, { connection, checkedOutAtMs, hasFailed });
  pool.connections.changes += 1;
}

/** @param {Checkout} checkout @param {Pick<Checkout, 'connection' | 'checkedOutAtMs' | 'hasFailed'>} place */
function take(checkout, { connection, checkedOutAtMs, hasFailed }) {
  checkout.connection = connection;
  checkout.checkedOutAtMs = checkedOutAtMs;
  checkout.hasFailed = hasFailed;
  if (connection) connection.checkout = checkout;
}
