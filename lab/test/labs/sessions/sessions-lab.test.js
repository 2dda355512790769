import { describe, expect, test } from '@jest/globals';
import { MongoClient } from 'mongodb';
import { labs } from '../../../labs/index.js';
import { sessions } from '../../../labs/sessions/sessions-lab.js';
import { cleanUp } from 'test-support/cleanup.js';
import { sharedMongoUrl } from 'test-support/mongod.js';
import { measureLab, optionsOf } from '../../support/measure-lab.js';

/** @param {Record<string, unknown>} [given] */
async function plan(given) {
  return sessions.plan(optionsOf(sessions, given));
}

describe('the plan', () => {
  test('of the pools with room for every worker, the largest stands for all', async () => {
    const { variants } = await plan({ strategies: ['fixed', 'copy'], workers: [1, 50, 100] });
    expect(variants.map(({ name }) => name)).toEqual([
      '1 worker: fixed',
      '1 worker: copy 4096',
      '50 workers: fixed',
      '50 workers: copy 10',
      '50 workers: copy 4096',
      '100 workers: fixed',
      '100 workers: copy 10',
      '100 workers: copy 50',
      '100 workers: copy 4096',
    ]);
  });

  test('a clone is the code of fixed or copy, so it is measured once, beside both published times', async () => {
    const names = async (/** @type {string[]} */ strategies) =>
      (await plan({ strategies, workers: [50] })).variants.map(
        ({ name, settings: { strategy, poolSize }, published }) => [
          name,
          strategy,
          poolSize,
          ...[published?.tookMs, published?.cloneTookMs].map((ms) => ms && ms / 1000),
        ],
      );
    expect(await names(['fixed', 'copy', 'clone'])).toEqual([
      ['50 workers: fixed = primed clone', 'fixed', 1, 140.0998102, 138.5260889],
      ['50 workers: copy 10 = clone', 'copy', 10, undefined, undefined],
      ['50 workers: copy 4096 = clone', 'copy', 4096, 41.3556608, 41.4692296],
    ]);
    expect((await names(['clone'])).map(([name]) => name)).toEqual([
      '50 workers: primed clone',
      '50 workers: clone 10',
      '50 workers: clone 4096',
    ]);
  });

  test('with the published values every published figure is there', async () => {
    const published = Object.entries(sessions.options).map(([name, option]) => [name, option.published]);
    const { variants } = await plan(Object.fromEntries(published.filter(([, value]) => value !== undefined)));
    const shown = variants.filter((variant) => variant.published);
    expect(shown.map(({ name, published: figures }) => [name, Number(figures?.tookMs) / 1000])).toEqual([
      ['1 worker: fixed = primed clone', 38.0556785],
      ['1 worker: copy 4096 = clone', 38.4387756],
      ['10 workers: fixed = primed clone', 32.9913647],
      ['10 workers: copy 4096 = clone', 23.4504081],
      ['50 workers: fixed = primed clone', 140.0998102],
      ['50 workers: copy 4096 = clone', 41.3556608],
      ['100 workers: fixed = primed clone', 142.8903533],
      ['100 workers: copy 10 = clone', 102.6902571],
      ['100 workers: copy 50 = clone', 40.3759254],
      ['100 workers: copy 4096 = clone', 36.4537562],
    ]);
    expect(shown.flatMap(({ published: figures }) => figures?.waits ?? [])).toEqual([
      { timesWaited: 0, totalWaitMs: 0, share: 0 },
      {
        timesWaited: 101_547,
        totalWaitMs: 807_819.4479,
        share: 101_547 / 300_000,
        waitingAtOnce: expect.closeTo(49.52, 2),
      },
    ]);
    expect(variants.reduce((total, { estimateMs }) => total + estimateMs, 0)).toBeLessThan(240_000);
  });

  test('with another distance, or with connections taken away, there are no published figures', async () => {
    for (const given of [{ rtt: 20 }, { queryMs: 5 }, { leaks: 2, poolSizes: [50], strategies: ['copy'] }]) {
      const { variants } = await plan({ workers: [100], ...given });
      expect(variants.filter(({ published }) => published)).toEqual([]);
    }
  });

  test('all ways make the same queries, but a client for each makes fewer', async () => {
    const { variants } = await plan({ workers: [2, 20], queries: [1000] });
    const countsOf = (/** @type {string} */ strategy) => [
      ...new Set(
        variants.filter(({ settings }) => settings.strategy === strategy).map(({ settings }) => settings.queries),
      ),
    ];
    expect(['fixed', 'copy', 'client-per-query'].map(countsOf)).toEqual([
      [2000, 20_000],
      [2000, 20_000],
      [20, 200],
    ]);
  });

  test('without a number of queries, all of a default run takes less than 90 s, also over a distance', async () => {
    for (const rtt of [undefined, 20]) {
      const { variants } = await plan({ rtt });
      expect(variants.reduce((total, { estimateMs }) => total + estimateMs, 0)).toBeLessThan(90_000);
    }
  });

  test('options that do not go together are refused', async () => {
    await expect(plan({ workers: [1, 10, 100], queries: [5, 6] })).rejects.toThrow(
      '--queries has 2 numbers and --workers 3: give one number of queries, or one for each number of workers',
    );
    await expect(plan({ rtt: 5, queryMs: 1.27 })).rejects.toThrow(
      'Give either --rtt 5 or --query-ms 1.27 (which --preset published sets), not both',
    );
    const frozen = { leaks: 10, maxAwait: 86_400_000 };
    await expect(plan(frozen)).rejects.toThrow(
      /^With --leaks 10, each query of "1 worker: fixed = primed clone" would wait for up to/,
    );
    await plan({ ...frozen, secondClient: true });
    await plan({ ...frozen, poolTimeout: 500 });
  });
});

/** @param {Record<string, unknown>} given @param {{ rates: number[], busy: number, cpuShare?: number }} measured */
async function pretend(given, { rates, busy, cpuShare = 1.3 }) {
  const { settings, variants } = await plan(given);
  return {
    lab: 'sessions',
    startedAt: '2026-01-01T00:00:00.000Z',
    environment: {},
    settings,
    variants: variants.map((variant, index) => ({
      ...variant,
      measured: { ratePerSec: rates[index], threadBusy: variant.settings.strategy === 'copy' ? busy : 0.4, cpuShare },
    })),
  };
}

test('the findings are ratios beside those of the article, and a clone has none', async () => {
  const result = await pretend({ workers: [1, 100] }, { rates: [500, 490, 20, 45, 450, 1800, 2000, 90], busy: 0.5 });
  const findings = labs.sessions
    .findings?.(result)
    .map(({ claim, measured, published }) => [claim, measured?.toFixed(2), published?.toFixed(2)]);
  expect(findings).toEqual([
    ['1 worker: the slowest way / the fastest', '0.98', '0.99'],
    ['100 workers: copy 10 / fixed', '10.00', '1.39'],
    ['100 workers: copy 50 / fixed', '40.00', '3.54'],
    ['100 workers: copy 4096 / fixed', '44.44', '3.92'],
    ['100 workers: copy 50 / copy 10', '4.00', '2.54'],
    ['100 workers: copy 4096 / copy 50', '1.11', '1.11'],
  ]);
  expect(labs.sessions.takeaway(result)).toBe(
    'With 100 workers, copy 4096 = clone answered 2000 queries per second; fixed = primed clone ' +
      'answered 45 queries per second.',
  );
});

test('a finding has the reason that fits its direction: one connection and the starts, or a full thread', async () => {
  const common = { workers: [100], poolSizes: [50, 4096], strategies: ['fixed', 'copy'] };
  const result = await pretend(common, { rates: [787, 4000, 4100], busy: 0.98 });
  expect(labs.sessions.findings?.(result).map(({ reason }) => reason)).toEqual([
    'One connection answers one query after the other here, 787 per second. mgo sends the next one before the last ' +
      'is answered: 3,499 per second. Without the 5.0 s in which the workers start, the published ratio is ' +
      'at most 3.90.',
    'One connection answers one query after the other here, 787 per second. mgo sends the next one before the last ' +
      'is answered: 3,499 per second. Without the 5.0 s in which the workers start, the published ratio is ' +
      'at most 4.38.',
    'About the same.',
  ]);
  expect(labs.sessions.takeaway(result)).toContain(
    "From 100 workers: copy 50 on: Node's one thread is full, busy 98 % of the time, at 4,000 queries per second.",
  );
  const starved = await pretend(common, { rates: [787, 900, 900], busy: 0.98, cpuShare: 0.4 });
  expect(labs.sessions.takeaway(starved)).toContain(
    "Node's one thread got 40 % of a core, because the servers and other programs used the cores",
  );
  const full = await pretend(common, { rates: [3499, 4000, 4100], busy: 0.98 });
  expect(labs.sessions.findings?.(full)[0].reason).toBe(
    "Node's one thread is full, busy 98 % of the time, at 4,000 queries per second.",
  );
  const elsewhere = await pretend(common, { rates: [4000, 900, 500], busy: 0.6, cpuShare: 0.3 });
  expect(labs.sessions.findings?.(elsewhere)[2].reason).toContain(
    "Here Node's one thread was busy for 60 % of the time, with 30 % of a core, so the limit was " +
      'the server or other programs',
  );
  const others = await pretend({ ...common, queryMs: 5 }, { rates: [787, 4000, 4100], busy: 0.98 });
  expect(labs.sessions.findings?.(others).map(({ reason }) => reason)).toEqual([undefined, undefined, undefined]);
});

test('where the driver serves all in order and mgo does not, the finding says how many waited at once', async () => {
  const given = { workers: [100], poolSizes: [50], strategies: ['copy'] };
  const { variants, ...result } = await pretend(given, { rates: [4000], busy: 0.98 });
  const waits = { count: 300_000, tookMs: 60_000, timesWaited: 297_000, totalWaitMs: 2_940_000 };
  const measured = { ...variants[0].measured, ...waits };
  const findings = labs.sessions.findings?.({ ...result, variants: [{ ...variants[0], measured }] });
  expect(findings).toEqual([
    {
      claim: '100 workers, copy 50: queries that waited / all',
      measured: 0.99,
      published: 101_547 / 300_000,
      reason: expect.stringMatching(/^Of 100 workers 49 waited at once, and 50 there\. The driver gives a free/),
    },
  ]);
});

/** @param {Record<string, unknown>} options @param {Parameters<typeof measureLab>[2]} [surroundings] */
async function run(options, surroundings) {
  const { variants } = await measureLab(sessions, options, surroundings);
  return Object.fromEntries(variants.map(({ name, measured, error }) => [name, { ...measured, error }]));
}

test('a run measures every way, says what the pool did, and takes its data away', async () => {
  /** @type {string[]} */
  const said = [];
  const figures = await run(
    { workers: [3], queries: [40], poolSizes: [2], stats: true },
    { report: (line) => said.push(line) },
  );
  expect(figures).toMatchObject({
    '3 workers: fixed = primed clone': { count: 120, failures: 0, opened: 1 },
    '3 workers: copy 2 = clone': { count: 120, failures: 0, opened: 2 },
    '3 workers: client-per-query': { count: 3, failures: 0, opened: 3 },
  });
  for (const [way, sockets] of [
    ['fixed = primed clone', 1],
    ['copy 2 = clone', 2],
  ]) {
    const alive = `sockets alive ${sockets}, in use 0, times acquired 120`;
    const waits = 'times waited \\d+, total wait .+ s, timeouts 0';
    expect(said).toContainEqual(expect.stringMatching(`^3 workers: ${way}: ${alive}, ${waits}$`));
  }
  const client = await MongoClient.connect(sharedMongoUrl());
  cleanUp(() => client.close());
  const names = (await client.db('pool_lab').listCollections().toArray()).map(({ name }) => name);
  expect(names).not.toContain(`cipher_texts_${process.pid}`);
});

describe('change streams that nobody closes', () => {
  const common = { strategies: ['copy'], workers: [4], poolSizes: [2], queries: [2] };
  /** Longer than any run: a day. */
  const maxAwait = 86_400_000;

  test.each([2, 4])('%i of them, which the server answers, let every query get through', async (leaks) => {
    const { '4 workers: copy 2': measured } = await run({ ...common, leaks, maxAwait: 100 });
    expect(measured).toMatchObject({ count: 8, failures: 0 });
    // Streams wait too, and are not counted.
    expect(measured.timesWaited).toBeLessThanOrEqual(8);
  });

  test('where the server holds back its answers for a day, every query waits until its patience ends', async () => {
    const { '4 workers: copy 2': measured } = await run({ ...common, leaks: 2, maxAwait, poolTimeout: 50 });
    expect(measured).toEqual(expect.objectContaining({ failures: 8, timesWaited: 8, ratePerSec: 0 }));
    expect(measured.error).toBe('8 queries got no connection within 50 ms');
  });

  test('on a second client they hold up nobody', async () => {
    const { '4 workers: copy 2': measured } = await run({ ...common, leaks: 2, maxAwait, secondClient: true });
    expect(measured).toMatchObject({ count: 8, failures: 0, opened: 2 });
  });

  test('a frozen run can be interrupted', async () => {
    const controller = new AbortController();
    const frozen = run(
      { ...common, leaks: 2, maxAwait, poolTimeout: 1_000_000, stats: true },
      { signal: controller.signal, report: () => controller.abort(new Error('enough')) },
    );
    await expect(frozen).rejects.toThrow('enough');
  });
});
