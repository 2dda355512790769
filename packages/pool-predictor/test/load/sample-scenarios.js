/** @import { Scenario } from '../../src/simulator/scenarios.js' */

/** @param {...string} routes @returns {Scenario} whose users request these routes, one after another */
export function scenarioOf(...routes) {
  return { steps: routes.map((route) => ({ kind: 'request', route })) };
}
