import { ratioOf } from '../../report/ratio.js';

/** @import { Finding, Result, Variant } from '../../report/result-types.js' */
/** @import { SessionSettings } from './plan.js' */
/** @import { SessionFigures } from './sessions-view.js' */

/** @typedef {Variant<SessionSettings, SessionFigures>} MeasuredVariant */

/**
 * The findings of the article, as ratios of queries per second: with one worker all ways are alike; with more, a pool
 * beats one connection; a clone behaves as its parent makes it; and a large pool beats a small one.
 * @param {Result<SessionSettings, SessionFigures>} result
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

/** @param {MeasuredVariant[]} variants @returns {Finding[]} */
function compareAll(variants) {
  if (variants.length < 2) return [];
  const [measured, published] = /** @type {const} */ (['measured', 'published']).map((kind) => {
    const rates = variants.flatMap((variant) => variant[kind]?.ratePerSec ?? []);
    return rates.length > 1 ? Math.min(...rates) / Math.max(...rates) : null;
  });
  return [{ claim: '1 worker: the slowest way / the fastest', measured, published }];
}

/** @param {MeasuredVariant[]} variants @returns {Finding[]} */
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
    measured: ratioOf(one.measured?.ratePerSec, other.measured?.ratePerSec),
    published: ratioOf(one.published?.ratePerSec, other.published?.ratePerSec),
  }));
}
