import { findSmallest } from './find-smallest.js';
import { compareFleet } from './fleet.js';
import { listBest } from './judgement.js';
import { compareRemedies } from './remedies.js';

/** @import { Service } from '../simulator/service-time.js' */
/** @import { Fleet, FleetFacts } from './fleet.js' */
/** @import { Judgement } from './judgement.js' */
/** @import { Remedy } from './remedies.js' */
/** @import { Slo } from './slo.js' */
/** @import { LoadStudy } from './study.js' */

/**
 * @typedef {Omit<Judgement, 'runs' | 'goals'> & { poolSize: number, factor: number,
 *   goals: { text: string, medianMs: number, upperMs: number, isMet: boolean }[] }} AdviceRow
 *
 * @typedef {object} StudiedSizes of the load at `factor` times its rate; see LoadFacts
 * @property {number} factor
 * @property {number | null} smallest size that meets all goals
 * @property {number} floor
 * @property {number} meanActive
 * @property {number} peakActive
 * @property {number | null} bestSize null: without a limit on connections. Where that is a worse size than `floor`,
 *   because queries slow each other down, and none meets all goals, it is `floor`
 * @property {number[]} bestMs the upperMs of each goal with bestSize
 * @property {number[]} medianMs the medianMs of the same
 *
 * @typedef {object} AdvisedSize
 * @property {'size' | 'tooManyConnections'} verdict
 * @property {number} poolSize
 * @property {AdviceRow[]} rows the advised size, one less and one more
 * @property {number | null} noBenefitAfter more connections than these do not help, at the higher load
 * @property {Remedy[]} remedies that the servers have room for
 * @property {FleetFacts | null} fleet
 */

/** @param {LoadStudy[]} studies @returns {Promise<StudiedSizes[]>} */
export async function findSmallestSizes(studies) {
  const loads = [];
  for (const { factor, facts, isShared, unlimited, judge, search, meets } of studies) {
    const { floor, meanActive, peakActive } = facts;
    const smallest = await search(1, peakActive, (maxPoolSize, isQuick) => meets({ maxPoolSize }, { isQuick }));
    const limited =
      smallest === null && isShared && floor < peakActive ? await judge({ maxPoolSize: floor }) : unlimited;
    const isBetter = limited.goals.every(({ upperMs }, goal) => upperMs < unlimited.goals[goal].upperMs);
    const { goals } = isBetter ? limited : unlimited;
    loads.push({
      ...{ factor, smallest, floor, meanActive, peakActive },
      bestSize: isBetter ? floor : null,
      bestMs: goals.map(({ upperMs }) => upperMs),
      medianMs: goals.map(({ medianMs }) => medianMs),
    });
  }
  return loads;
}

/**
 * Describes the advised size: its neighbours, its remedies, and whether the servers have room for it.
 *
 * @param {{ studies: LoadStudy[], poolSize: number, services: Record<string, Service>, slos: Slo[], fleet?: Fleet }}
 *   advised
 * @returns {Promise<AdvisedSize>}
 */
export async function describeSize({ studies, poolSize, services, slos, fleet }) {
  const hardest = studies[studies.length - 1];
  const { floor, peakActive } = hardest.facts;
  const enough = Math.max(poolSize, floor);
  const fleetFacts = fleet ? compareFleet(fleet, poolSize) : null;
  return {
    verdict: fleetFacts?.fits === false ? 'tooManyConnections' : 'size',
    poolSize,
    rows: await describeRows(studies, poolSize),
    noBenefitAfter: await findSmallest(enough, Math.max(enough, peakActive), (maxPoolSize, isQuick) =>
      hardest.meets({ maxPoolSize }, { goals: listBest(hardest.unlimited), isQuick }),
    ),
    remedies: await compareRemedies({ study: hardest, services, slos, poolSize, fleet }),
    fleet: fleetFacts,
  };
}

/**
 * Finds the smallest size for all loads. The largest of their smallest sizes may not be enough: users wait for their
 * answers, so more connections can make them send their next requests at a worse moment.
 *
 * @param {LoadStudy[]} studies
 * @param {StudiedSizes[]} loads
 * @returns {Promise<number | null>}
 */
export async function findCommonSize(studies, loads) {
  const smallest = loads.map((load) => load.smallest);
  if (smallest.includes(null)) return null;
  // With more connections than these, no request waits at any load.
  const most = Math.max(...studies.map(({ facts }) => facts.peakActive));
  for (let maxPoolSize = Math.max(...smallest.map(Number)); maxPoolSize <= most; maxPoolSize++) {
    let isMet = true;
    for (const { meets } of studies) isMet &&= await meets({ maxPoolSize });
    if (isMet) return maxPoolSize;
  }
  return null;
}

/** @param {LoadStudy[]} studies @param {number} poolSize @returns {Promise<AdviceRow[]>} */
async function describeRows(studies, poolSize) {
  const rows = [];
  for (const size of [poolSize - 1, poolSize, poolSize + 1].filter((candidate) => candidate > 0)) {
    for (const { factor, judge } of studies) {
      const { goals, isMet, failureShare, utilisation, peakWaiting } = await judge({ maxPoolSize: size });
      rows.push({
        poolSize: size,
        factor,
        isMet,
        failureShare,
        utilisation,
        peakWaiting,
        goals: goals.map(({ slo, ...goal }) => ({ text: slo.text, ...goal })),
      });
    }
  }
  return rows;
}
