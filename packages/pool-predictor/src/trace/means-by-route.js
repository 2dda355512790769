/** @import { Trace } from '../formats/trace.js' */

/**
 * @param {Pick<Trace, 'routes' | 'routeOf'>} trace
 * @param {ArrayLike<number>} values of its checkouts
 * @returns {number[]} the mean of each route, in the order of its routes; NaN for one without checkouts
 */
export function meansByRoute({ routes, routeOf }, values) {
  const sums = routes.map(() => ({ sum: 0, count: 0 }));
  for (let i = 0; i < values.length; i++) {
    sums[routeOf[i]].sum += values[i];
    sums[routeOf[i]].count++;
  }
  return sums.map(({ sum, count }) => sum / count);
}
