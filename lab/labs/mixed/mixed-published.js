/**
 * Longest response in ms by pool size, from the article
 * https://medium.com/@kyle_martin/mongodb-in-production-how-connection-pool-size-can-bottleneck-application-scale-439c6e5a8424
 */
const MAX_MS = new Map([
  [1, 21142.7],
  [3, 9017],
  [10, 5019],
]);

/** The published values of the options, and what the article does not say. */
export const PUBLISHED = {
  poolSizes: [...MAX_MS.keys()],
  slowMs: 5000,
  foundElsewhere: [
    {
      fact: "January 2020, with version 3.4.0 of the driver; the author's program",
      where: 'https://github.com/js-kyle/mongodb-pooling',
    },
  ],
};

/** @param {number} poolSize @returns {{ maxMs: number } | null} what the article measured with it */
export function findPublished(poolSize) {
  const maxMs = MAX_MS.get(poolSize);
  return maxMs === undefined ? null : { maxMs };
}
