/** @typedef {{ poolSize: number, ratePerSec: number, heavyP99Ms: number }} Surveyed one pool size, measured once */

/** @param {Surveyed[]} survey @returns {number} the most queries per second */
export function mostOf(survey) {
  return Math.max(...survey.map(({ ratePerSec }) => ratePerSec));
}

/** A size that answers fewer queries than this share of the most is no candidate, however quickly it answers them. */
const ENOUGH = 0.8;

/**
 * The best pool size below the reference: of those that answer at least 80 % as many queries as any other, the one
 * whose heavy queries have the lowest p99. It is chosen from the survey, and compared in separate measurements. If the
 * same measurements served both purposes, the best size would partly be the luckiest one.
 *
 * @param {Surveyed[]} survey
 * @param {number} reference
 * @returns {number}
 * @throws {Error} if no size below the reference was measured
 */
export function chooseBestSize(survey, reference) {
  const smaller = survey.filter(({ poolSize }) => poolSize < reference);
  if (smaller.length === 0) throw new Error(`no pool size below ${reference} was measured`);
  const [best] = smaller
    .filter(({ ratePerSec }) => ratePerSec >= ENOUGH * mostOf(smaller))
    .toSorted((a, b) => a.heavyP99Ms - b.heavyP99Ms || a.poolSize - b.poolSize);
  return best.poolSize;
}
