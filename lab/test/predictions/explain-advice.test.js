import { describe, expect, test } from '@jest/globals';
import { advise, createScenarioLoad, parseSlo, predict } from 'mongodb-pool-predictor';
import { readScenario } from 'mongodb-pool-predictor/node';
import { explainAdvice } from '../../predictions/explain-advice.js';
import { createPredictView, foldSizes, pickRows } from '../../predictions/predict-view.js';
import { renderHtml } from '../../report/html.js';
import { renderTable } from '../../report/table.js';
import { explainBusy, explainTrust, explainWithheld } from '../../predictions/explain-check.js';

/** @import { Advice, Trust, TraceCheck } from 'mongodb-pool-predictor' */

describe('advice', () => {
  /** Twenty users a second for twenty seconds, one in twenty an administrator. */
  const ordinary = createScenarioLoad({
    phases: [{ durationMs: 20_000, arrivalCount: 400 }],
    scenarios: [
      { weight: 95, steps: [{ kind: 'request', route: '/fast' }] },
      { weight: 5, steps: [{ kind: 'request', route: '/slow' }] },
    ],
  });
  const services = {
    '/slow': { kind: /** @type {const} */ ('fixed'), ms: 500 },
    '/fast': { kind: /** @type {const} */ ('fixed'), ms: 2 },
  };

  /** @param {string[]} goals @param {Partial<Parameters<typeof advise>[0]>} [options] */
  async function explain(goals, options) {
    const advice = await advise({ load: ordinary, services, slos: goals.map(parseSlo), seeds: 59, ...options });
    return { advice, text: explainAdvice(advice).join(' ') };
  }

  const slo = parseSlo('/report p50 < 900ms');
  const row = {
    poolSize: 3,
    factor: 1,
    isMet: true,
    failureShare: 0,
    utilisation: 0.5,
    peakWaiting: 1,
    goals: [{ text: slo.text, medianMs: 10, upperMs: 20, isMet: true }],
  };
  const load = {
    ...{ factor: 1, smallest: 3, floor: 2, meanActive: 1.5, peakActive: 6 },
    ...{ bestSize: null, bestMs: [1000], medianMs: [950] },
  };

  /** The words for an advised size of three, or what changes make of it. @param {Partial<Advice>} changes */
  const explainSize = (changes) =>
    explainAdvice({
      verdict: 'size',
      poolSize: 3,
      seeds: 59,
      firstSeed: 1,
      noise: null,
      parts: null,
      noBenefitAfter: 5,
      remedies: [],
      fleet: null,
      saturation: null,
      samples: [{ slo, count: 60, needed: 5, isEnough: true, easier: [] }],
      rows: [row],
      loads: [load],
      ...changes,
    }).join(' ');

  test('an advised size comes with its numbers and alternatives', async () => {
    const { advice, text } = await explain(['/fast p99 < 50ms']);
    expect(text.startsWith(`${advice.poolSize} connections are enough. "/fast p99 < 50 ms": at most `)).toBe(true);
    expect(text).toMatch(
      /"\/fast p99 < 50 ms": at most .* at load x1 and .* at load x1\.3, in 95 of 100 runs \(95 % .*, 59/,
    );
    expect(text).toMatch(
      /Connections in use without a limit: at load x1 0\.5 on average and up to \d+ at once, at load x1\.3 0\.\d on/,
    );
    expect(text).toMatch(/With \d, "\/fast p99 < 50 ms" is missed at load x1(\.3)? \(\d+ ms\)\./);
    expect(text).toMatch(/More than \d connections do not improve these times at load x1\.3/);
    expect(text).toContain(
      'Alternatives: - A separate pool (a second client) for /slow: 1 for it and 1 for the others, 2 in total',
    );
    expect(text).toMatch(
      /A concurrency limit on \/slow: at most 1 at a time, in a pool of 2 .+, and \d(\.\d)? % of the requests are refused\./,
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

  test('when no size meets the goal, it says why', async () => {
    expect((await explain(['/fast p99 < 1ms'])).text).toMatch(
      /^No pool size meets the goal\. "\/fast p99 < 1 ms": at load x1, even without a limit on connections, it is up to 2 ms/,
    );
  });

  test('without enough requests, it says how many are needed', async () => {
    expect((await explain(['/fast p99 < 50ms', '/slow p99 < 10s'])).text).toMatch(
      /^Not enough data\. The load has \d\d requests to \/slow, .* needs at least 299: /,
    );
  });

  describe('queries that share the cores of the server', () => {
    const slowdown = { route: '/report', poolSize: 8, p99Ms: 200, largerSize: 16, largerMs: 620 };
    const saturation = { cores: 2, usedShare: 0.8, slowdown, fleet: null, enough: null };

    /** @param {Partial<Advice>} changes */
    const explainWith = (changes) => explainSize({ saturation, ...changes });

    test('the advice is a range', () => {
      expect(explainWith({})).toMatch(
        /^3 connections are enough\. Above 8 connections the server is the bottleneck: with 16, p99 of \/report is 3\.1 times as long \(620 ms instead of 200 ms\)\. The queries share the server's 2 cores\. "/,
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
        'If each instance has this load, all 4 instances together need 3.2 of the 2 cores, which is more than the server has, whatever the pool size.',
      );
    });

    test('where the server is the limit, no pool size is enough', () => {
      const nothing = {
        verdict: /** @type {const} */ ('nothing'),
        poolSize: null,
        rows: [],
        loads: [{ ...load, smallest: null }],
      };
      expect(
        explainWith({ ...nothing, saturation: { ...saturation, usedShare: 1.05, enough: { cores: 3, poolSize: 6 } } }),
      ).toMatch(
        /^No pool size meets the goal\..* The load needs 2\.1 of the server's 2 cores, which is more than it has\. No pool size is enough\. About 3 cores with 6 connections would do, or cheaper queries\.$/,
      );
      expect(explainWith({ ...nothing, saturation: { ...saturation, cores: 1.8, usedShare: 0.9 } })).toMatch(
        /The load needs 1\.6 of the server's 1\.8 cores on average\. With a small pool, requests wait for a connection\. With a large one, queries wait for a core\. Cheaper queries would help\. More cores alone would not\.$/,
      );
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
      scenarios: [
        {
          steps: [
            { kind: 'request', route: '/slow' },
            { kind: 'request', route: '/fast' },
          ],
        },
      ],
    });
    expect((await explain(['/fast max < 100ms'], { load, seeds: undefined })).text).toContain('one run is exact');
  });

  test('a fleet may have more connections than the servers accept', async () => {
    expect(
      (await explain(['/fast p99 < 50ms'], { headroom: 1, fleet: { instances: 40, serverLimit: 150 } })).text,
    ).toMatch(/do not accept that many\..*which accepts 150: they do not fit/);
  });

  test('a goal below the noise gets no verdict', async () => {
    const { text } = await explain(['/fast p99 < 5ms']);
    expect(text).toMatch(
      /^No verdict: the goal is below the noise\. "\/fast p99 < 5 ms": .* the query alone takes up to 2 ms,/,
    );
    expect(text).toMatch(
      /The rest of a response takes up to 10 ms, even in an idle app\. A goal of 12 ms or more gets a verdict\.$/,
    );
  });

  test.each([
    ['/fast p99 < 5ms', 30, 'up to 2 ms, the rest of the response up to 30 ms. That rest alone is too slow'],
    ['/fast p99 < 31ms', 30, 'up to 2 ms, the rest of the response up to 30 ms. Together they are too slow'],
    ['/fast p99 < 1ms', 0.5, 'up to 2 ms, the rest of the response up to 0.5 ms. The query alone is too slow'],
    ['/fast p99 < 1ms', 30, 'up to 2 ms, the rest of the response up to 30 ms. Each alone is too slow'],
  ])('%s with an overhead of %d ms: which part is too slow', async (goal, ms, words) => {
    expect((await explain([goal], { overhead: { kind: 'fixed', ms } })).text).toContain(
      `nobody waits for a connection. The query of /fast takes ${words}`,
    );
  });

  describe('without a size for /report p50 < 900 ms', () => {
    /** @param {number} medianMs @param {Partial<Advice> & { of?: Partial<Advice['loads'][0]> }} [changes] */
    const explainMissed = (medianMs, { of, ...changes } = {}) =>
      explainSize({
        ...{ verdict: 'nothing', poolSize: null, parts: [{ serviceMs: 15, overheadMs: 5 }] },
        loads: [{ ...load, smallest: null, medianMs: [medianMs], ...of }],
        ...changes,
      });

    test('a goal that half of the runs meet is not said to be missed', () => {
      expect(explainMissed(800)).toMatch(
        /^No pool size is sure to meet the goal\..* half of the runs have 800 ms, but it is up to 1\.0 s,/,
      );
      expect(explainMissed(800, { of: { bestSize: 2 } })).toContain(
        'at load x1, even with 2 connections, half of the runs',
      );
      expect(explainMissed(950)).toMatch(/^No pool size meets the goal\. .* connections, it is up to 1\.0 s,/);
    });

    test('a goal that the parts alone would meet is not blamed on them', () => {
      const waits = '"/report p50 < 900 ms": requests wait until connections are opened.';
      expect(explainMissed(950)).toContain(waits);
      const saturation = { cores: 2, usedShare: 1.1, slowdown: null, fleet: null, enough: null };
      expect(explainMissed(950, { saturation })).not.toContain(waits);
      const failing = explainMissed(Infinity, { of: { bestMs: [Infinity] } });
      expect(failing).toContain('even without a limit on connections, too many requests fail');
      expect(failing).not.toContain(waits);
    });
  });

  test('a size that a larger one is worse than is explained', () => {
    const missed = { ...row, isMet: false, goals: [{ text: slo.text, medianMs: 10, upperMs: 1200, isMet: false }] };
    expect(explainSize({ rows: [{ ...missed, poolSize: 2 }, row, { ...missed, poolSize: 4 }] })).toContain(
      'With 2, "/report p50 < 900 ms" is missed at load x1 (1.2 s). With 4, "/report p50 < 900 ms" is missed at load x1 ' +
        '(1.2 s), too: users wait for their answers',
    );
  });

  test('with a server limit, alternatives are those that fit', async () => {
    const { text } = await explain(['/fast p99 < 50ms'], { headroom: 1, fleet: { instances: 40, serverLimit: 119 } });
    expect(text).toMatch(/No pool fits\. The load is that of one instance\. No alternative fits, either\.$/);
  });
});

describe('predictions', () => {
  /** @param {string} scenario @param {number} slowMs @param {number[]} poolSizes @param {boolean} [hasBands] */
  async function show(scenario, slowMs, poolSizes, hasBands = false) {
    const load = createScenarioLoad(await readScenario(`loadtests/${scenario}.yaml`));
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
      settings: {},
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
      'More than 5 connections do not help. With 1 connection the slowest /fast request takes 20.0 s, with 10 ' +
        'connections 2 ms. Without a limit, the load lasts 9.0 s and uses up to 5 connections at once, 2.8 on average. With ' +
        'fewer than 3, requests pile up until it ends.',
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
      view.takeaway({ lab: 'predict', startedAt: '', environment: {}, settings: {}, variants: prediction.variants }),
    ).toContain(' slowest /a request ');
  });

  test('the sentence is right for one connection, too', async () => {
    const { table } = await show('mixed', 5000, [1]);
    expect(table.replaceAll('\n', ' ')).toContain('More than 1 connection would still help.');
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

describe('the check', () => {
  /** @param {Partial<TraceCheck>} check @param {Partial<Trust>} [changes] @returns {Trust} */
  const trustOf = (check, changes) => ({
    recordedSize: 8,
    isUnclear: false,
    withheld: null,
    isWithheld: () => false,
    isPlain: false,
    whyUnsure: () => null,
    marginAt: () => 0,
    widen: (figures) => figures,
    ...changes,
    check: {
      ...{ of: 'waits', status: 'holds', reason: null, poolSize: 8, figures: [], rateRatio: 1, useRatios: {} },
      waits: { count: 100, otherShare: 0.8, openings: 50 },
      ...check,
    },
  });

  test.each([
    [trustOf({}), /^Trust: yes near the recorded 8, because the pool explains its waits/],
    [trustOf({ of: 'trace' }), /^Trust: yes, because it predicts the other recording/],
    [
      trustOf({ status: 'notChecked', reason: 'nobodyWaited' }),
      /^Trust: medians yes; tails only above the recorded 8, because nobody waited/,
    ],
    [
      trustOf({ status: 'notChecked', reason: 'unknownSize' }, { recordedSize: NaN }),
      /^Trust: medians yes; tails no, because the recording does not say how large/,
    ],
    [
      trustOf({ status: 'notChecked', reason: 'nobodyWaited' }, { isPlain: true }),
      /^Trust: yes, although nobody waited/,
    ],
    [trustOf({}, { isUnclear: true }), /^Trust: where both readings agree/],
  ])('the trust is one sentence: %#', (trust, words) => {
    expect(explainTrust(trust)).toMatch(words);
  });

  test('withheld figures come with the reason', () => {
    const failed = trustOf({ status: 'fails', reason: 'otherWaits' }, { withheld: 'checkFails' });
    expect(explainWithheld(failed, [1, 4])).toMatch(/^No figures\. The check fails: 80 % .* would show/);
    expect(explainWithheld(trustOf({}, { withheld: 'growingQueue' }), [1])).toMatch(/^No figures\. Requests piled up/);
    const unknown = trustOf({}, { withheld: 'unknownServer' });
    expect(explainWithheld(unknown, [1])).toContain("can't tell whether queries slow each other");
    expect(explainBusy([8, 16], 'busyServer')).toMatch(
      /^No figures for 8, 16: the server would be busier, .* Or set --server-cores\.$/,
    );
    expect(explainBusy([8], 'busyLoop')).toMatch(
      /^No figures for 8: requests may wait for the app's event loop, .* can\.$/,
    );
  });
});
