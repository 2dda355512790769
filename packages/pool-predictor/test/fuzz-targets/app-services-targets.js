import fc from 'fast-check';
import { overheadOfApp, servicesOfApp } from '../../src/service/app-services.js';
import { createRandom } from '../../src/simulator/random.js';
import { createServiceTime } from '../../src/simulator/service-time.js';
import { changesOf, oddValues } from 'test-support/fuzz-arbitraries.js';
import { attempt, require } from 'test-support/fuzz-outcome.js';

const POOL = {
  slowMs: 5000,
  services: {
    '/fast': { kind: 'sample', valuesMs: [1, 2] },
    '/slow': { kind: 'fixed', ms: 5 },
    '/a': { kind: 'exponential', meanMs: 3 },
    '/b': { kind: 'lognormal', medianMs: 2, sigma: 0.3 },
  },
  overhead: { kind: 'sample', valuesMs: [3, 4] },
};

/** @param {Record<string, any> | undefined} services */
function requireUsable(services = {}) {
  for (const [route, service] of Object.entries(services)) {
    const namesRoute = (/** @type {string} */ message) => message.includes(route);
    const drawMs = attempt(() => createServiceTime(service, createRandom(1, 'fuzz'), route), namesRoute).value;
    require(!drawMs || (drawMs() >= 0 && drawMs() < Infinity), `${route} takes no time that there is`);
  }
}

/** @type {Record<string, import('test-support/fuzz-outcome.js').FuzzTarget>} */
export const targets = {
  'answers of an app': {
    arbitrary: fc.oneof({ weight: 5, arbitrary: changesOf([POOL]) }, { weight: 1, arbitrary: oddValues }),
    check(pool) {
      const namesPool = (/** @type {string} */ message) => message.includes('its GET /pool');
      requireUsable(attempt(() => servicesOfApp(pool), namesPool).value);
      const overhead = attempt(() => overheadOfApp(pool), namesPool).value;
      requireUsable(overhead && { overhead });
    },
  },
};
