/** P(at least `least` of `count`), each with probability `share`. @param {number} count @param {number} share @param {number} least */
export function binomialTail(count, share, least) {
  let sum = 0;
  for (let hits = Math.max(0, least); hits <= count; hits++) {
    sum += Math.exp(logChoose(count, hits) + hits * Math.log(share) + (count - hits) * Math.log(1 - share));
  }
  return Math.min(1, sum);
}

/**
 * Fisher's exact test, one-sided: P(at least `hits` of the hits are among the first `count`), if both have the same share.
 * https://en.wikipedia.org/wiki/Fisher%27s_exact_test
 *
 * @param {number} hits
 * @param {number} count
 * @param {number} otherHits
 * @param {number} otherCount
 */
export function fisherTail(hits, count, otherHits, otherCount) {
  const all = hits + otherHits;
  let sum = 0;
  for (let first = hits; first <= Math.min(all, count); first++) {
    if (all - first > otherCount) continue;
    sum += Math.exp(logChoose(count, first) + logChoose(otherCount, all - first) - logChoose(count + otherCount, all));
  }
  return Math.min(1, sum);
}

/** @param {number} count @param {number} chosen */
function logChoose(count, chosen) {
  let sum = 0;
  for (let index = 1; index <= chosen; index++) sum += Math.log(count - chosen + index) - Math.log(index);
  return sum;
}
