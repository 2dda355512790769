import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { MongoClient } from 'mongodb';
import { labs } from '../../../src/labs/index.js';
import { sessions } from '../../../src/labs/sessions/sessions-lab.js';
import { cleanUp } from '../../support/cleanup.js';
import { sharedMongoUrl } from '../../support/environment.js';
import { runCli } from '../../support/run-cli.js';
import { runNode } from '../../support/run-node.js';
import { scratchFolder } from '../../support/scratch-folder.js';

const folder = await scratchFolder();

/** @param {Record<string, unknown>} [given] */
async function plan(given) {
  const options = Object.entries(sessions.options).map(([name, option]) => [name, option.default]);
  return sessions.plan({ ...Object.fromEntries(options), ...given });
}

/** @param {string[]} args @param {(child: import('node:child_process').ChildProcess) => void} [onStart] */
async function run(args, onStart) {
  const out = path.join(folder, args.join(''));
  const command = ['run', 'sessions', '--json', '--out', out, ...args];
  const env = { MONGO_URL: sharedMongoUrl() };
  const { code, stdout, stderr } = await (
    onStart ? runNode(['src/cli.js', ...command], { env, onStart }) : runCli(command, { env }));
  /** @type {import('../../../src/report/result-types.js').Variant[]} */
  const variants = stdout ? JSON.parse(stdout).variants : [];
  const figures = Object.fromEntries(variants.map(({ name, measured }) => [name, measured ?? {}]));
  return { code, stderr, out, figures };
}

describe('the plan', () => {
  test('of the pools with room for every worker, the largest stands for all', async () => {
    const { variants } = await plan({ strategies: ['fixed', 'copy'], workers: [1, 50, 100] });
    expect(variants.map(({ name }) => name)).toEqual([
      '1 worker: fixed', '1 worker: copy 4096', '50 workers: fixed', '50 workers: copy 10', '50 workers: copy 4096',
      '100 workers: fixed', '100 workers: copy 10', '100 workers: copy 50', '100 workers: copy 4096',
    ]);
  });

  test('a clone is like copy, or shares one connection if its parent is primed', async () => {
    const clones = async (/** @type {boolean} */ prime) => (await plan({ strategies: ['clone'], workers: [50], prime }))
      .variants.map(({ name, settings, published }) => [name, settings.poolSize, Number(published?.tookMs)]);
    expect(await clones(false)).toEqual(
      [['50 workers: clone 10', 10, NaN], ['50 workers: clone 4096', 4096, 41_469.2296]]);
    expect(await clones(true)).toEqual([['50 workers: primed clone', 1, 138_526.0889]]);
  });

  test('with the published values every published figure is there, for as many queries', async () => {
    const { workers, queries, poolSizes } = sessions.options;
    const { variants } = await plan({
      workers: workers.published, queries: queries.published, poolSizes: poolSizes.published,
      strategies: ['fixed', 'copy'],
    });
    const published = variants.filter((variant) => variant.published);
    expect(published.map(({ name, published: figures }) => [name, Number(figures?.tookMs) / 1000])).toEqual([
      ['1 worker: fixed', 38.0556785], ['1 worker: copy 4096', 38.4387756], ['10 workers: fixed', 32.9913647],
      ['10 workers: copy 4096', 23.4504081], ['50 workers: fixed', 140.0998102], ['50 workers: copy 4096', 41.3556608],
      ['100 workers: fixed', 142.8903533], ['100 workers: copy 10', 102.6902571],
      ['100 workers: copy 50', 40.3759254], ['100 workers: copy 4096', 36.4537562],
    ]);
    for (const { settings, published: figures } of published) expect(settings.queries).toBe(figures?.count);
  });

  test('with another distance, or with connections taken away, there are no published figures', async () => {
    for (const given of [{ rtt: 20 }, { leaks: 2, poolSizes: [50], strategies: ['copy'] }]) {
      const { variants } = await plan({ workers: [100], ...given });
      expect(variants.filter(({ published }) => published)).toEqual([]);
    }
  });

  test('all ways make the same queries, but a client for each makes fewer', async () => {
    const { variants } = await plan({ workers: [2, 20], queries: [1000] });
    const countsOf = (/** @type {string} */ strategy) => [...new Set(variants
      .filter(({ settings }) => settings.strategy === strategy).map(({ settings }) => settings.queries))];
    expect(['fixed', 'copy', 'clone', 'client-per-query'].map(countsOf)).toEqual(
      [[2000, 20_000], [2000, 20_000], [2000, 20_000], [20, 200]]);
  });

  test('without a number of queries, all of a default run takes less than 90 s, also over a distance', async () => {
    for (const rtt of [undefined, 20]) {
      const { variants } = await plan({ rtt });
      expect(variants.reduce((total, { estimateMs }) => total + estimateMs, 0)).toBeLessThan(90_000);
    }
  });

  test('options that do not go together are refused', async () => {
    await expect(plan({ workers: [1, 10, 100], queries: [5, 6] })).rejects.toThrow(
      '--queries has 2 numbers and --workers 3: give one number of queries, or one for each number of workers');
    const frozen = { leaks: 10, maxAwait: 86_400_000 };
    await expect(plan(frozen)).rejects.toThrow(/^With --leaks 10, each query of "1 worker: fixed" would wait for up to/);
    await plan({ ...frozen, secondClient: true });
    await plan({ ...frozen, poolTimeout: 500 });
  });
});

test('the findings are ratios beside those of the article, for the variants there are', async () => {
  const { settings, variants } = await plan({ workers: [1, 100], prime: true });
  const rates = [500, 490, 480, 20, 45, 450, 1800, 2000, 46, 90];
  const result = {
    lab: 'sessions', startedAt: '2026-01-01T00:00:00.000Z', environment: {}, settings,
    variants: variants.map((variant, index) => ({ ...variant, measured: { ratePerSec: rates[index] } })),
  };
  const findings = labs.sessions.findings?.(result).map(({ claim, measured, published }) => (
    [claim, measured?.toFixed(2), published?.toFixed(2)]));
  expect(findings).toEqual([
    ['1 worker: the slowest way / the fastest', '0.96', '0.98'],
    ['100 workers: copy 10 / fixed', '10.00', '1.39'],
    ['100 workers: copy 50 / fixed', '40.00', '3.54'],
    ['100 workers: copy 4096 / fixed', '44.44', '3.92'],
    ['100 workers: primed clone / fixed', '1.02', undefined],
    ['100 workers: copy 50 / copy 10', '4.00', '2.54'],
    ['100 workers: copy 4096 / copy 50', '1.11', '1.11'],
  ]);
  expect(labs.sessions.takeaway(result)).toBe(
    'With 100 workers, copy 4096 answered 2000 queries per second; fixed answered 45 queries per second.');
});

test('a run measures every way, says each second what the pool does, and takes its data away', async () => {
  let pid = 0;
  const { code, stderr, out, figures } = await run(
    ['--workers', '3', '--queries', '40', '--pool-sizes', '2', '--stats'], (child) => { pid = Number(child.pid); });
  expect({ code, stderr }).toMatchObject({ code: 0, stderr: expect.stringContaining('3 workers: copy 2 / fixed') });
  expect(figures).toMatchObject({
    '3 workers: fixed': { count: 120, failures: 0, opened: 1 },
    '3 workers: copy 2': { count: 120, failures: 0, opened: 2 },
    '3 workers: clone 2': { count: 120, failures: 0, opened: 2 },
    '3 workers: client-per-query': { count: 3, failures: 0, opened: 3 },
  });
  expect(stderr).toMatch(
    /^3 workers: copy 2: sockets alive 2, in use 0, times acquired 120, times waited \d+, total wait .+ s, timeouts 0$/m);
  expect(await readFile(path.join(out, 'sessions.html'), 'utf8')).toContain('One connection or many');

  const client = await MongoClient.connect(sharedMongoUrl());
  cleanUp(() => client.close());
  const names = (await client.db('pool_lab').listCollections().toArray()).map(({ name }) => name);
  expect(names).not.toContain(`cipher_texts_${pid}`);
});

test('over a distance, one connection answers one query a round trip, and ten answer many times as much', async () => {
  const { code, figures } = await run(
    ['--rtt', '50', '--workers', '10', '--queries', '5', '--pool-sizes', '10', '--strategies', 'fixed,copy']);
  expect(code).toBe(0);
  const [fixed, copy] = ['fixed', 'copy 10'].map((name) => figures[`10 workers: ${name}`]);
  // Timers are up to a millisecond early, each way. On a busy machine copy comes to less than 10 times.
  expect(fixed.ratePerSec).toBeLessThan(1000 / 48);
  expect(copy.p50Ms).toBeGreaterThan(48);
  expect(copy.ratePerSec / fixed.ratePerSec).toBeGreaterThan(3);
});

describe('change streams that nobody closes', () => {
  const common = ['--strategies', 'copy', '--workers', '4', '--pool-sizes', '2', '--queries', '2'];
  /** A day: longer than any run. */
  const HELD = ['--max-await', '86400000'];

  test('as many as the pool is large make queries wait for a stream to be answered, and none fails', async () => {
    const { code, figures } = await run([...common, '--leaks', '2']);
    expect(code).toBe(0);
    const { ['4 workers: copy 2']: measured } = figures;
    expect(measured).toMatchObject({ count: 8, failures: 0 });
    // The server answers a stream after a second, and then all queries in the queue go first.
    expect(measured.p99Ms).toBeGreaterThan(500);
    // Streams wait too, and are not counted.
    expect(measured.timesWaited).toBeLessThanOrEqual(8);
  });

  test('twice as many make a query wait twice', async () => {
    const { code, figures } = await run([...common, '--leaks', '4', '--max-await', '300']);
    expect(code).toBe(0);
    const { ['4 workers: copy 2']: measured } = figures;
    // Two lanes: two streams are answered, then the other two. The queries may start late in the first round.
    expect(measured.p99Ms).toBeGreaterThan(1.5 * 300);
    expect(measured).toMatchObject({ count: 8, failures: 0 });
    expect(measured.timesWaited).toBeLessThanOrEqual(8);
  });

  test('where the server holds back its answers for a day, every query waits until its patience ends', async () => {
    const { code, stderr, figures } = await run([...common, '--leaks', '2', ...HELD, '--pool-timeout', '50']);
    expect(code).toBe(1);
    expect(stderr).toMatch(/8 queries got no connection within\s50 ms/);
    expect(figures['4 workers: copy 2']).toMatchObject({ failures: 8, timesWaited: 8, ratePerSec: 0 });
  });

  test('on a second client they hold up nobody', async () => {
    const { code, figures } = await run([...common, '--leaks', '2', ...HELD, '--pool-timeout', '5000', '--second-client']);
    expect(code).toBe(0);
    expect(figures['4 workers: copy 2']).toMatchObject({ count: 8, failures: 0, opened: 2 });
  });

  test('a frozen run can be interrupted', async () => {
    const frozen = [...common, '--leaks', '2', ...HELD, '--pool-timeout', '1000000', '--stats'];
    const { code } = await run(frozen, (child) => {
      child.stderr?.on('data', (text) => {
        if (String(text).includes('times acquired')) child.kill('SIGINT');
      });
    });
    expect(code).toBe(130);
  });
});
