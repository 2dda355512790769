import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { readTrace } from 'mongodb-pool-predictor/node';
import { scratchFolder } from 'test-support/cleanup.js';
import { explainReason } from 'mongodb-pool-page/universal/finding-words.js';
import { traceText } from 'test-support/trace-text.js';
import { expectRefused, runCli } from '../support/run-cli.js';

const SERVICES = ['--service', '/slow=500', '--service', '/fast=2'];
/** Not random, so that one run is enough. */
const MIXED = ['loadtests/mixed.yaml', ...SERVICES];
const RANDOM = ['loadtests/users-and-admins.yaml', '--environment', 'smoke', ...SERVICES];
const folder = await scratchFolder();

/** The advice as JSON, and the same in words. @param {string[]} args */
async function advise(...args) {
  const { code, stdout, stderr } = await runCli(['advise', ...args, '--json']);
  const advice = JSON.parse(stdout);
  const said = stderr.replaceAll(/\s+/g, ' ');
  for (const sentence of advice.words.slice(0, 2)) expect(said).toContain(sentence);
  return { code, stderr, advice };
}

test('a size, in words and as JSON', async () => {
  const fleet = ['--instances', '40', '--servers', '3', '--server-limit', '3000'];
  const { code, stderr, advice } = await advise('--slo', '/fast p50 < 50ms', ...RANDOM, ...fleet);
  expect({ code, ...advice }).toMatchObject({
    code: 0,
    lab: 'advise',
    verdict: 'size',
    poolSize: expect.any(Number),
    fleet: { fits: true, instances: 40, servers: 3 },
    settings: { slos: ['/fast p50 < 50 ms'], headroom: 1.3, seeds: 99 },
  });
  expect(Math.max(...stderr.split('\n').map((line) => line.length))).toBeLessThanOrEqual(80);
});

test.each([
  ['nothing meets the goal', ['/fast max < 1ms'], { verdict: 'nothing', poolSize: null }],
  ['the goal is below the noise', ['/fast max < 5ms', '--explain'], { verdict: 'belowNoise', poolSize: null }],
  ['there is not enough data', ['/slow p99 < 9s'], { verdict: 'notEnoughData', samples: [{ needed: 299 }] }],
  [
    'the servers do not accept that many',
    ['/slow p50 < 2s', '--headroom', '1', '--server-limit', '2'],
    { verdict: 'tooManyConnections', fleet: { fits: false } },
  ],
])('ends with 1 when %s', async (_, options, facts) => {
  const { code, advice } = await advise('--slo', ...options, ...MIXED);
  expect({ code, ...advice }).toMatchObject({ code: 1, ...facts });
});

describe('a recording is checked', () => {
  const RECORDED = 'examples/ordinary-minute.jsonl';
  const GOAL = ['--slo', '/fast p50 < 100ms', '--headroom', '1', '--seeds', '59'];

  /**
   * The recording without its sockets.
   * @param {string} name
   * @param {number} poolSize that it says
   * @param {(checkout: { atMs: number, waitMs: number, useMs: number, route: string }) => object} [change]
   */
  async function rewrite(name, poolSize, change = (checkout) => checkout) {
    const { checkouts, routes } = await readTrace(RECORDED);
    const { startedMs, waitMs, useMs, routeOf } = checkouts;
    const rows = Array.from(startedMs, (atMs, row) =>
      change({ atMs, waitMs: waitMs[row], useMs: useMs[row], route: routes[routeOf[row]] }),
    );
    return write(name, { poolSize, checkouts: /** @type {any[]} */ (rows) });
  }

  /** @param {string} name @param {Parameters<typeof traceText>[0]} trace */
  async function write(name, trace) {
    await writeFile(path.join(folder, name), traceText(trace));
    return path.join(folder, name);
  }

  test('where the check fails there is no size, and exit code 4', async () => {
    // As if its waits had been those of a larger pool.
    const { code, advice } = await advise('--trace', await rewrite('larger.jsonl', 20), ...GOAL);
    expect({ code, ...advice }).toMatchObject({
      code: 4,
      verdict: 'noPrediction',
      poolSize: null,
      check: { status: 'fails', reason: 'figures' },
    });
    expect(advice.words[1]).toContain(explainReason({ code: 'figures', figures: advice.check }));
  });

  test('where requests piled up on a full server there is no size either, unless its cores are given', async () => {
    // Four at once share two cores, so that a query takes 44 ms: 91 in a second, and 100 arrive.
    const freeAtMs = [0, 0, 0, 0];
    const checkouts = Array.from({ length: 600 }, (_, index) => {
      const atMs = 10 * index;
      const connection = freeAtMs.indexOf(Math.min(...freeAtMs));
      const waitMs = Math.max(0, freeAtMs[connection] - atMs);
      freeAtMs[connection] = atMs + waitMs + 44;
      return { atMs, waitMs, useMs: 44, route: '/work' };
    });
    const file = await write('full.jsonl', { poolSize: 4, checkouts, end: { server: { cores: 2, busyCores: 1.9 } } });
    const { code, advice } = await advise('--trace', file, '--slo', '/work p95 < 500ms', '--seeds', '59');
    expect({ code, verdict: advice.verdict }).toEqual({ code: 4, verdict: 'noPrediction' });
    expect(advice.words[1]).toContain(explainReason({ code: 'growingQueue', figures: {} }));
    const [silent, told] = await Promise.all(
      [[], ['--server-cores', '4']].map(async (cores) => {
        const options = ['--pool-sizes', '4', '--seeds', '19', '--json', ...cores];
        return JSON.parse((await runCli(['predict', '--trace', file, ...options])).stdout);
      }),
    );
    expect(silent).toMatchObject({ withheld: [4], variants: [] });
    expect(told.variants).toHaveLength(1);
  });

  test('another recording that does not fit is a failed check, too', async () => {
    const other = await rewrite('other.jsonl', 16);
    const { code, advice } = await advise('--trace', RECORDED, '--check', other, ...GOAL);
    expect({ code, ...advice }).toMatchObject({ code: 4, check: { of: 'trace', poolSize: 16, status: 'fails' } });
    expect((await advise('--trace', RECORDED, '--trace', other, ...GOAL)).code).toBe(4);
  });

  test('where nobody waited nothing was checked: advice for a median stands, but not for a percentile', async () => {
    const file = await rewrite('calm.jsonl', 100, (checkout) => ({ ...checkout, waitMs: 0 }));
    const check = { status: 'notChecked', reason: 'nobodyWaited' };
    const { code, stderr, advice } = await advise('--trace', file, ...GOAL);
    expect({ code, ...advice }).toMatchObject({ code: 0, verdict: 'size', check });
    expect(stderr.split('\n').length).toBeLessThanOrEqual(27);
    const unsure = await advise('--trace', file, ...GOAL.with(1, '/fast p90 < 100ms'));
    expect({ code: unsure.code, ...unsure.advice }).toMatchObject({ code: 4, verdict: 'noPrediction', check });
  });
});

describe('bad input is one clear message', () => {
  /** @type {[string, string[], RegExp][]} */
  const cases = [
    ['no goal', MIXED, /--slo <goal>' not specified/],
    [
      'a bad goal',
      ['--slo', '/fast p99 50', ...MIXED],
      /"\/fast p99 50" is not a goal: write it like '\/fast p99 < 50ms'/,
    ],
    ['a bad percentile', ['--slo', '/fast p98 < 50ms', ...MIXED], /"p98" is not one of p50, /],
    ['an unknown route', ['--slo', '/fats p99 < 5ms', ...MIXED], /no route \/fats, only \/slow, \/fast/],
    [
      'no load',
      ['--slo', '/fast p99 < 50ms', ...SERVICES],
      /^Nothing to predict: pass an Artillery scenario, such as .*, or --trace FILE/,
    ],
    [
      'headroom below 1',
      ['--slo', '/fast p99 < 50ms', ...MIXED, '--headroom', '0.5'],
      /number from 1 to 100, such as 1\.3/,
    ],
    ['a driver', ['--slo', '/fast p99 < 50ms', ...MIXED, '--driver', '3'], /unknown option '--driver'/],
    ['too few seeds', ['--slo', '/fast p99 < 50ms', ...RANDOM, '--seeds', '10'], /at least 59/],
    ['no instances', ['--slo', '/fast p99 < 50ms', ...MIXED, '--instances', '0'], /--instances.*whole number from 1/],
  ];

  test.each(cases)('%s', async (_, args, message) => {
    await expectRefused(['advise', ...args], message);
  });

  test('bad YAML', async () => {
    const file = path.join(folder, 'bad.yaml');
    await writeFile(file, 'config: [\n');
    await expectRefused(['advise', '--slo', '/fast p99 < 50ms', file], /bad\.yaml, line \d/);
  });
});
