import { explainAdvice } from '../predictions/explain-advice.js';
import { judgeGoals } from './sweep-figures.js';

/** @import { Advice, Slo } from 'mongodb-pool-predictor' */
/** @import { Variant } from '../report/result-types.js' */
/** @import { GoalVerdict } from './sweep-figures.js' */

/** @typedef {Pick<Variant, 'settings' | 'measured'>} MeasuredSize */

/** Why `advise` may say another size for a recording of the same load. */
const KNOWN_USERS =
  "This advice knows that only the scenario's users sent these requests. A recording does not say so, and pool-lab " +
  'advise may give another size for one.';

/**
 * Says at which sizes the goals were met, and what `advise` advises for a measured load.
 *
 * @param {Slo[]} slos
 * @param {MeasuredSize[]} sizes
 * @param {{ advice?: Advice & { recordedSize: number, knowsUsers: boolean }, repeats: number }} asked knowsUsers: see
 *   adviseFrom; repeats: measurements of each size
 * @returns {string[]} paragraphs, the verdict first
 */
export function explainSweep(slos, sizes, { advice, repeats }) {
  const measured = describeMet(slos, sizes);
  if (!advice) return [measured];
  const load = `the load measured at pool size ${advice.recordedSize}`;
  const [verdict, ...reasons] = explainAdvice(advice, { load });
  // Beside a verdict, "not enough data" would contradict it.
  if (advice.verdict === 'notEnoughData') return [measured, `There is no advice for this load: ${reasons.join(' ')}`];
  const runs = repeats === 1 ? 'once' : `${repeats} times`;
  const first = [verdict, measured, `Each size was measured ${runs}, without headroom.`];
  const standard = advice.knowsUsers ? [KNOWN_USERS] : [];
  return [[...first, ...describeDispute(slos, sizes, advice)].join(' '), ...reasons, ...standard];
}

/** @param {Slo[]} slos @param {MeasuredSize[]} sizes @param {GoalVerdict} wanted @returns {number[]} */
export function listSizes(slos, sizes, wanted) {
  return sizes
    .filter(({ measured }) => measured && judgeGoals(slos, measured) === wanted)
    .map(({ settings }) => settings.poolSize);
}

/** @param {Slo[]} slos @param {MeasuredSize[]} sizes @returns {string} */
function describeMet(slos, sizes) {
  const [goal, noGoal] = slos.length === 1 ? ['the goal is', 'the goal'] : ['all goals are', 'a goal'];
  const [met, unknown] = [listSizes(slos, sizes, 'met'), listSizes(slos, sizes, 'unknown')];
  if (met.length === 0 && unknown.length > 0) {
    const start = `Measured: no verdict about ${noGoal} at pool size ${unknown.join(', ')}, from too few requests.`;
    return `${start}${describeUnreached(slos, sizes)}`;
  }
  return `Measured: ${goal} met at ${met.length > 0 ? `pool size ${met.join(', ')}` : 'none of these pool sizes'}.`;
}

/** Without a scenario, nobody knows before where requests will go. @param {Slo[]} slos @param {MeasuredSize[]} sizes */
function describeUnreached(slos, sizes) {
  const routes = [...new Set(sizes.flatMap(({ measured }) => Object.keys(measured?.routes ?? {})))].sort();
  const unreached = new Set(slos.map(({ route }) => route).filter((route) => !routes.includes(route)));
  if (unreached.size === 0 || routes.length === 0) return '';
  return ` No request went to ${[...unreached].join(', ')}, only to ${routes.join(', ')}.`;
}

/**
 * Says where the simulation is wrong about a size that was measured.
 * @param {Slo[]} slos
 * @param {MeasuredSize[]} sizes
 * @param {Pick<Advice, 'sizeNow'>} advice
 * @returns {string[]} none where they agree
 */
function describeDispute(slos, sizes, { sizeNow }) {
  const missed = listSizes(slos, sizes, 'missed').filter((size) => sizeNow !== null && size >= sizeNow);
  return missed.length > 0 ? [`So the simulation is too hopeful at ${missed.join(', ')}: trust the measurement.`] : [];
}
