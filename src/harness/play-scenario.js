import { describeFailures, runArtillery, summariseReport } from './artillery.js';
import { compareUsers } from './sent-users.js';

/** @import { Workload } from 'mongodb-pool-predictor' */
/** @import { ArtilleryReport, LoadTestFigures } from './artillery.js' */

/**
 * Plays a scenario, and says what was not as it should be.
 *
 * @param {Parameters<typeof runArtillery>[0] & { workload?: Pick<Workload, 'phases'> }} options workload: of the scenario, where it
 *   can be simulated
 * @returns {Promise<{ report: ArtilleryReport, figures: LoadTestFigures & { usersPlanned?: number, usersSent?: number },
 *   failed?: string, warnings: string[] }>} failed: why requests failed
 */
export async function playScenario({ workload, ...options }) {
  const { report, unmet } = await runArtillery(options);
  const users = workload ? compareUsers(workload, report) : { figures: {}, warnings: [] };
  const figures = { ...summariseReport(report), ...users.figures };
  return {
    report,
    figures,
    ...(figures.failures > 0 && { failed: describeFailures(report) }),
    warnings: [...users.warnings, ...unmet.map((threshold) => `a threshold of the scenario is not met: ${threshold}`)],
  };
}
