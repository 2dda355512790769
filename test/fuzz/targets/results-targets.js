import fc from 'fast-check';
import { parseJson, toResult } from '../../../src/cli/result-file.js';
import { showResult } from '../../../src/cli/report-command.js';
import { labs } from '../../../src/labs/index.js';
import { servicesOfResult } from '../../../src/predictions/result-services.js';
import { checkAppPool, poolOfApp } from '../../../src/predictions/app-pool.js';
import { overheadOfApp, servicesOfApp } from '../../../packages/pool-predictor/src/service/app-services.js';
import { createRandom } from '../../../packages/pool-predictor/src/simulator/random.js';
import { simulate } from '../../../packages/pool-predictor/src/simulator/simulate.js';
import { createServiceTime } from '../../../packages/pool-predictor/src/simulator/service-time.js';
import { createSampleResult } from '../../report/sample-result.js';
import { changesOf, mutationsOf, oddValues } from '../arbitraries.js';
import { attempt, require } from '../outcome.js';

const FILE = 'fuzz.json';
const HOSTILE = '</script><img src=x onerror=x><!--\u001b[31m';
const EMBEDDED = /<script type="application\/json" id="lab-1-result">(.*?)<\/script>/s;
const SAMPLES = [
  ...[...Object.keys(labs), 'sweep'].map((lab) => createSampleResult({ lab })),
  createSampleResult({ variants: [], warnings: [HOSTILE] }),
  createSampleResult({
    settings: { [HOSTILE]: HOSTILE },
    variants: [{ name: HOSTILE, settings: { poolSize: 1 }, measured: null, error: HOSTILE }],
  }),
];
const POOL = {
  slowMs: 5000,
  services: {
    '/fast': { kind: 'sample', valuesMs: [1, 2] },
    '/slow': { kind: 'fixed', ms: 5 },
    '/a': { kind: 'exponential', meanMs: 3 },
    '/b': { kind: 'lognormal', medianMs: 2, sigma: 0.3 },
  },
  overhead: { kind: 'sample', valuesMs: [3, 4] },
  settings: { poolSize: 3, slowPoolSize: 2, slowConcurrency: 4, waitQueueTimeoutMs: 5, requestTimeoutMs: 6 },
};

/** @param {Record<string, any> | undefined} services */
function requireUsable(services = {}) {
  for (const [route, service] of Object.entries(services)) {
    const namesRoute = (/** @type {string} */ message) => message.includes(route);
    const drawMs = attempt(() => createServiceTime(service, createRandom(1, 'fuzz'), route), namesRoute).value;
    require(!drawMs || (drawMs() >= 0 && drawMs() < Infinity), `${route} takes no time that there is`);
  }
}

/** @type {Record<string, import('../targets.js').Target>} */
export const results = {
  'results': {
    arbitrary: fc.oneof(
      { weight: 6, arbitrary: changesOf(SAMPLES).map((value) => JSON.stringify(value)) },
      { weight: 2, arbitrary: mutationsOf([JSON.stringify(SAMPLES[0])]) },
      { weight: 1, arbitrary: oddValues.map((value) => JSON.stringify(value)) },
    ),
    check(text) {
      const namesFile = (/** @type {string} */ message) => message.includes(FILE);
      const entry = attempt(() => toResult(parseJson(text, FILE), FILE), namesFile).value;
      if (!entry) return;
      requireUsable(attempt(() => servicesOfResult(entry.result)).value?.services);
      const shown = attempt(() => showResult(FILE, entry), namesFile).value;
      if (!shown) return;
      require(!/(?!\n)\p{Cc}/u.test(shown.table), 'the table steers the terminal');
      const [, embedded] = shown.page.match(EMBEDDED) ?? [];
      require(JSON.stringify(JSON.parse(embedded)) === JSON.stringify(entry.result), 'the page holds another result');
      const markup = shown.page.replaceAll(/<script.*?<\/script>/gs, '');
      require(!/<img|<!--/.test(markup), 'a text has become markup');
    },
  },
  'answers of an app': {
    arbitrary: fc.oneof({ weight: 5, arbitrary: changesOf([POOL]) }, { weight: 1, arbitrary: oddValues }),
    check(pool) {
      const namesPool = (/** @type {string} */ message) => message.includes('its GET /pool');
      requireUsable(attempt(() => servicesOfApp(pool), namesPool).value);
      const overhead = attempt(() => overheadOfApp(pool), namesPool).value;
      requireUsable(overhead && { overhead });
      const known = attempt(() => {
        checkAppPool(Object(pool).settings, 'its GET /pool, settings');
        return Object(pool).settings;
      }, namesPool).value;
      if (known) attempt(() => simulate({ pool: poolOfApp(known), arrivals: [{ atMs: 0, route: '/slow', serviceMs: 1 }] }));
    },
  },
};
