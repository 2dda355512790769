import { describe, expect, test } from '@jest/globals';
import { createScenarioLoad, parseSlo, predict } from 'mongodb-pool-predictor';
import { readScenario } from 'mongodb-pool-predictor/node';
import { explainAdvice } from '../../predictions/explain-advice.js';
import { explainPrediction } from '../../predictions/explain-prediction.js';
import { createPredictView, foldSizes, pickRows } from '../../predictions/predict-view.js';
import { renderHtml } from '../../report/html.js';
import { renderTable } from '../../report/table.js';
import { explainCheck, explainHidden, explainTrust } from '../../predictions/explain-check.js';
import { explainSweep } from '../../sweep/explain-sweep.js';

/** @import { Advice, TraceCheck } from 'mongodb-pool-predictor' */

describe('advice', () => {
  const slo = parseSlo('/report p50 < 900ms');
  const row = {
    poolSize: 3,
    factor: 1,
    failureShare: 0,
    utilisation: 0.5,
    peakWaiting: 1,
    goals: [{ text: slo.text, medianMs: 10, upperMs: 20 }],
  };
  const load = { factor: 1, reading: 0, floor: 2, meanActive: 1.5, peakActive: 6 };
  /**
   * The best that a size can do.
   * @param {number} medianMs
   * @param {{ poolSize?: number, runs?: number, upperMs?: number, isMet?: boolean }} [changes]
   */
  const bestOf = (medianMs, { upperMs = 1000, isMet = false, ...changes } = {}) => ({
    ...{ poolSize: null, runs: 59, goals: [{ medianMs, upperMs, isMet }] },
    ...changes,
  });

  /** A size of three, or what changes make of it. @param {Partial<Advice>} changes @returns {Advice} */
  const adviceOf = (changes) => ({
    verdict: 'size',
    poolSize: 3,
    sizeNow: 3,
    seeds: 59,
    firstSeed: 1,
    noise: null,
    parts: null,
    ...{ denial: null, fewest: null, smaller: null, rule: null },
    remedies: [],
    fleet: null,
    saturation: null,
    samples: [{ slo, count: 60, needed: 5, isEnough: true, easier: [] }],
    rows: [row],
    loads: [load],
    ...changes,
  });
  const explainSize = (/** @type {Partial<Advice>} */ changes) =>
    explainAdvice(adviceOf(changes), { load: 'the recorded load' }).join(' ');

  test('an advised size comes with its numbers and alternatives', () => {
    const remedy = {
      kind: /** @type {const} */ ('split'),
      slowRoutes: ['/slow'],
      slow: [{ route: '/slow', p95Ms: 500 }],
    };
    const text = explainSize({
      rows: [row, { ...row, factor: 1.3, utilisation: 0.65, failureShare: 0.02 }],
      sizeNow: 2,
      smaller: { poolSize: 2, factor: 1.3, reading: 0, text: slo.text, ms: 1200 },
      loads: [
        { ...load, floor: 1 },
        { ...load, factor: 1.3, floor: 4, meanActive: 1.95, peakActive: 7 },
        { ...load, factor: 1.3, reading: 1, floor: 9, meanActive: 9, peakActive: 9 },
      ],
      remedies: [
        { ...remedy, connections: 2, slowSize: 1 },
        { ...remedy, connections: null, slowSize: null },
      ],
    });
    expect(text).toBe(
      '3 connections: 2 meet /report p50 < 900 ms at the recorded load, 3 also with 30 % more requests, in 95 of 100 ' +
        'runs. "/report p50 < 900 ms": at most 20 ms at load x1 and 20 ms at load x1.3, in ' +
        '95 of 100 runs (95 % confidence, 59 simulated). With 2, "/report p50 < 900 ms" takes up to 1.2 s at ' +
        'load x1.3. 2.0 % of all requests fail at load x1.3. Connections in use without a limit: at load x1 1.5 ' +
        'on average and up to 6 at once, at load x1.3 2.0 on average ' +
        'and up to 7 at once. With fewer than 4, requests pile up until load x1.3 ends: 3 are enough only ' +
        'because it ends. For a load that goes on, take at least 4. With 3, 50 % at load x1 and 65 % at load ' +
        'x1.3 are in use on average. Alternative: a separate pool (a second client) for /slow, with 1 for it and ' +
        '1 for the others, 2 in total (1 fewer); /slow p95 500 ms at load x1.3. With a separate pool (a second ' +
        'client) for /slow, no size meets the goals.',
    );
  });

  test.each([
    [3, 20, 'gives 3, too.'],
    [5, 18, 'gives 5: 2 more than the goals need.'],
    [2, 1200, 'gives 2. With 2, "/report p50 < 900 ms" takes up to 1.2 s, instead of 20 ms, at load x1.'],
    [2, Infinity, 'gives 2. With 2, "/report p50 < 900 ms" is missed because requests fail, at load x1.'],
  ])('what the common rule would have given is said last: %i connections', (poolSize, upperMs, words) => {
    const rule = { poolSize, goals: [{ text: slo.text, medianMs: upperMs, upperMs }] };
    const [, said] = explainSize({ rule }).split(' The common rule, operations a second x mean duration + 20 %, ');
    expect(said).toBe(words);
    expect(explainSize({})).not.toContain('common rule');
  });

  test('the first line says all of it: the sizes with and without headroom, and how sure', () => {
    const first = (/** @type {Partial<Advice>} */ changes) => explainSize(changes).split(/(?<=\.) /)[0];
    const more = (/** @type {number} */ factor) => [load, { ...load, factor }];
    expect(first({})).toBe('3 connections meet /report p50 < 900 ms at the recorded load, in 95 of 100 runs.');
    expect(first({ seeds: 1, poolSize: 1, sizeNow: 1, loads: more(2) })).toBe(
      '1 connection meets /report p50 < 900 ms at the recorded load and with 2 times as many requests.',
    );
    expect(first({ sizeNow: 1, loads: more(1.125) })).toBe(
      '3 connections: 1 meets /report p50 < 900 ms at the recorded load, 3 also with 12.5 % more requests, in 95 of ' +
        '100 runs.',
    );
    const best = bestOf(950);
    const two = Array(2).fill({ slo, count: 60, needed: 5, isEnough: true, easier: [] });
    expect(
      first({
        verdict: 'nothing',
        poolSize: null,
        sizeNow: 2,
        samples: two,
        loads: more(1.3).map((each) => ({ ...each, best })),
      }),
    ).toBe(
      'No pool size meets all goals with 30 % more requests: 2 meet them at the recorded load, in 95 of 100 runs.',
    );
  });

  describe('beside what a sweep measured', () => {
    const advised =
      '3 connections: 2 meet /report p50 < 900 ms at the load measured at pool size 4, 3 also with 30 % more ' +
      'requests, in 95 of 100 runs.';
    const advice = {
      ...adviceOf({ sizeNow: 2, loads: [load, { ...load, factor: 1.3 }] }),
      ...{ recordedSize: 4, knowsUsers: false },
    };

    /** @param {Record<number, number>} p50Ms by pool size @param {number} [count] of requests */
    const sizesOf = (p50Ms, count = 60) =>
      Object.entries(p50Ms).map(([poolSize, ms]) => ({
        settings: { poolSize: Number(poolSize) },
        measured: { routes: { '/report': { count } }, goals: { [slo.text]: ms } },
      }));

    /** @type {[repeats: number, p50Ms: Record<number, number>, met: string, measured: string, tooHopeful: string][]} */
    const MEASURED = [
      [1, { 1: 950, 2: 800, 4: 20 }, 'pool size 2, 4', 'once', ''],
      [3, { 1: 950, 2: 950, 4: 20 }, 'pool size 4', '3 times', '2'],
      [1, { 3: 950, 4: 1000 }, 'none of these pool sizes', 'once', '3, 4'],
    ];

    test.each(MEASURED)('%i x %j: the goal is met at %s', (repeats, p50Ms, met, measured, tooHopeful) => {
      const [first, ...others] = explainSweep([slo], sizesOf(p50Ms), { advice, repeats });
      const said = `Measured: the goal is met at ${met}. Each size was measured ${measured}, without headroom.`;
      const dispute = ` So the simulation is too hopeful at ${tooHopeful}: trust the measurement.`;
      expect(first).toBe(`${advised} ${said}${tooHopeful && dispute}`);
      expect(others.join(' ')).toContain('Connections in use without a limit:');
    });

    test('what a recording would not say, which is why advise may give another size, comes last', () => {
      const explain = (/** @type {boolean} */ knowsUsers) =>
        explainSweep([slo], sizesOf({ 4: 20 }), { advice: { ...advice, knowsUsers }, repeats: 1 });
      expect(explain(true)).toEqual([
        ...explain(false),
        "This advice knows that only the scenario's users sent these requests. A recording does not say so, and " +
          'pool-lab advise may give another size for one.',
      ]);
    });

    test('what was measured comes first where there is no advice', () => {
      const samples = [{ slo, count: 4, needed: 5, isEnough: false, easier: [] }];
      const refused = { ...advice, verdict: /** @type {const} */ ('notEnoughData'), samples };
      expect(explainSweep([slo], sizesOf({ 2: 20 }, 4), { advice: refused, repeats: 1 })).toEqual([
        'Measured: no verdict about the goal at pool size 2, from too few requests.',
        expect.stringMatching(/^There is no advice for this load: The load has 4 requests to \/report, but /),
      ]);
      expect(explainSweep([slo, slo], sizesOf({ 2: 20, 4: 20 }), { repeats: 1 })).toEqual([
        'Measured: all goals are met at pool size 2, 4.',
      ]);
    });
  });

  test('one connection less may be too few only in the other reading, or because requests fail', () => {
    const smaller = { poolSize: 2, factor: 1.3, reading: 1, text: slo.text, ms: 1200 };
    expect(explainSize({ smaller, fewest: 9 })).toContain(
      'takes up to 1.2 s at load x1.3 if as few as 9 callers sent all recorded requests, each after the answer to ' +
        'its last (--callers N says how many did).',
    );
    expect(explainSize({ smaller, fewest: null })).toContain(
      ' at load x1.3 if work outside of requests is a loop, with each query after the answer to its last.',
    );
    expect(explainSize({ smaller: { ...smaller, reading: 0, ms: Infinity } })).toContain(
      'With 2, "/report p50 < 900 ms" is missed because requests fail at load x1.3.',
    );
  });

  test.each([
    [899.672, '899.7 ms'],
    [899.997, '899.997 ms'],
    [890.672, '891 ms'],
  ])(
    'a time of %f ms, for a goal of 900 ms, has as many digits as it takes to see that it is below',
    (upperMs, words) => {
      const goals = [{ ...row.goals[0], upperMs }];
      expect(explainSize({ rows: [{ ...row, goals }] })).toContain(`at most ${words} at load x1,`);
    },
  );

  test('without enough requests, it says how many are needed', () => {
    const short = { slo, count: 12, needed: 299, isEnough: false, easier: ['p50', 'p90'] };
    expect(explainSize({ verdict: 'notEnoughData', samples: [short, { ...short, count: 0, easier: [] }] })).toMatch(
      /^Not enough data\. The load has 12 requests to \/report, but "\/report p50 < 900 ms" needs at least 299: .* Use a longer load, or an easier goal: p50 or p90\. Some runs of the load have no request to \/report, .* Use a longer load\.$/,
    );
  });

  describe('queries that share the cores of the server', () => {
    const slowdown = { route: '/report', poolSize: 8, p99Ms: 200, largerSize: 16, largerMs: 620 };
    const saturation = { cores: 2, usedShare: 0.8, slowdown, fleet: null, enough: null };

    /** @param {Partial<Advice>} changes */
    const explainWith = (changes) => explainSize({ saturation, ...changes });

    test('the advice is a range', () => {
      expect(explainWith({})).toMatch(
        /^3 connections meet .* runs\. Above 8 connections the server is the bottleneck: with 16, p99 of \/report is 3\.1 times as long \(620 ms instead of 200 ms\)\. The queries share the server's 2 cores\. "/,
      );
      expect(explainWith({ saturation: { ...saturation, slowdown: null } })).toContain(
        "The queries share the server's 2 cores. At this load, a larger pool does no harm.",
      );
      expect(explainWith({ poolSize: 12, rows: [{ ...row, poolSize: 12 }] })).toContain(
        'The goals need 12: more connections than /report can use without getting slower.',
      );
    });

    test('and one for all instances of a fleet', () => {
      const of = (/** @type {object} */ fleet) =>
        explainWith({ saturation: { ...saturation, fleet: { instances: 4, usedShare: 0.9, slowdown, ...fleet } } });
      expect(of({})).toContain(
        'Above 8 connections of all 4 instances together the server is the bottleneck: with 16,',
      );
      expect(of({})).toContain('That is 2 connections for each instance.');
      expect(of({ slowdown: null })).toContain(
        'At this load, the connections of all 4 instances together do no harm either.',
      );
      expect(of({ usedShare: 1.6 })).toContain(
        'If each instance has this load, all 4 instances together need 3.2 cores, more than the 2 cores that ' +
          'the server could use, whatever the pool size.',
      );
    });

    test('where the server is the limit, no pool size is enough', () => {
      const nothing = {
        verdict: /** @type {const} */ ('nothing'),
        ...{ poolSize: null, sizeNow: null },
        rows: [],
        loads: [{ ...load, best: bestOf(950) }],
      };
      expect(
        explainWith({ ...nothing, saturation: { ...saturation, usedShare: 1.05, enough: { cores: 3, poolSize: 6 } } }),
      ).toMatch(
        /^No pool size meets the goal at the recorded load\..* The load needs 2\.1 cores, more than the 2 cores that the server could use\. No pool size is enough\. About 3 cores with 6 connections would do, or cheaper queries\.$/,
      );
      expect(explainWith({ ...nothing, saturation: { ...saturation, cores: 1.8, usedShare: 0.9 } })).toMatch(
        /On average, the load needs 1\.6 of the 1\.8 cores that the server could use\. With a small pool, requests wait for a connection\. With a large one, queries wait for a core\. Cheaper queries would help\. More cores alone would not\.$/,
      );
    });
  });

  test('a load that is not random needs one run', () => {
    expect(explainSize({ seeds: 1 })).toContain('at load x1 (the load is not random: one run is exact).');
  });

  describe('a fleet', () => {
    const fleet = {
      ...{ instances: 40, servers: 3, monitors: 2, total: 600, perServer: 200 },
      ...{ serverLimit: 150, largestPool: 1, fits: false },
    };

    test('may have more connections than the servers accept', () => {
      const text = explainSize({ verdict: 'tooManyConnections', fleet });
      expect(text).toMatch(/^3 connections in each instance meet .* runs\. But the servers do not accept that many\./);
      expect(text).toMatch(
        /The fleet: 40 instances x 3 servers x \(3 \+ 2 monitors\) = 600 connections, 200 at each server, which accepts 150: they do not fit\. The largest pool that fits is 1\. The load is that of one instance\. A server that gets no queries has only .* No alternative fits, either\.$/,
      );
    });

    test('has alternatives only where they fit', () => {
      const fits = { ...fleet, serverLimit: null, largestPool: null, fits: null };
      expect(explainSize({ fleet: fits })).toMatch(/200 at each server\. The load is that of one instance\./);
      expect(explainSize({ fleet: { ...fleet, servers: 1, largestPool: 0 } })).toMatch(
        /No pool fits\. The load is that of one instance\. No alternative fits, either\.$/,
      );
    });
  });

  test('a goal below the noise gets no verdict', () => {
    expect(explainSize({ verdict: 'belowNoise', noise: [{ noiseMs: 100, bestMs: 850, isBelow: true }] })).toBe(
      'No verdict: the goal is below the noise. "/report p50 < 900 ms": with no wait for a connection, the ' +
        'query alone takes up to 850 ms, in 95 of 100 runs (95 % confidence, 59 simulated). The rest of a ' +
        'response takes up to 100 ms, even in an idle app. A goal of 950 ms or more gets a verdict.',
    );
  });

  describe('without a size for /report p50 < 900 ms', () => {
    /** @param {number} medianMs @param {Partial<Advice> & { of?: Parameters<typeof bestOf>[1] }} [changes] */
    const explainMissed = (medianMs, { of, ...changes } = {}) =>
      explainSize({
        ...{
          verdict: 'nothing',
          poolSize: null,
          sizeNow: null,
          parts: [{ serviceMs: 15, overheadMs: 5, places: null }],
        },
        loads: [{ ...load, best: bestOf(medianMs, of) }],
        ...changes,
      });

    test.each([
      [15, 2000, 'up to 15 ms, the rest of the response up to 2.0 s. That rest alone is too slow'],
      [850, 60, 'up to 850 ms, the rest of the response up to 60 ms. Together they are too slow'],
      [950, 0.5, 'up to 950 ms, the rest of the response up to 0.5 ms. The query alone is too slow'],
      [950, 2000, 'up to 950 ms, the rest of the response up to 2.0 s. Each alone is too slow'],
    ])('a query of %d ms and a rest of %d ms: which part is too slow', (serviceMs, overheadMs, words) => {
      const parts = [{ serviceMs, overheadMs, places: null }];
      expect(explainMissed(950, { parts })).toContain(
        `nobody would wait for a connection. The query of /report takes ${words}`,
      );
    });

    test('and without known parts, the queries take too long', () => {
      expect(explainMissed(950, { parts: null })).toMatch(
        /^No pool size meets the goal at the recorded load\. "\/report p50 < 900 ms": at load x1, even without a limit on connections, it is up to 1\.0 s, .* no request waits for a connection: the queries themselves take too long\./,
      );
    });

    test('no size is said that there is not: waits for openings, or for a server, are the same with each', () => {
      const loads = [{ ...load, best: bestOf(30, { upperMs: 40, isMet: true }) }];
      expect(explainSize({ verdict: 'nothing', poolSize: null, sizeNow: null, loads })).toMatch(
        /^No pool size meets the goal at the recorded load\. Every size misses the goal\. Requests wait until .* shorten that\.$/,
      );
    });

    test('of the readings, the likely one is said, unless only the other one misses the goal', () => {
      const other = { ...load, reading: 1, best: bestOf(5000, { upperMs: 7000 }) };
      const explain = (/** @type {ReturnType<typeof bestOf>} */ likely) =>
        explainSize({
          verdict: 'nothing',
          poolSize: null,
          sizeNow: null,
          fewest: 9,
          loads: [{ ...load, best: likely }, other],
        });
      expect(explain(bestOf(950))).not.toMatch(/7\.0 s|callers/);
      expect(explain(bestOf(30, { upperMs: 40, isMet: true }))).toMatch(
        /up to 7\.0 s.* That is so if as few as 9 callers sent all recorded requests/,
      );
    });

    test('figures of a few runs say so', () => {
      expect(explainMissed(950)).toContain('it is up to 1.0 s, in 95 of 100 runs');
      expect(explainMissed(950, { of: { runs: 8 } })).toContain('it is up to 1.0 s in 8 runs.');
    });

    test('a goal that half of the runs meet is not said to be missed', () => {
      expect(explainMissed(800)).toMatch(
        /^No pool size is sure to meet the goal at the recorded load\..* half of the runs have 800 ms, but it is up to 1\.0 s,/,
      );
      expect(explainMissed(800, { of: { poolSize: 2 } })).toContain(
        'at load x1, even with 2 connections, half of the runs',
      );
      expect(explainMissed(950)).toMatch(
        /^No pool size meets the goal at the recorded load\. .* connections, it is up to 1\.0 s,/,
      );
    });

    test('a goal that the parts alone would meet is not blamed on them, but on a limit in the app', () => {
      expect(explainMissed(950)).toMatch(/ it is up to 1\.0 s, [^"]*\)\.$/);
      expect(explainMissed(950, { parts: [{ serviceMs: 15, overheadMs: 5, places: 3 }] })).toMatch(
        /"\/report p50 < 900 ms": the app lets in 3 at once\. The others wait for that, and no pool changes it\.$/,
      );
      const failing = explainMissed(Infinity, { of: { upperMs: Infinity } });
      expect(failing).toContain('even without a limit on connections, too many requests fail');
    });
  });
});

describe('predictions', () => {
  /** @param {string} scenario @param {number} slowMs @param {number[]} poolSizes @param {boolean} [hasBands] */
  async function show(scenario, slowMs, poolSizes, hasBands = false) {
    const environment = scenario === 'users-and-admins' ? 'smoke' : undefined;
    const load = createScenarioLoad(await readScenario(`loadtests/${scenario}.yaml`, { environment }));
    const prediction = await predict({
      load,
      poolSizes,
      seeds: 19,
      services: { '/slow': { kind: 'fixed', ms: slowMs }, '/fast': { kind: 'fixed', ms: 2 } },
    });
    const view = createPredictView({ load: prediction.load, isRandom: prediction.seeds > 1, hasBands });
    const result = {
      lab: 'predict',
      startedAt: '2026-01-01T00:00:00.000Z',
      environment: {},
      settings: { poolSizes },
      variants: prediction.variants,
    };
    return { table: renderTable(view, result), page: renderHtml([{ lab: view, result }]), view, prediction };
  }

  test('the fastest route comes first, and the sentence says what to do', async () => {
    const { table, view } = await show('mixed', 5000, [1, 5, 10]);
    expect(view.charts.map(({ title }) => title)).toEqual([
      'Response time of /fast',
      'Response time of /slow',
      'Mean wait for a connection',
    ]);
    expect(table.replaceAll('\n', ' ')).toContain(
      'Best guess: 2 to 5 connections, because more would not help at this load; pool-lab advise finds the size for ' +
        'a goal, with headroom. With 1 connection the slowest /fast request takes 20.0 s, with ' +
        '10 connections 2 ms. Without a limit, the load lasts 9.0 s and uses up to 5 connections at once, 2.8 ' +
        'on average. With fewer than 3, requests pile up until it ends.',
    );
    expect(table).not.toContain('band');
  });

  test('a route without queries comes last, and the sentence is about the fastest query', async () => {
    const load = createScenarioLoad({
      phases: [{ durationMs: 100, arrivalCount: 10 }],
      scenarios: [
        { steps: ['/livez', '/b', '/a'].map((route) => ({ kind: /** @type {const} */ ('request'), route })) },
      ],
    });
    const prediction = await predict({
      load,
      poolSizes: [1, 2],
      services: {
        '/livez': { kind: 'none' },
        '/a': { kind: 'fixed', ms: 50 },
        '/b': { kind: 'fixed', ms: 70 },
      },
    });
    const view = createPredictView({ load: prediction.load, isRandom: false });
    expect(view.charts.map(({ title }) => title).slice(0, 3)).toEqual(
      ['/a', '/b', '/livez'].map((route) => `Response time of ${route}`),
    );
    expect(
      view.takeaway({
        lab: 'predict',
        startedAt: '',
        environment: {},
        settings: { poolSizes: [1, 2] },
        variants: prediction.variants,
      }),
    ).toContain(' slowest /a request ');
  });

  describe('the sentences', () => {
    const facts = { routes: {}, lastsMs: 9000, peakActive: 5, meanActive: 2.8, floor: 1, knee: 5 };
    const end = (/** @type {object} */ figures) => ({ routes: { '/a': figures } });

    /** @param {[number, { low?: object, high?: object }][]} sizes with the figures of /a @param {object} [changes] */
    const explain = (sizes, changes) =>
      explainPrediction(
        sizes.map(([poolSize, { low, high, ...figures }]) => ({
          ...{ name: '', settings: { poolSize }, measured: null },
          predicted: { ...end({ count: 30, failures: 0, ...figures }), low: low && end(low), high: high && end(high) },
        })),
        /** @type {any} */ ({ ...facts, ...changes }),
        '/a',
      );

    test.each([
      [[[1, { failures: 30 }]], 'With 1 connection all /a requests fail.'],
      [[[1, { count: 0 }]], 'With 1 connection no /a request is sent.'],
      [
        [
          [1, { failures: 7 }],
          [20, { maxMs: 800 }],
        ],
        'With 1 connection 7 of 30 /a requests fail, with 20 connections the slowest /a request takes 800 ms.',
      ],
      [
        [[3, { maxMs: 20, low: { maxMs: 8 }, high: { maxMs: 30 } }]],
        'With 3 connections the slowest /a request takes 20 ms (8 to 30 ms with a probability of 90 %).',
      ],
    ])('%j', (sizes, words) => {
      expect(explain(/** @type {any} */ (sizes))).toBe(
        `${words} Without a limit, the load lasts 9.0 s and uses up to 5 ` + 'connections at once, 2.8 on average.',
      );
    });

    test('leave out what is not sure', () => {
      expect(explain([[1, {}]])).toMatch(/^Without a limit/);
    });
  });

  test('a random load shows its band, and fits 80 columns', async () => {
    const { table } = await show('users-and-admins', 5000, [1, 6, 20]);
    expect(Math.max(...table.split('\n').map((line) => line.length))).toBeLessThanOrEqual(80);
    expect(table).toMatch(/^ +6 .* \d+-\d+ /m);
  });

  test('every figure has its band, within 80 columns', async () => {
    const { table, page, prediction } = await show('users-and-admins', 5000, [1, 6, 20], true);
    expect(Math.max(...table.split('\n').map((line) => line.length))).toBeLessThanOrEqual(80);
    const rows = table
      .split('\n')
      .filter((line) => /^ +6 /.test(line))
      .join(' ');
    const { low, high } = prediction.variants[1].predicted;
    // A pool of 1 has hundreds of ms, so no size has a decimal.
    const rounded = (/** @type {number | undefined} */ ms) => Number(ms).toFixed(0);
    for (const figure of /** @type {const} */ (['p50Ms', 'p95Ms', 'p99Ms', 'maxMs'])) {
      const [from, to] = [low, high].map((end) => rounded(end?.routes['/fast'][figure]));
      expect(rows).toContain(from === to ? ` ${from} ` : ` ${from}-${to} `);
    }
    for (const figure of /** @type {const} */ (['meanWaitMs', 'peakActive', 'peakWaiting'])) {
      const [from, to] = [low, high].map((end) => rounded(end?.[figure]));
      expect(`${rows} `).toContain(from === to ? ` ${from} ` : ` ${from}-${to} `);
    }
    expect(table).toContain('band: one more measurement lies in it with a probability of 90 %.');
    expect(page).toContain('mean wait');
    expect(page).toContain(`${rounded(low?.meanWaitMs)}-${rounded(high?.meanWaitMs)}`);
  });

  test('times below 10 ms have a decimal, so that a figure lies in its band', async () => {
    const { table } = await show('users-and-admins', 500, [20]);
    expect(table).toMatch(/^ +20 +2 +2 +2 /m);
  });

  test('rows that look the same are one, but a measured one, and only some sizes are shown of many', () => {
    const figures = (/** @type {number} */ maxMs) => ({
      failures: 0,
      routes: { '/a': { count: 30, p95Ms: maxMs, maxMs } },
    });
    const variants = [50, 9, 2, 2, 2, 2].map((maxMs, index) => ({
      name: '',
      settings: { poolSize: index + 1 },
      measured: index === 4 ? {} : null,
      predicted: figures(maxMs),
    }));
    const load = /** @type {any} */ ({ routes: { '/a': { queries: 1, meanMs: 2 } }, knee: 3, peakActive: 5 });
    const folded = foldSizes(createPredictView({ load, isRandom: false }), variants);
    expect(folded.map(({ settings: { poolSize, upTo } }) => [poolSize, upTo])).toEqual([
      [1, undefined],
      [2, undefined],
      [3, 4],
      [5, undefined],
      [6, undefined],
    ]);
    const many = Array.from({ length: 30 }, (_, index) => ({
      name: '',
      settings: { poolSize: index + 1 },
      measured: null,
    }));
    expect(pickRows(many, [7, null]).map(({ settings }) => settings.poolSize)).toEqual([
      1, 2, 3, 4, 6, 7, 8, 12, 16, 20,
    ]);
    expect(pickRows(many.slice(0, 9), [])).toHaveLength(9);
  });

  test('below 20 requests, only the maximum is shown', () => {
    const load = /** @type {any} */ ({ routes: { '/a': { queries: 1, meanMs: 2 } }, knee: 1, peakActive: 1 });
    const { columns } = createPredictView({ load, isRandom: true });
    const show = (/** @type {number} */ count) =>
      columns
        .filter(({ group }) => group === '/a')
        .map(({ value }) => {
          const times = { routes: { '/a': { count, p50Ms: 1, p95Ms: 2, p99Ms: 3, maxMs: 4 } } };
          return value(/** @type {any} */ ({ settings: {}, predicted: { ...times, low: times, high: times } }));
        });
    expect(show(20)).toEqual([1, 2, [2, 2], 3, 4]);
    expect(show(19)).toEqual([undefined, undefined, undefined, undefined, 4]);
  });
});

describe('the check of another recording', () => {
  const figure = { recordedMs: 10, lowMs: 8, highMs: 12 };
  const inside = /** @type {const} */ ({ ...figure, kind: 'meanWait', route: null, isInBand: true });
  const outside = /** @type {const} */ ({
    ...figure,
    kind: 'p95',
    route: '/a',
    isInBand: false,
    lowMs: 15,
    highMs: 15,
  });
  /** @param {Partial<TraceCheck>} changes @returns {TraceCheck} */
  const checkOf = (changes) => ({
    ...{ status: 'holds', poolSize: 8, figures: [], rateRatio: 1, useRatios: {} },
    ...changes,
  });

  test('is in the sentence of trust, if it holds', () => {
    expect(explainTrust({ check: checkOf({}) })).toMatch(/^Trust: .* This one predicts the other recording, too\.$/);
    for (const check of [null, checkOf({ status: 'fails' })])
      expect(explainTrust({ check })).toBe('Trust: 9 of 10 measured figures lie in their bands.');
  });

  const failed = { status: /** @type {const} */ ('fails') };
  test.each(
    /** @type {[Partial<TraceCheck>, string][]} */ ([
      [
        { figures: [inside] },
        'The check holds: of the other recording, with 8 connections, predicted from this one, every figure fits. ' +
          'Mean wait: 10 ms recorded, 8 to 12 ms simulated.',
      ],
      [
        { ...failed, figures: [inside, outside] },
        'The check fails. 1 of 2 figures is off. p95 of /a: 10 ms recorded, 15 ms simulated. ',
      ],
      [
        { ...failed, figures: [outside, outside] },
        '2 of 2 figures are off. p95 of /a: 10 ms recorded, 15 ms simulated; p95 of /a: 10 ms recorded, 15 ms ' +
          'simulated.',
      ],
      [
        { ...failed, figures: [outside], rateRatio: 3, useRatios: { '/a': 0.4, '/b': 1.1 } },
        'The load of the other recording is not the same: it has 3.0 times as many requests per second, /a ' +
          'uses its connection 0.4 times as long. A prediction assumes that it stays as it was.',
      ],
      [{ status: 'notChecked' }, 'Not checked: the other recording, with 8 connections, has fewer than 20 requests'],
    ]),
  )('%j', (check, words) => {
    expect(explainCheck(checkOf(check))).toContain(words);
  });
});

test('hidden figures come with the reason', () => {
  const ownRuns = { route: '/a', figure: 'p95', poolSize: 2, recordedMs: 71, lowMs: 87, highMs: 558 };
  /** @type {[import('mongodb-pool-predictor').CodedFinding['code'], object, RegExp][]} */
  const cases = [
    ['clientsGiveUp', { afterMs: 300, count: 9 }, /^No figures for 8, 16: 9 clients left after 300 ms .* load\.$/],
    ['unknownFailures', { longestMs: 35 }, /^How many requests fail with 8, 16 is unknown, .* at most 35 ms in/],
    [
      'ownRuns',
      ownRuns,
      /with the recorded 2 connections, p95 of \/a was 71 ms, .* gives 87 to 558 ms\. .* --callers N/,
    ],
    ['wideBand', { fewest: null }, /^A range stands for a figure where .* twice as large, or half\.$/],
    ['wideBand', { fewest: 9 }, /or half\. As few as 9 callers, .* --callers N says how many did/],
  ];
  for (const [code, figures, words] of cases)
    expect(explainHidden({ reason: { code, figures }, poolSizes: [8, 16], isAll: true })).toMatch(words);
  const some = { reason: { code: /** @type {const} */ ('unserved'), figures: {} }, poolSizes: [20], isAll: false };
  expect(explainHidden(some)).toMatch(/^Not all figures for 20: /);
});
