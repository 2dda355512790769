import { createRandom } from 'test-support/random.js';

/** @import { PlannedCheckout, Schedule } from 'test-support/driver-pool.js' */

/**
 * @typedef {PlannedCheckout & { request: number, isNested: boolean }} CheckoutOfRequest isNested: it starts in the
 *   async flow of the checkout that its request started before
 *
 * @typedef {Schedule & { checkouts: CheckoutOfRequest[], areAbortsTold: boolean, batchSize: number }} WatchedSchedule
 *   areAbortsTold: a checkout is aborted by the signal of its request; if not, by another one, which the monitor does
 *   not know
 */

/**
 * Gives the checkouts of a schedule to requests. Some requests make several, one after another or at the same time.
 * @param {Schedule} schedule
 * @returns {WatchedSchedule}
 */
export function planRequests(schedule) {
  const { uniform } = createRandom(schedule.seed);
  const areAbortsTold = uniform() < 0.5;
  const batchSize = uniform() < 0.5 ? 1 : 2 + Math.floor(uniform() * 30);
  const newShare = 0.1 + uniform();
  let requests = 0;
  const checkouts = schedule.checkouts.map((checkout) => {
    const request = requests === 0 || uniform() < newShare ? ++requests : 1 + Math.floor(uniform() * requests);
    return { ...checkout, request, isNested: uniform() < 0.5 };
  });
  if (areAbortsTold) abortRequests(checkouts);
  return { ...schedule, checkouts, areAbortsTold, batchSize };
}

/** Aborts all that a request has begun at once. @param {CheckoutOfRequest[]} checkouts in the order of their starts */
function abortRequests(checkouts) {
  /** @type {Map<number, number>} */
  const abortsAtMs = new Map();
  const abortOf = (/** @type {CheckoutOfRequest} */ { request }) => abortsAtMs.get(request) ?? Infinity;
  for (const checkout of checkouts)
    if (checkout.atMs < abortOf(checkout))
      abortsAtMs.set(checkout.request, Math.min(abortOf(checkout), checkout.abortAtMs));
  for (const checkout of checkouts)
    checkout.abortAtMs = checkout.atMs < abortOf(checkout) ? abortOf(checkout) : Infinity;
}
