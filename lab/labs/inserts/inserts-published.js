/** Cases of the article: sessions/goroutines. */
const CASES = ['1/1', '1/100', '100/100', '100/10000'];

/**
 * Documents per second of each case, from the article on 80,000 inserts per second. The view has its link. Client and
 * server were on one instance each. Where it is still online, the columns of its table run together: instance, cores,
 * then the four cases.
 */
const INSTANCES = [
  { instance: 't2.small', cores: 1, rates: [2014, 24_547, 9917, 10_293] },
  { instance: 't2.medium', cores: 2, rates: [2716, 23_114, 21_986, 18_665] },
  { instance: 't2.xlarge', cores: 4, rates: [3671, 18_623, 59_356, 33_101] },
  { instance: 't2.2xlarge', cores: 8, rates: [3727, 21_828, 84_428, 58_290] },
  { instance: 'm4.4xlarge', cores: 16, rates: [4629, 19_986, 74_102, 69_072] },
].map(({ rates, ...row }) => ({
  ...row,
  ratesPerSec: /** @type {Record<string, number>} */ (
    Object.fromEntries(CASES.map((workload, index) => [workload, rates[index]]))
  ),
}));

export const PUBLISHED = {
  cases: CASES,
  docs: 200_000,
  instances: INSTANCES,
  foundElsewhere: [
    { fact: 'not before August 2016, when Go 1.7 was released', where: 'https://go.dev/doc/devel/release#go1.7' },
  ],
};

/** @param {number} cores @returns the largest instance of the article that has no more cores */
export function chooseInstance(cores) {
  return INSTANCES.findLast((each) => each.cores <= cores) ?? INSTANCES[0];
}
