/**
 * What the lab measured, in ms by number of lanes, always on two cores. `from` says how to measure it again.
 *
 * @typedef {{ from: string, ms: Record<number, number> }} Measured
 */

/** @type {Measured} */
export const ONE_FAST_LANE = {
  from: 'pool-lab run mixed --pool-sizes 1 --scenario loadtests/fast-only.yaml --environment hundred; the median',
  ms: { 1: 4 },
};

/** Lesson 3. @type {Measured} */
export const SLOWEST = {
  from: 'pool-lab run mixed --pool-sizes 1,3,4,5,6,10, as in lesson 3',
  ms: { 1: 21069, 3: 7022, 4: 6025, 5: 5015, 6: 5014, 10: 5010 },
};

/** @type {Measured} */
export const SLOWEST_FERRARI = {
  from: 'pool-lab run mixed --pool-sizes 1,3,4,5,6,10 --parallel',
  ms: { 1: 20039, 3: 1952, 4: 51, 5: 5, 6: 182, 10: 12 },
};

/**
 * Lesson 9: the p99 of heavy queries. With 100 lanes, five more runs on a busy machine took 1212 to 1998 ms.
 * @type {Measured}
 */
export const TOLL_BOOTHS = {
  from: 'pool-lab run saturation --loads closed --heavy-ms 20, as in lesson 9',
  ms: { 2: 307, 4: 312, 8: 316, 16: 384, 100: 893 },
};

/** Kyle Martin's article, with the driver of 2020; see lab/labs/mixed/mixed-published.js. @type {Measured} */
export const ARTICLE = { from: "Kyle Martin's article of 2020", ms: { 1: 21142.7, 3: 9017, 10: 5019 } };
