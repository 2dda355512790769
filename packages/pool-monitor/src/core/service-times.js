const MAX_SAMPLES = 100;

/**
 * Samples how long the last requests of each route kept connections, in the simulator's format. The queries of one
 * request add up. A request with a failed query does not count, because it does not show how long a query takes. Nor
 * does a stream, which waits for news.
 *
 * @param {import('./checkout-log.js').CheckoutRecord[]} checkouts oldest first
 * @returns {Record<string, { kind: 'sample', valuesMs: number[] }>} by route
 */
export function sampleServiceTimes(checkouts) {
  const failed = new Set(checkouts.filter(({ outcome }) => outcome !== 'checkedIn').map(requestOf));
  /** How long connections were used, by route and request. @type {Map<string, Map<string | number, number>>} */
  const uses = new Map();
  for (const checkout of checkouts.toReversed()) {
    const { route, kind, checkedOutAtMs, checkedInAtMs } = checkout;
    const request = requestOf(checkout);
    if (route === null || kind !== null || failed.has(request)) continue;
    const ofRoute = uses.get(route) ?? new Map();
    uses.set(route, ofRoute);
    if (ofRoute.size === MAX_SAMPLES && !ofRoute.has(request)) continue;
    ofRoute.set(request, (ofRoute.get(request) ?? 0) + Number(checkedInAtMs) - Number(checkedOutAtMs));
  }
  return Object.fromEntries(
    [...uses].map(([route, ofRoute]) => [
      route,
      { kind: 'sample', valuesMs: [...ofRoute.values()].map((ms) => Math.round(ms * 1000) / 1000) },
    ]),
  );
}

/**
 * Outside of any request, each checkout counts as a request.
 * @param {import('./checkout-log.js').CheckoutRecord} checkout
 */
function requestOf({ id, requestId }) {
  return requestId ?? id;
}
