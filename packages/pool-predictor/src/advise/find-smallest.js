/** Factor from one number to the next, where not all are tried. */
const STEP = 1.25;
/** Numbers below the result of a binary search that are tried as well. */
const NEIGHBOURS = 100;

/**
 * A test of a number. A quick one takes less time: what it rejects fails the whole test, too.
 * @typedef {(number: number, isQuick?: boolean) => Promise<boolean>} Passes
 */

/**
 * Finds the smallest whole number that passes a test.
 *
 * @param {number} from
 * @param {number} to
 * @param {Passes} passes
 * @param {() => boolean} [isMonotone] whether all numbers above one that passes pass, too: then a binary search is
 *   enough. Otherwise the 100 numbers below are tried as well. Called after the binary search. Default: yes
 * @returns {Promise<number | null>} null when none passes
 */
export async function findSmallest(from, to, passes, isMonotone = () => true) {
  let found = to < from ? null : await climb(from, to, passes);
  // The search was quick, so what it found has to pass the whole test.
  while (found !== null && !(await passes(found))) found = found < to ? await climb(found + 1, to, passes) : null;
  if (isMonotone()) return found;
  const above = found ?? to;
  for (let number = above - 1; number >= Math.max(from, above - NEIGHBOURS); number--) {
    if (await passes(number)) found = number;
  }
  return found;
}

/**
 * Finds the same where numbers may pass although larger ones do not. Those that pass are assumed to have no gaps, and
 * to span at least a factor of 1.25.
 *
 * @param {number} from
 * @param {number} to
 * @param {Passes} passes
 * @returns {Promise<number | null>} null when none passes
 */
export async function findFirst(from, to, passes) {
  const passesQuickly = (/** @type {number} */ number) => passes(number, true);
  let fails = from - 1;
  for (const number of [...listNumbers(from, to), to]) {
    while (fails < number && (await passesQuickly(number))) {
      const found = await bisect(fails + 1, number, passesQuickly);
      if (await passes(found)) return found;
      fails = found;
    }
    fails = number;
  }
  return null;
}

/** Lists whole numbers, each 1.25 times the one before it or one more. @param {number} from @param {number} to */
export function listNumbers(from, to) {
  const numbers = [];
  for (let number = from; number <= to; number = Math.max(number + 1, Math.round(number * STEP))) numbers.push(number);
  return numbers;
}

/**
 * Searches from below, with growing steps: a test that fails is often over soon, and one that passes takes its time.
 *
 * @param {number} from
 * @param {number} to
 * @param {Passes} passes
 * @returns {Promise<number>} the smallest that passes quick tests; `to`, which was not tested, if none does
 */
async function climb(from, to, passes) {
  let low = from;
  for (let step = 1; low < to; step *= 2) {
    const number = Math.min(low + step - 1, to);
    if (await passes(number, true)) return bisect(low, number, (each) => passes(each, true));
    low = number + 1;
  }
  return to;
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
