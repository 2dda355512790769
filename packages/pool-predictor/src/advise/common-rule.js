import { sum } from '../base/sample-statistics.js';

/** @import { LoadFacts } from '../load/load-facts.js' */

/**
 * Calculates the size that the most common rule of thumb gives: operations a second times their mean duration, and 20 %
 * more. docs/rules.md says who gives it, and how often it is right.
 *
 * @param {Pick<LoadFacts, 'routes'>} facts
 * @returns {number} connections, at least 1
 */
export function sizeByCommonRule({ routes }) {
  const inUse = sum(
    Object.values(routes).map(({ ratePerSec, queries, meanMs }) => (ratePerSec * queries * meanMs) / 1000),
  );
  return Math.max(1, Math.ceil(inUse * 1.2));
}
