import { describeFailures, runArtillery, summariseReport } from '../../../src/load-tests/artillery.js';
import { compareUsers } from '../../../src/load-tests/sent-users.js';

/** @import { Workload } from 'mongodb-pool-predictor' */
/** @import { ArtilleryReport, LoadTestFigures } from '../../../src/load-tests/artillery.js' */
/** @import { ClientReport, RunLoad } from './load-types.js' */

/**
 * @typedef {Omit<Parameters<typeof runArtillery>[0], 'signal'> & { workload?: Pick<Workload, 'phases'> }} ScenarioLoad workload: of the
 *   scenario, where it can be simulated
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
    ...(figures.failures > 0 && { failed: describeFailures(report) }),
    warnings: [...users.warnings, ...unmet.map((threshold) => `the scenario's threshold is not met: ${threshold}`)],
  };
}
