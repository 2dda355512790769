import { describe, expect, test } from '@jest/globals';
import { advise, createScenarioLoad, parseSlo } from 'mongodb-pool-predictor';
import { explainAdvice } from '../../src/predictions/explain-advice.js';

/** Twenty users a second for twenty seconds, one in twenty an administrator. */
const ordinary = createScenarioLoad({
  phases: [{ durationMs: 20_000, arrivalCount: 400 }],
  scenarios: [
    { weight: 95, steps: [{ kind: 'request', route: '/fast' }] }, { weight: 5, steps: [{ kind: 'request', route: '/slow' }] },
  ],
});
const services = { '/slow': { kind: /** @type {const} */ ('fixed'), ms: 500 }, '/fast': { kind: /** @type {const} */ ('fixed'), ms: 2 } };

/** @param {string[]} goals @param {Partial<Parameters<typeof advise>[0]>} [options] */
async function explain(goals, options) {
  const advice = await advise({ load: ordinary, services, slos: goals.map(parseSlo), seeds: 59, ...options });
  return { advice, text: explainAdvice(advice).join(' ') };
}

test('an advised size comes with its numbers and alternatives', async () => {
  const { advice, text } = await explain(['/fast p99 < 50ms']);
  expect(text.startsWith(`${advice.poolSize} connections are enough. "/fast p99 < 50 ms": at most `)).toBe(true);
  expect(text).toMatch(/"\/fast p99 < 50 ms": at most .* at load x1 and .* at load x1\.3, in 95 of 100 runs \(95 % .*, 59/);
  expect(text).toMatch(/Connections in use without a limit: at load x1 0\.5 on average and up to \d+ at once, at load x1\.3 0\.\d on/);
  expect(text).toMatch(/With \d, "\/fast p99 < 50 ms" is missed at load x1(\.3)? \(\d+ ms\)\./);
  expect(text).toMatch(/More than \d connections do not improve these times at load x1\.3/);
  expect(text).toContain('Alternatives: - A separate pool (a second client) for /slow: 1 for it and 1 for the others, 2 in total');
  expect(text).toMatch(/A concurrency limit on \/slow: at most 1 at a time, in a pool of 2 .+, and \d(\.\d)? % of the requests are refused\./);
});

test('when no size meets the goal, it says why', async () => {
  expect((await explain(['/fast p99 < 1ms'])).text).toMatch(
    /^No pool size meets the goal\. "\/fast p99 < 1 ms": at load x1, even without a limit on connections, it is up to 2 ms/);
});

test('without enough requests, it says how many are needed', async () => {
  expect((await explain(['/fast p99 < 50ms', '/slow p99 < 10s'])).text).toMatch(
    /^Not enough data\. The load has \d\d requests to \/slow, .* needs at least 299: /);
});

describe('queries that share the cores of the server', () => {
  /** @type {Parameters<typeof createScenarioLoad>[0]} */
  const SHARED = {
    phases: [{ durationMs: 2500, arrivalRate: 230, mode: 'poisson' }],
    scenarios: [{ weight: 1, route: '/report' }, { weight: 3, route: '/cheap' }]
      .map(({ weight, route }) => ({ weight, steps: [{ kind: /** @type {const} */ ('request'), route }] })),
  };
  const load = createScenarioLoad(SHARED, { server: { cores: 2 } });
  const work = { services: {
    '/report': { kind: /** @type {const} */ ('fixed'), ms: 30, workShare: 1 },
    '/cheap': { kind: /** @type {const} */ ('fixed'), ms: 0.5, workShare: 1 },
  }, overhead: { kind: /** @type {const} */ ('fixed'), ms: 1 } };

  test('the advice is a range', async () => {
    const { text } = await explain(['/report p50 < 900ms'], { load, ...work, headroom: 1, fleet: { instances: 2 } });
    expect(text).toMatch(/^\d connections are enough\. Above \d+ connections the server is the bottleneck: with \d+, p99 of \/report is \d\.\d times as long \(.* instead of .*\)\. The queries share the server's 2 cores\./);
    expect(text).toMatch(/If each instance brings this load, all 2 instances together need 3\.\d of the 2 cores: more than the server can do/);
    const server = { cores: 4 };
    const { text: roomy } = await explain(['/report p50 < 900ms'], {
      load: createScenarioLoad(SHARED, { server }), ...work, headroom: 1, fleet: { instances: 2 } });
    expect(roomy).toMatch(/Above \d+ connections? of all 2 instances together the server is the bottleneck: .* That is \d+ connections? for each instance\./);
  });

  test('where the server is full, no pool will do', async () => {
    const { text } = await explain(['/report p50 < 50ms'], { load, ...work, headroom: 1.3 });
    expect(text).toMatch(/^No pool size meets the goal\./);
    expect(text).toMatch(/The load needs 2\.\d of the server's 2 cores: it is more than the server can do\. No pool size will do\. What helps: about \d cores, with \d+ connections; or queries that cost less\.$/);
  });
});

test('requests that fail miss the goal', async () => {
  const load = createScenarioLoad({
    phases: [{ durationMs: 60_000, arrivalCount: 600 }],
    scenarios: [{ steps: [{ kind: 'request', route: '/a' }] }],
    timeoutMs: 40,
  });
  const { text } = await explain(['/a p50 < 100ms'], { load, services: { '/a': { kind: 'fixed', ms: 50 } } });
  expect(text).toContain('too many requests fail');
});

test('a load that is not random needs one run', async () => {
  const load = createScenarioLoad({
    phases: [{ durationMs: 5000, arrivalCount: 5 }],
    scenarios: [{ steps: [{ kind: 'request', route: '/slow' }, { kind: 'request', route: '/fast' }] }],
  });
  expect((await explain(['/fast max < 100ms'], { load, seeds: undefined })).text).toContain('one run is exact');
});

test('a fleet may have more connections than the servers accept', async () => {
  expect((await explain(['/fast p99 < 50ms'], { headroom: 1, fleet: { instances: 40, serverLimit: 150 } })).text)
    .toMatch(/do not accept that many\..*which accepts 150: they do not fit/);
});

test('a goal below the noise gets no verdict', async () => {
  const { text } = await explain(['/fast p99 < 5ms']);
  expect(text).toMatch(/^No verdict: the goal is below the noise\. "\/fast p99 < 5 ms": .* the query alone takes up to 2 ms,/);
  expect(text).toMatch(/The rest of a response takes up to 10 ms, even in an idle app\. A goal of 12 ms or more gets a verdict\.$/);
});

test.each([
  ['/fast p99 < 5ms', 30, 'up to 2 ms, the rest of the response up to 30 ms. That rest alone is too slow'],
  ['/fast p99 < 31ms', 30, 'up to 2 ms, the rest of the response up to 30 ms. Together they are too slow'],
  ['/fast p99 < 1ms', 0.5, 'up to 2 ms, the rest of the response up to 0.5 ms. The query alone is too slow'],
  ['/fast p99 < 1ms', 30, 'up to 2 ms, the rest of the response up to 30 ms. Each alone is too slow'],
])('%s with an overhead of %d ms: which part is too slow', async (goal, ms, words) => {
  expect((await explain([goal], { overhead: { kind: 'fixed', ms } })).text).toContain(
    `nobody waits for a connection. The query of /fast takes ${words}`);
});

test('a size that a larger one is worse than is explained', () => {
  const slo = parseSlo('/a p50 < 50ms');
  const row = { factor: 1, isMet: true, failureShare: 0, utilisation: 0.5, peakWaiting: 1,
    goals: [{ text: slo.text, medianMs: 10, upperMs: 20, isMet: true }] };
  const missed = { ...row, isMet: false, goals: [{ text: slo.text, medianMs: 10, upperMs: 60, isMet: false }] };
  const text = explainAdvice({
    verdict: 'size', poolSize: 3, seeds: 59, firstSeed: 1, noise: null, parts: null, noBenefitAfter: 5, remedies: [], fleet: null, saturation: null,
    samples: [{ slo, count: 60, needed: 5, isEnough: true, easier: [] }],
    loads: [{ factor: 1, smallest: 3, floor: 2, meanActive: 1.5, peakActive: 6, bestMs: [10] }],
    rows: [{ ...missed, poolSize: 2 }, { ...row, poolSize: 3 }, { ...missed, poolSize: 4 }],
  }).join(' ');
  expect(text).toContain('With 2, "/a p50 < 50 ms" is missed at load x1 (60 ms). With 4, "/a p50 < 50 ms" is missed at load x1 '
    + '(60 ms), too: users wait for their answers');
});

test('with a server limit, alternatives are those that fit', async () => {
  const { text } = await explain(['/fast p99 < 50ms'], { headroom: 1, fleet: { instances: 40, serverLimit: 119 } });
  expect(text).toMatch(/No pool fits\. The load is that of one instance\. No alternative fits, either\.$/);
});
