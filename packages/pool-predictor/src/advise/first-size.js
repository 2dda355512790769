import { joinStudies, QUICK_RUNS } from './study.js';

/** @import { LoadStudy } from './study.js' */

/**
 * A first figure, from a few runs: in all runs, another size may turn out to be the smallest, or none.
 *
 * @typedef {object} FirstSize
 * @property {number} poolSize the smallest that meets all goals, at every load and in every reading of it, in the few
 *   runs
 * @property {number} runs that it comes from, of each load
 * @property {number} seeds how many runs the advice will come from
 */

/**
 * Finds the smallest size that meets all goals in a few runs.
 *
 * @param {LoadStudy[]} studies that nothing else uses: what they try decides what they try next
 * @param {number} most size to try
 * @returns {Promise<FirstSize | null>} null if none does
 */
export async function findFirstSize(studies, most) {
  const { meets, search } = joinStudies(studies);
  const passed = new Set();
  const poolSize = await search(1, most, async (size, isQuick) => {
    if (!isQuick) return passed.has(size);
    const isMet = await meets({ maxPoolSize: size }, { isQuick });
    if (isMet) passed.add(size);
    return isMet;
  });
  return poolSize === null ? null : { poolSize, runs: QUICK_RUNS, seeds: studies[0].seeds.length };
}
