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
    rule: { poolSize: 1, goals: [{ text: '/fast p50 < 50 ms' }] },
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
   */
  async function rewrite(name, poolSize) {
    const { checkouts, routes } = await readTrace(RECORDED);
    const { startedMs, waitMs, useMs, routeOf } = checkouts;
    const rows = Array.from(startedMs, (atMs, row) => ({
      ...{ atMs, waitMs: waitMs[row], useMs: useMs[row], route: routes[routeOf[row]] },
    }));
    const file = path.join(folder, name);
    const end = { server: { cores: 2, busyCores: 0.1 } };
    await writeFile(file, traceText({ poolSize, checkouts: rows, end }));
    return file;
  }

  test('where no run at the recorded size is like the recording there is no size, and exit code 4', async () => {
    // As if its waits had been those of a larger pool.
    const goal = GOAL.with(1, '/fast p95 < 100ms');
    const { code, advice } = await advise('--trace', await rewrite('larger.jsonl', 20), ...goal);
    expect({ code, ...advice }).toMatchObject({
      ...{ code: 4, verdict: 'noPrediction', poolSize: null },
      reason: { code: 'ownRuns', figures: { route: '/fast', figure: 'p95', poolSize: 20 } },
    });
    const { lowMs, recordedMs } = advice.reason.figures;
    expect(recordedMs).toBeGreaterThan(2 * lowMs);
    expect(advice.words[1]).toContain(explainReason(advice.reason));
  });

  test('another recording that does not fit is a failed check, too', async () => {
    const other = await rewrite('other.jsonl', 16);
    const { code, advice } = await advise('--trace', RECORDED, '--check', other, ...GOAL);
    expect({ code, ...advice }).toMatchObject({ code: 4, check: { poolSize: 16, status: 'fails' } });
    expect((await advise('--trace', RECORDED, '--trace', other, ...GOAL)).code).toBe(4);
  });
});

test('what the common rule would do is left out where predict has no figures for its size', async () => {
  const trace = 'corpus/loads/transactions-on-few-documents/recorded-at-8.jsonl.gz';
  const options = ['--slo', '/b p95 < 60ms', '--headroom', '3', '--seeds', '59'];
  const { advice } = await advise('--trace', trace, ...options);
  expect(advice).toMatchObject({ verdict: 'size', poolSize: 8, rule: null });
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
