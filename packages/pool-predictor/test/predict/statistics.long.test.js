import { expect, test } from '@jest/globals';
import { createScenarioLoad } from '../../src/load/scenario-load.js';
import { checkTrace } from '../../src/predict/check-trace.js';
import { predict } from '../../src/predict/predict.js';
import { quantile } from '../../src/base/sample-statistics.js';
import { readWorkload } from '../../src/scenario/workload.js';
import { createRandom } from '../../src/simulator/random.js';
import { recordMixed } from '../trace/traces.js';

test('the check of a steady load by another recording passes in nine of ten checks or more', async () => {
  let held = 0;
  for (let seed = 1; seed <= 20; seed++) {
    const [trace, other] = [0, 100].map((more) => recordMixed({ seed: seed + more, count: 500 }));
    if ((await checkTrace(trace, { pool: { maxPoolSize: 3 }, other })).status === 'holds') held++;
  }
  // The binomial of 20 and 0.9 is below 15 in 1 of 90 cases.
  expect(held).toBeGreaterThanOrEqual(15);
});

test('the band of a small sample is wide: it contains the next percentile about as often as it should', async () => {
  const load = createScenarioLoad(
    readWorkload(`
config:
  phases: [{ duration: 50, arrivalCount: 100 }]
scenarios: [{ flow: [{ get: { url: /fast } }] }]
`),
  );
  let within = 0;
  for (let trial = 0; trial < 60; trial++) {
    const random = createRandom(trial, 'measured');
    const measure = (/** @type {number} */ length) => Array.from({ length }, () => 2 * Math.exp(0.5 * random.normal()));
    const {
      variants: [
        {
          predicted: { low, high },
        },
      ],
    } = await predict({
      load,
      poolSizes: [10],
      services: { '/fast': { kind: 'sample', valuesMs: measure(50) } },
      seeds: 59,
    });
    const p95Ms = quantile(measure(100), 0.95);
    if (p95Ms >= Number(low?.routes['/fast'].p95Ms) && p95Ms <= Number(high?.routes['/fast'].p95Ms)) within++;
  }
  // 54 of 60 on average; the binomial has 95 of 100 between 49 and 58.
  expect(within).toBeGreaterThan(48);
});
