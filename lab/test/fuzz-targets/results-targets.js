import fc from 'fast-check';
import { checkService, meanServiceMs, poolOfApp, simulate } from 'mongodb-pool-predictor';
import { parseJson } from '../../base/read-json.js';
import { toResult } from '../../cli/result-file.js';
import { showResult } from '../../cli/report-command.js';
import { labs } from '../../labs/index.js';
import { servicesOfResult } from '../../predictions/result-services.js';
import { checkAppPool } from '../../predictions/app-pool.js';
import { createSampleResult } from '../report/sample-result.js';
import { changesOf, mutationsOf, oddValues } from 'test-support/fuzz-arbitraries.js';
import { attempt, require } from 'test-support/fuzz-outcome.js';

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
const SETTINGS = { poolSize: 3, slowPoolSize: 2, slowConcurrency: 4, waitQueueTimeoutMs: 5, requestTimeoutMs: 6 };

/** @param {Record<string, any> | undefined} services */
function requireUsable(services = {}) {
  for (const [route, service] of Object.entries(services)) {
    const known = attempt(() => checkService(service)).value;
    const meanMs = known ? meanServiceMs(known) : 0;
    require(meanMs >= 0 && meanMs < Infinity, `${route} takes no time that there is`);
  }
}

/** @type {Record<string, import('test-support/fuzz-outcome.js').FuzzTarget>} */
export const targets = {
  results: {
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
  'settings of an app': {
    arbitrary: fc.oneof({ weight: 5, arbitrary: changesOf([SETTINGS]) }, { weight: 1, arbitrary: oddValues }),
    check(settings) {
      const namesPool = (/** @type {string} */ message) => message.includes('its GET /pool');
      const known = attempt(() => {
        checkAppPool(settings, 'its GET /pool, settings');
        return settings;
      }, namesPool).value;
      if (known)
        attempt(() => simulate({ pool: poolOfApp(known), arrivals: [{ atMs: 0, route: '/slow', serviceMs: 1 }] }));
    },
  },
};
