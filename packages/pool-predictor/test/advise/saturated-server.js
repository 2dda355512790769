import { advise } from '../../src/advise/advise.js';
import { parseSlo } from '../../src/advise/slo.js';
import { createScenarioLoad } from '../../src/load/scenario-load.js';

/** @import { Service } from '../../src/simulator/service-time.js' */

/** A heavy query for every three cheap ones: 0.85 of what two cores can do. */
export const SATURATED = {
  phases: [{ durationMs: 2500, arrivalRate: 205, mode: /** @type {const} */ ('poisson') }],
  scenarios: [
    { weight: 1, route: '/report' },
    { weight: 3, route: '/cheap' },
  ].map(({ weight, route }) => ({ weight, steps: [{ kind: /** @type {const} */ ('request'), route }] })),
};
/** @type {Record<string, Service>} */
export const SERVICES = {
  '/report': { kind: 'lognormal', medianMs: 28, sigma: 0.4, workShare: 1 },
  '/cheap': { kind: 'fixed', ms: 0.5, workShare: 1 },
};
export const OVERHEAD = { kind: /** @type {const} */ ('fixed'), ms: 1 };

/** @param {string[]} goals @param {Partial<Parameters<typeof advise>[0]> & { cores?: number }} [options] */
export function adviseOnServer(goals, { cores = 2, ...options } = {}) {
  return advise({
    load: createScenarioLoad(SATURATED, { server: { cores } }),
    services: SERVICES,
    overhead: OVERHEAD,
    slos: goals.map(parseSlo),
    seeds: 59,
    headroom: 1,
    ...options,
  });
}
