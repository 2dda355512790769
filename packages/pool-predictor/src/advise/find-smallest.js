/**
 * The smallest whole number that does, when all larger ones do too.
 *
 * @param {number} from
 * @param {number} to
 * @param {(number: number) => boolean} does
 * @returns {number | null} null when not even `to` does
 */
export function findSmallest(from, to, does) {
  if (to < from || !does(to)) return null;
  let [low, high] = [from, to];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (does(middle)) high = middle;
    else low = middle + 1;
  }
  return high;
}
