/** How far below the size that a binary search finds the search looks further. */
const NEIGHBOURS = 100;

/**
 * The smallest whole number that passes a test.
 *
 * @param {number} from
 * @param {number} to
 * @param {(number: number) => Promise<boolean>} passes
 * @param {() => boolean} [isMonotone] whether all numbers above one that passes pass, too: then a binary search is enough.
 *   Otherwise the 100 numbers below are tried as well. Asked after the binary search. Default: yes
 * @returns {Promise<number | null>} null when none passes
 */
export async function findSmallest(from, to, passes, isMonotone = () => true) {
  let found = to < from || !(await passes(to)) ? null : await bisect(from, to, passes);
  if (isMonotone()) return found;
  const above = found ?? to;
  for (let number = above - 1; number >= Math.max(from, above - NEIGHBOURS); number--) {
    if (await passes(number)) found = number;
  }
  return found;
}

/** @param {number} from @param {number} to a number that passes @param {(number: number) => Promise<boolean>} passes */
async function bisect(from, to, passes) {
  let [low, high] = [from, to];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (await passes(middle)) high = middle;
    else low = middle + 1;
  }
  return high;
}
