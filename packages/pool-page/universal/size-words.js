import { countConnections, formatNumber } from './quantity.js';

/** @import { BestGuess } from 'mongodb-pool-predictor' */

// Everything that names a pool size says it here, and by which standard. Without a goal it is a best guess for the load
// as it is, and with a goal it is advice. So two sizes never differ without the reason beside them.

const WITH_A_GOAL = 'pool-lab advise finds the size for a goal, with headroom';

/**
 * Says from which size on more connections do not help.
 *
 * @param {BestGuess} best
 * @param {{ load: string, tried?: number[] }} options load: such as "the recorded load"; tried: sizes, ascending;
 *   default: each
 */
export function describeBestGuess({ size, isServerLimit }, { load, tried = [] }) {
  const most = tried[tried.length - 1];
  const why = isServerLimit ? 'the server is the bottleneck above that' : 'more would not help';
  const guess =
    size === null
      ? `more than ${countConnections(most)}, because ${most} ${most === 1 ? 'is' : 'are'} too few`
      : `${describeRange(size, isServerLimit ? [] : tried)}, because ${why}`;
  return `Best guess: ${guess} at ${load}; ${WITH_A_GOAL}.`;
}

/** The sizes that were not tried may be enough, too. @param {number} size @param {number[]} tried */
function describeRange(size, tried) {
  const next = (tried.findLast((each) => each < size) ?? 0) + 1;
  return tried.length === 0 || next === size ? countConnections(size) : `${next} to ${countConnections(size)}`;
}

/**
 * @typedef {object} AdvisedSizes
 * @property {number | null} poolSize the smallest that meets the goals with headroom, too; null: none does
 * @property {number | null} sizeNow the smallest that meets them without headroom; null: unknown, or none does
 * @property {string[]} goals
 * @property {string} load such as "the recorded load"
 * @property {number} headroom times the load
 * @property {boolean} isRandom the load was simulated many times
 * @property {number} instances that have a pool of this size
 */

/**
 * Says which sizes meet the goals, without and with headroom.
 * @param {AdvisedSizes} advised one size is known
 */
export function describeAdvice({ poolSize, sizeNow, goals, load, headroom, isRandom, instances }) {
  const runs = isRandom ? ', in 95 of 100 runs' : '';
  const [what, it] = goals.length === 1 ? [goals[0], 'it'] : ['all goals', 'them'];
  const more = describeHeadroom(headroom);
  if (poolSize === null) return `No pool size meets ${what} with ${more}: ${meet(sizeNow)} ${it} at ${load}${runs}.`;
  const size = `${countConnections(poolSize)}${instances > 1 ? ' in each instance' : ''}`;
  if (sizeNow !== null && sizeNow < poolSize)
    return `${size}: ${meet(sizeNow)} ${what} at ${load}, ${poolSize} also with ${more}${runs}.`;
  const also = headroom > 1 ? ` and with ${more}` : '';
  return `${size} ${poolSize === 1 ? 'meets' : 'meet'} ${what} at ${load}${also}${runs}.`;
}

/** @param {number | null} size */
function meet(size) {
  return `${size} ${size === 1 ? 'meets' : 'meet'}`;
}

/** @param {number} factor times the load */
function describeHeadroom(factor) {
  return factor < 2
    ? `${formatNumber((factor - 1) * 100, Number.isInteger(Math.round(factor * 1000) / 10) ? 0 : 1)} % more requests`
    : `${factor} times as many requests`;
}
