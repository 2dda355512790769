import { countConnections, formatNumber, formatQuantity, formatTenths } from 'mongodb-pool-page/universal/quantity.js';

/** @import { Saturation, Slowdown } from 'mongodb-pool-predictor' */

/**
 * Where the server is the bottleneck.
 *
 * @param {Slowdown} slowdown
 * @param {string} [owner] of the connections
 */
export function describeSlowdown({ route, poolSize, p99Ms, largerSize, largerMs }, owner = '') {
  return (
    `Above ${countConnections(poolSize)}${owner} the server is the bottleneck: with ${largerSize}, p99 of ${route} ` +
    `is ${formatNumber(largerMs / p99Ms, 1)} times as long (${formatQuantity(largerMs, 'ms')} instead of ` +
    `${formatQuantity(p99Ms, 'ms')}).`
  );
}

/** @param {Saturation} saturation where no size will do @returns {string[]} */
export function explainFullServer({ cores, usedShare, enough }) {
  const limit =
    usedShare >= 1
      ? `The load needs ${countNeeded(usedShare, cores)}. No pool size is enough.`
      : `On average, the load needs ${formatTenths(usedShare * cores)} of ${nameCores(cores)}. With a small pool, ` +
        'requests wait for a connection. With a large one, queries wait for a core.';
  const remedy = enough
    ? `About ${formatCores(enough.cores)} with ${countConnections(enough.poolSize)} would do, or cheaper queries.`
    : 'Cheaper queries would help. More cores alone would not.';
  return [`${limit} ${remedy}`];
}

/** How far the pool may grow. @param {Saturation} saturation @param {number} poolSize advised @returns {string[]} */
export function explainRange({ cores, slowdown, fleet }, poolSize) {
  const shared = `The queries share ${nameCores(cores)}.`;
  const others = fleet ? [explainFleetOnServer(fleet, cores)] : [];
  if (!slowdown) return [`${shared} At this load, a larger pool does no harm.`, ...others];
  const sentence = describeSlowdown(slowdown);
  return [
    `${sentence} ${shared}${
      slowdown.poolSize < poolSize
        ? ` The goals need ${poolSize}: more connections than ${slowdown.route} can use without getting slower.`
        : ''
    }`,
    ...others,
  ];
}

/** @param {NonNullable<Saturation['fleet']>} fleet @param {number} cores */
function explainFleetOnServer({ instances, usedShare, slowdown }, cores) {
  const all = `all ${instances} instances together`;
  if (usedShare >= 1) {
    return `If each instance has this load, ${all} need ${countNeeded(usedShare, cores)}, whatever the pool size.`;
  }
  if (!slowdown) return `At this load, the connections of ${all} do no harm either.`;
  const share = Math.max(1, Math.floor(slowdown.poolSize / instances));
  return `${describeSlowdown(slowdown, ` of ${all}`)} That is ${countConnections(share)} for each instance.`;
}

/** What is too much. @param {number} usedShare at least 1 @param {number} cores */
function countNeeded(usedShare, cores) {
  const [needed, had] = [usedShare * cores, cores].map((each) => formatNumber(each, 1));
  return `${needed === had ? 'all' : `${needed} cores, more than`} the ${formatCores(cores)} that the server could use`;
}

/** Other programs leave it no whole number of them. @param {number} cores */
function nameCores(cores) {
  return Number.isInteger(cores)
    ? `the server's ${formatCores(cores)}`
    : `the ${formatCores(cores)} that the server could use`;
}

/** @param {number} cores */
function formatCores(cores) {
  return cores === 1 ? '1 core' : `${formatNumber(cores, Number.isInteger(cores) ? 0 : 1)} cores`;
}
