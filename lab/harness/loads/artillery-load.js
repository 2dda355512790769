import { isPoisson } from 'mongodb-pool-predictor';
import { compareUsers, countFailures, describeFailures } from '../../../src/load-tests/artillery.js';
import { runArtillery, summariseReport } from '../../../src/load-tests/artillery.js';

/** @import { Workload } from 'mongodb-pool-predictor' */
/** @import { ArtilleryReport, LoadTestFigures } from '../../../src/load-tests/artillery.js' */
/** @import { ClientReport, RunLoad } from './load-types.js' */

/**
 * How late Artillery notices an arrival of a poisson phase, and so begins the next gap. On a core of its own it
 * was 0.2 to 0.4 ms at 300 to 500 users per second of one request each, and 0.7 ms at 150 per second of five.
 */
const LATE_MS = 0.3;
const NOTABLE_SHARE = 0.03;

/**
 * @typedef {Omit<Parameters<typeof runArtillery>[0], 'signal'> & { workload?: Pick<Workload, 'phases'> }} ScenarioLoad
 *   workload: of the scenario, where it can be simulated
 * @typedef {ClientReport & { report: ArtilleryReport, figures: LoadTestFigures }} ScenarioReport
 */

/**
 * Runs a scenario, and says what was not as it should be.
 *
 * @type {RunLoad<ScenarioLoad, ScenarioReport>}
 */
export async function runScenario({ workload, ...load }, { signal } = {}) {
  const { report, unmet } = await runArtillery({ ...load, signal });
  const users = workload ? compareUsers(workload, report) : { figures: {}, warnings: [] };
  const figures = { ...summariseReport(report), ...users.figures };
  return {
    report,
    figures,
    ...(figures.failures > 0 && { failed: describeFailures(report), failures: countFailures(report) }),
    warnings: [...users.warnings, ...unmet.map((threshold) => `the scenario's threshold is not met: ${threshold}`)],
  };
}

/**
 * @param {Pick<Workload, 'phases'>} workload
 * @param {number} workers Artillery's worker threads
 * @returns {string[]} a warning when Artillery is going to lose users of a poisson phase
 */
export function foreseeLostUsers({ phases }, workers) {
  const rate = Math.max(0, ...phases.filter(isPoisson).map(({ arrivalRate = 0 }) => Math.ceil(arrivalRate / workers)));
  const meanGapMs = 1000 / rate;
  const share = LATE_MS / (meanGapMs + LATE_MS);
  if (share < NOTABLE_SHARE - 0.001) return [];
  return [
    `mode poisson, with up to ${rate} users per second in a worker thread: Artillery never makes up for a late ` +
      `arrival, so it will send about ${Math.round(share * 100)} % fewer, and far fewer on a busy machine. The ` +
      'prediction has all of them. arrivalCount and mode uniform lose none',
  ];
}
