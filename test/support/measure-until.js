/**
 * Measure again until the result is good. For times that a busy machine can only make longer: one good run shows what
 * the code can do. Assert in `measure` what must hold in every run.
 * @template T
 * @param {() => Promise<T>} measure
 * @param {(result: T) => boolean} isGood
 * @param {number} [tries]
 * @returns {Promise<T>} the first good result, or else the last one
 */
export async function measureUntil(measure, isGood, tries = 5) {
  const result = await measure();
  return isGood(result) || tries === 1 ? result : measureUntil(measure, isGood, tries - 1);
}
