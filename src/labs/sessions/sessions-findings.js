/** @import { Finding, Result, Variant } from '../../report/result-types.js' */

/**
 * What the article found, as ratios of queries per second, as far as the run has both sides: with one worker all ways
 * are alike; with more, a pool is better than one connection; a clone is what its parent makes of it; and a large pool
 * is better than a small one.
 *
 * @param {Result} result
 * @returns {Finding[]}
 */
export function findSessionFindings({ variants }) {
  const shared = variants.filter(({ settings }) => settings.poolSize !== null);
  const counts = [...new Set(shared.map(({ settings }) => settings.workers))];
  return counts.flatMap((workers) => {
    const among = shared.filter(({ settings }) => settings.workers === workers);
    return workers === 1 ? compareAll(among) : comparePairs(among);
  });
}

/**
 * @param {Variant[]} variants
 * @returns {Finding[]}
 */
function compareAll(variants) {
  if (variants.length < 2) return [];
  const [measured, published] = /** @type {const} */ (['measured', 'published']).map((kind) => {
    const rates = variants.flatMap((variant) => variant[kind]?.ratePerSec ?? []);
    return rates.length > 1 ? Math.min(...rates) / Math.max(...rates) : null;
  });
  return [{ claim: '1 worker: the slowest way / the fastest', measured, published }];
}

/**
 * @param {Variant[]} variants
 * @returns {Finding[]}
 */
function comparePairs(variants) {
  /** @param {string} wanted */
  const those = (wanted) => variants.filter(({ settings }) => settings.strategy === wanted);
  const [fixed, copies, clones] = ['fixed', 'copy', 'clone'].map(those);
  const pairs = [
    ...copies.flatMap((copy) => fixed.map((one) => [copy, one])),
    ...clones.flatMap((clone) => [...fixed, ...copies]
      .filter(({ settings }) => settings.poolSize === clone.settings.poolSize).map((like) => [clone, like])),
    ...copies.slice(1).map((copy, index) => [copy, copies[index]]),
  ];
  return pairs.map(([one, other]) => ({
    claim: `${one.name} / ${other.name.replace(/.*: /, '')}`,
    measured: one.measured?.ratePerSec / other.measured?.ratePerSec,
    published: one.published && other.published ? one.published.ratePerSec / other.published.ratePerSec : null,
  }));
}
