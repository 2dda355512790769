/**
 * The smallest whole number that passes a test, provided that all larger ones pass too (binary search).
 *
 * @param {number} from
 * @param {number} to
 * @param {(number: number) => Promise<boolean>} passes
 * @returns {Promise<number | null>} null when `to` does not pass
 */
export async function findSmallest(from, to, passes) {
  if (to < from || !(await passes(to))) return null;
  let [low, high] = [from, to];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (await passes(middle)) high = middle;
    else low = middle + 1;
  }
  return high;
}
