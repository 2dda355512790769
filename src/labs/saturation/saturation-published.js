/**
 * Oracle's Real-World Performance group, as HikariCP's page About Pool Sizing reports it: 9600 threads that sleep 550 ms
 * between two queries. The mean wait for a connection and the mean time in the database, with a pool of 2048 and of 96.
 * https://github.com/brettwooldridge/HikariCP/wiki/About-Pool-Sizing
 */
const LARGE = { waitMs: 33, useMs: 77 };
const SMALL = { waitMs: 1, useMs: 2 };

/** Large pool / small pool. */
export const PUBLISHED_RATIOS = {
  mean: (LARGE.waitMs + LARGE.useMs) / (SMALL.waitMs + SMALL.useMs),
  use: LARGE.useMs / SMALL.useMs,
};
