import { UNLIMITED } from '../simulator/create-pool.js';
import { sizeByCommonRule } from './common-rule.js';
import { compareFleet } from './fleet.js';
import { compareRemedies } from './remedies.js';
import { joinStudies } from './study.js';

/** @import { Service } from '../simulator/service-time.js' */
/** @import { Fleet, FleetFacts } from './fleet.js' */
/** @import { Judgement } from './judgement.js' */
/** @import { Remedy } from './remedies.js' */
/** @import { Slo } from './slo.js' */
/** @import { LoadStudy } from './study.js' */

/**
 * @typedef {object} AdviceRow the advised size at a load, in the reading with the longest times
 * @property {number} poolSize
 * @property {number} factor
 * @property {number} failureShare see Judgement, like the next two
 * @property {number} utilisation
 * @property {number} peakWaiting
 * @property {{ text: string, medianMs: number, upperMs: number }[]} goals
 *
 * @typedef {object} StudiedLoad one reading of the load at `factor` times its rate; see LoadFacts
 * @property {number} factor
 * @property {number} reading see LoadStudy
 * @property {number} floor
 * @property {number} meanActive
 * @property {number} peakActive
 * @property {BestSize} [best] where no size meets all goals
 *
 * @typedef {object} BestSize
 * @property {number | null} poolSize null: without a limit on connections. Where that is a worse size than `floor`,
 *   because queries slow each other down, it is `floor`
 * @property {number} runs that the figures come from: a few, or all, if the few of every load meet the goals
 * @property {{ medianMs: number, upperMs: number, isMet: boolean }[]} goals upperMs of a few runs: the longest
 *
 * @typedef {{ poolSize: number, factor: number, reading: number, text: string, ms: number }} Smaller why one connection
 *   less is not enough: a goal, and up to how long it takes; in the likely reading, if that is known to miss it
 *
 * @typedef {{ poolSize: number, goals: AdviceRow['goals'] }} RuleSize what the common rule gives for the load as it is,
 *   see sizeByCommonRule, and what that size does to the goals there, in a few runs and the reading with the longest
 *   times
 *
 * @typedef {object} AdvisedSize
 * @property {'size' | 'tooManyConnections'} verdict
 * @property {number} poolSize
 * @property {number | null} sizeNow see Advice
 * @property {AdviceRow[]} rows
 * @property {Smaller | null} smaller null where that is none, or was not tried
 * @property {RuleSize} rule
 * @property {Remedy[]} remedies that the servers have room for
 * @property {FleetFacts | null} fleet
 */

/** @param {LoadStudy} study @returns {StudiedLoad} */
export function describeStudy({ factor, reading, facts: { floor, meanActive, peakActive } }) {
  return { factor, reading, floor, meanActive, peakActive };
}

/** @param {LoadStudy[]} studies @returns {Promise<StudiedLoad[]>} with the best that a size can do */
export async function findBestSizes(studies) {
  const judgeAll = (/** @type {boolean} */ isQuick) => Promise.all(studies.map((study) => judgeBest(study, isQuick)));
  const quick = await judgeAll(true);
  return quick.some(({ best }) => best.goals.some(({ isMet }) => !isMet)) ? quick : judgeAll(false);
}

/** @param {LoadStudy} study @param {boolean} isQuick */
async function judgeBest(study, isQuick) {
  const { floor, peakActive } = study.facts;
  const unlimited = await study.judge(UNLIMITED, isQuick);
  const isLimited = study.isShared && floor < peakActive;
  const limited = isLimited ? await study.judge({ maxPoolSize: floor }, isQuick) : unlimited;
  const isBetter = limited.goals.every(({ upperMs }, goal) => upperMs < unlimited.goals[goal].upperMs);
  const { goals, runs } = isBetter ? limited : unlimited;
  return {
    ...describeStudy(study),
    best: {
      ...{ poolSize: isBetter ? floor : null, runs: runs.length },
      goals: goals.map(({ medianMs, upperMs, isMet }) => ({ medianMs, upperMs, isMet })),
    },
  };
}

/**
 * Finds the smallest size that meets all goals at the load as it is.
 *
 * @param {LoadStudy[]} studies
 * @param {number} most size to try; one that meets them at every load is enough for this one
 * @param {StudiedLoad[]} [loads] with the best that a size can do, where none meets the goals at every load
 * @returns {Promise<number | null>} null if a load as it is has no such size, or if its best size is not sure
 */
export async function findSizeNow(studies, most, loads = []) {
  const isMissed = loads.some(({ factor, best }) => factor === 1 && !best?.goals.every(({ isMet }) => isMet));
  return isMissed ? null : joinStudies(studies.filter(({ factor }) => factor === 1)).findSize(most);
}

/**
 * Describes the advised size: what it does, its remedies, and whether the servers have room for it.
 *
 * @param {{ studies: LoadStudy[], poolSize: number, services: Record<string, Service>, slos: Slo[], fleet?: Fleet }}
 *   advised
 * @returns {Promise<AdvisedSize>}
 */
export async function describeSize({ studies, poolSize, services, slos, fleet }) {
  const most = Math.max(...studies.map(({ factor }) => factor));
  const fleetFacts = fleet ? compareFleet(fleet, poolSize) : null;
  return {
    verdict: fleetFacts?.fits === false ? 'tooManyConnections' : 'size',
    poolSize,
    rows: await describeRows(studies, poolSize),
    smaller: describeSmaller(studies, poolSize - 1),
    // Its runs are no reason why a size is too small, so it comes after that.
    sizeNow: most === 1 ? poolSize : await findSizeNow(studies, poolSize),
    rule: await describeRule(studies.filter(({ factor }) => factor === 1)),
    remedies: await compareRemedies({
      studies: studies.filter(({ factor }) => factor === most),
      services,
      slos,
      poolSize,
      fleet,
    }),
    fleet: fleetFacts,
  };
}

/**
 * @param {LoadStudy[]} studies
 * @param {number} poolSize
 * @param {boolean} [isQuick] from a few runs
 * @returns {Promise<AdviceRow[]>} one for each factor
 */
async function describeRows(studies, poolSize, isQuick = false) {
  /** @type {Map<number, Judgement>} */
  const worst = new Map();
  for (const { factor, judge } of studies) {
    const judged = await judge({ maxPoolSize: poolSize }, isQuick);
    const other = worst.get(factor);
    if (!other || closestOf(judged) > closestOf(other)) worst.set(factor, judged);
  }
  return Array.from(worst, ([factor, { goals, failureShare, utilisation, peakWaiting }]) => ({
    ...{ poolSize, factor, failureShare, utilisation, peakWaiting },
    goals: goals.map(({ slo: { text }, medianMs, upperMs }) => ({ text, medianMs, upperMs })),
  }));
}

/** @param {LoadStudy[]} studies of the load as it is, the likely reading first @returns {Promise<RuleSize>} */
async function describeRule(studies) {
  const poolSize = sizeByCommonRule(studies[0].facts);
  const [{ goals }] = await describeRows(studies, poolSize, true);
  return { poolSize, goals };
}

/** How close a pool comes to the limit of a goal. @param {Judgement} judgement */
function closestOf({ goals }) {
  return Math.max(...goals.map(({ slo, upperMs }) => upperMs / slo.limitMs));
}

/** @param {LoadStudy[]} studies @param {number} poolSize @returns {Smaller | null} */
function describeSmaller(studies, poolSize) {
  for (const { factor, reading, missOf } of studies.toSorted((a, b) => a.reading - b.reading || b.factor - a.factor)) {
    const miss = missOf({ maxPoolSize: poolSize });
    if (miss) return { poolSize, factor, reading, ...miss };
  }
  return null;
}
