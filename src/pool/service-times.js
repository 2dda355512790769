const MOST_SAMPLED = 100;

/**
 * How long the last queries of each route kept their connections, as the simulator takes service times.
 *
 * @param {import('./checkouts.js').CheckoutRecord[]} checkouts oldest first
 * @returns {Record<string, { kind: 'sample', valuesMs: number[] }>} by route
 */
export function sampleServiceTimes(checkouts) {
  /** @type {Record<string, { kind: 'sample', valuesMs: number[] }>} */
  const services = {};
  for (const { route, gotAtMs, returnedAtMs } of checkouts.toReversed()) {
    if (route === null || gotAtMs === null || returnedAtMs === null) continue;
    const { valuesMs } = services[route] ??= { kind: 'sample', valuesMs: [] };
    if (valuesMs.length < MOST_SAMPLED) valuesMs.push(Math.round((returnedAtMs - gotAtMs) * 1000) / 1000);
  }
  return services;
}
