import { compileFlow } from './flow.js';

/** @import { Phase } from './arrivals.js' */
/** @import { FlowStep } from './flow.js' */
/** @import { Random } from './random.js' */
/** @import { RouteStats } from './route-stats.js' */

/**
 * @typedef {object} Scenario
 * @property {string} [name]
 * @property {number} [weight] default 1
 * @property {FlowStep[]} steps
 *
 * @typedef {object} Workload
 * @property {Phase[]} phases
 * @property {Scenario[]} scenarios
 * @property {number} [timeoutMs] how long users wait for an answer; default: forever
 * @property {number} [turnaroundMs] from an answer to the user's next request, beside its pauses; default 0. Without
 *   effect if there is an overhead, which includes it
 */

/** @param {Scenario[]} scenarios @param {(route: string) => RouteStats} routeOf */
export function createScenarios(scenarios, routeOf) {
  const flows = scenarios.map(({ steps }) => compileFlow(steps, routeOf));
  /** @type {number[]} */
  const upTo = [];
  let totalWeight = 0;
  for (const { weight = 1 } of scenarios) upTo.push((totalWeight += weight));

  return {
    /** Picks a flow at random, by weight. @param {Random} random */
    pick(random) {
      if (totalWeight === 0) throw new Error('No scenario to pick: there must be one with a weight above 0');
      const at = random.uniform() * totalWeight;
      let index = 0;
      while (at >= upTo[index]) index++;
      return flows[index];
    },

    /** @param {string | number} nameOrIndex */
    find(nameOrIndex) {
      const index =
        typeof nameOrIndex === 'number' ? nameOrIndex : scenarios.findIndex(({ name }) => name === nameOrIndex);
      if (!flows[index]) {
        const names = scenarios.map(({ name }, i) => name ?? i).join(', ');
        throw new Error(`Unknown scenario "${nameOrIndex}": the workload has ${names || 'none'}`);
      }
      return flows[index];
    },
  };
}
