/** More changes make another word. */
const MAX_CHANGES = 3;
/** The least share of the longer word's letters that must stay. */
const LEAST_ALIKE = 0.5;

/**
 * Finds what somebody may have meant.
 * @param {string} word
 * @param {string[]} words
 * @returns {string | undefined} the first of the nearest words; undefined if none is near
 */
export function findNearest(word, words) {
  const near = words
    .map((each) => ({ each, changes: countChanges(word.toLowerCase(), each.toLowerCase()) }))
    .filter(({ each, changes }) => {
      const length = Math.max(word.length, each.length);
      return changes <= MAX_CHANGES && length - changes >= length * LEAST_ALIKE;
    });
  return near.toSorted((a, b) => a.changes - b.changes)[0]?.each;
}

/**
 * Counts the letters that are missing, too many or wrong, and the pairs that are swapped: `wacth` is one change from
 * `watch`. https://en.wikipedia.org/wiki/Damerau-Levenshtein_distance, where no letter is changed twice.
 * @param {string} a
 * @param {string} b
 */
function countChanges(a, b) {
  /** The changes from the first letters of one word to the first letters of the other. @type {number[][]} */
  const counts = [];
  for (let i = 0; i <= a.length; i++) {
    counts.push([i]);
    for (let j = 1; j <= b.length; j++) {
      if (i === 0) counts[0].push(j);
      else {
        const isSame = a[i - 1] === b[j - 1];
        const isSwapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
        counts[i].push(
          Math.min(
            counts[i - 1][j] + 1,
            counts[i][j - 1] + 1,
            counts[i - 1][j - 1] + (isSame ? 0 : 1),
            isSwapped ? counts[i - 2][j - 2] + 1 : Infinity,
          ),
        );
      }
    }
  }
  return counts[a.length][b.length];
}
