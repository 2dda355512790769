import { groupHolders } from './holders.js';

/** @import { Checkout } from './checkout.js' */
/** @import { PoolIdentity } from './pool-events.js' */
/** @import { RecordedCheckout } from './trace-lines.js' */

/** What the server says if another transaction has changed the same document. */
const WRITE_CONFLICT = 112;
const CONFLICT = /** @type {const} */ ({ outcome: 'operationFailed', reason: 'WriteConflict' });

/**
 * Describes a checkout, for a record or a trace.
 *
 * @template {Pick<RecordedCheckout, 'outcome' | 'reason'>} End
 * @param {Pick<Checkout, 'requestName' | 'purpose' | 'holds' | 'isFresh' | 'openingMs' | 'heldBy' |
 *   'checkOutStartedAtMs' | 'checkedOutAtMs' | 'checkedInAtMs'> & { pool: { identity: PoolIdentity }, connection: { id:
 *   number } | null }} checkout
 * @param {number} endedAtMs by its monitor's clock; now if it has not ended
 * @param {End} end
 * @param {number} [originMs] from which that clock counts, since the epoch; 0 keeps its times
 */
export function describeCheckout(checkout, endedAtMs, end, originMs = performance.timeOrigin) {
  const { pool, requestName, purpose, holds, connection, isFresh, openingMs, heldBy } = checkout;
  const { route, requestId, request } = requestName;
  const { operation = null, kind = null, transaction, errorCode } = purpose ?? {};
  const orNull = (/** @type {number} */ ms) => (Number.isNaN(ms) ? null : originMs + ms);
  return {
    ...pool.identity,
    route,
    requestId,
    request,
    operation,
    kind,
    ...(transaction && { transaction }),
    holds,
    connectionId: connection?.id ?? null,
    isFresh,
    openingMs,
    checkOutStartedAtMs: originMs + checkout.checkOutStartedAtMs,
    checkedOutAtMs: orNull(checkout.checkedOutAtMs),
    checkedInAtMs: orNull(checkout.checkedInAtMs),
    endedAtMs: originMs + endedAtMs,
    heldBy: groupHolders(heldBy),
    ...end,
    ...(errorCode === WRITE_CONFLICT && CONFLICT),
  };
}
