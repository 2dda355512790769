/**
 * Longest response in ms by pool size, from the article
 * https://medium.com/@kyle_martin/mongodb-in-production-how-connection-pool-size-can-bottleneck-application-scale-439c6e5a8424
 */
const MAX_MS = new Map([[1, 21142.7], [3, 9017], [10, 5019]]);

/** The published values of the options. */
export const PUBLISHED = { poolSizes: [...MAX_MS.keys()], slowMs: 5000 };

/** @param {number} poolSize @returns {{ maxMs: number } | null} what the article measured with it */
export function findPublished(poolSize) {
  const maxMs = MAX_MS.get(poolSize);
  return maxMs === undefined ? null : { maxMs };
}
