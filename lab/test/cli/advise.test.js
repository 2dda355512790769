import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { expectRefused, runCli } from '../support/run-cli.js';
import { scratchFolder } from 'test-support/cleanup.js';

const MINUTE = ['loadtests/users-and-admins.yaml'];
const SERVICES = ['--service', '/slow=500', '--service', '/fast=2'];
const folder = await scratchFolder();

/** @param {string[]} args */
const advise = (...args) => runCli(['advise', ...args]);

test('a size, in words and as JSON', async () => {
  const { code, stdout, stderr } = await advise(
    '--slo',
    '/fast p99 < 50ms',
    ...MINUTE,
    ...SERVICES,
    '--instances',
    '40',
    '--servers',
    '3',
    '--server-limit',
    '3000',
    '--json',
  );
  expect(code).toBe(0);
  const advice = JSON.parse(stdout);
  expect(advice).toMatchObject({
    lab: 'advise',
    verdict: 'size',
    fleet: { fits: true },
    settings: { slos: ['/fast p99 < 50 ms'], headroom: 1.3, seeds: 99 },
  });
  expect(stderr.split('\n')).toContain(`${advice.poolSize} connections are enough.`);
  expect(stderr).toContain('40 instances x 3 servers x');
  expect(Math.max(...stderr.split('\n').map((line) => line.length))).toBeLessThanOrEqual(80);
});

describe('ends with 1', () => {
  test('when nothing meets the goal', async () => {
    const { code, stdout, stderr } = await advise('--slo', '/fast p99 < 1ms', ...MINUTE, ...SERVICES, '--json');
    expect(code).toBe(1);
    expect(stderr).toMatch(/^No pool size meets the goal\./m);
    expect(JSON.parse(stdout)).toMatchObject({ verdict: 'nothing', poolSize: null });
  });

  test('when the goal is below the noise', async () => {
    const { code, stdout, stderr } = await advise(
      '--slo',
      '/fast p99 < 5ms',
      ...MINUTE,
      ...SERVICES,
      '--explain',
      '--json',
    );
    expect(code).toBe(1);
    expect(stderr).toMatch(/^No verdict: the goal is below the noise\./m);
    expect(stderr.replaceAll(/\s+/g, ' ')).toMatch(
      /A goal of 12 ms or more gets a verdict\. The times cover only the wait/,
    );
    expect(JSON.parse(stdout)).toMatchObject({ verdict: 'belowNoise', poolSize: null });
  });

  test('when there is not enough data', async () => {
    const { code, stdout, stderr } = await advise('--slo', '/slow p99 < 9s', ...MINUTE, ...SERVICES);
    expect({ code, stderr }).toEqual({ code: 1, stderr: '' });
    expect(stdout.replaceAll(/\s+/g, ' ')).toMatch(
      /^Not enough data\. The load has \d+ requests to \/slow, but "\/slow p99 < 9 s" needs at least 299: /,
    );
  });

  test('when the servers do not accept that many', async () => {
    const options = ['--headroom', '1', '--server-limit', '2'];
    const { code, stdout } = await advise('--slo', '/slow p50 < 2s', ...MINUTE, ...SERVICES, ...options);
    expect({ code, stdout }).toEqual({ code: 1, stdout: expect.stringMatching(/they do not fit/) });
  });
});

describe('a recording is checked', () => {
  const RECORDED = 'examples/ordinary-minute.jsonl';
  const GOAL = ['--slo', '/fast p50 < 100ms', '--headroom', '1', '--seeds', '59'];

  /**
   * @param {string} name
   * @param {number} maxPoolSize that the recording says
   * @param {(line: any) => object} [change]
   */
  async function rewrite(name, maxPoolSize, change = (line) => line) {
    const [, ...lines] = (await readFile(RECORDED, 'utf8')).trim().split('\n');
    const all = [
      { trace: 'mongodb-pool-lab', version: 1, maxPoolSize },
      ...lines.map((line) => change(JSON.parse(line))),
    ];
    await writeFile(path.join(folder, name), all.map((line) => JSON.stringify(line)).join('\n'));
    return path.join(folder, name);
  }

  test('where the check fails there is no size, what would be needed, and exit code 4', async () => {
    // As if its waits had been those of a larger pool.
    const { code, stdout, stderr } = await advise('--trace', await rewrite('larger.jsonl', 20), ...GOAL, '--json');
    expect(code).toBe(4);
    expect(JSON.parse(stdout)).toMatchObject({ verdict: 'noPrediction', poolSize: null, check: { status: 'fails' } });
    expect(stderr.replaceAll(/\s+/g, ' ')).toMatch(
      /No size: .* The check fails: .* A second recording at another pool size .* or a sweep, would show/,
    );
    expect(stderr).not.toMatch(/enough/);
  });

  test('where requests piled up on a full server there is no size either, unless its cores are given', async () => {
    const file = path.join(folder, 'full.jsonl');
    // Four at once share two cores, so that a query takes 44 ms: 91 in a second, and 100 arrive.
    const freeAtMs = [0, 0, 0, 0];
    const lines = Array.from({ length: 600 }, (_, index) => {
      const askedMs = 10 * index;
      const connection = freeAtMs.indexOf(Math.min(...freeAtMs));
      const waitMs = Math.max(0, freeAtMs[connection] - askedMs);
      freeAtMs[connection] = askedMs + waitMs + 44;
      return { askedMs, waitMs, useMs: 44, route: '/work' };
    });
    const all = [
      { trace: 'mongodb-pool-lab', version: 1, maxPoolSize: 4 },
      ...lines,
      { end: 'closed', server: { cores: 2, busyCores: 1.9 } },
    ];
    await writeFile(file, all.map((line) => JSON.stringify(line)).join('\n'));
    const goal = ['--slo', '/work p95 < 500ms', '--seeds', '59'];
    const { code, stdout } = await advise('--trace', file, ...goal);
    expect({ code, stdout: stdout.replaceAll(/\s+/g, ' ') }).toEqual({
      code: 4,
      stdout: expect.stringMatching(/^No size: .* Requests piled up on a full server\. .* Or set --server-cores\. $/),
    });
    const [silent, told] = await Promise.all(
      [[], ['--server-cores', '4']].map(async (cores) => {
        const options = ['--pool-sizes', '2,4', '--seeds', '19', '--json', ...cores];
        return JSON.parse((await runCli(['predict', '--trace', file, ...options])).stdout);
      }),
    );
    expect(silent).toMatchObject({ withheld: [2, 4], variants: [] });
    expect(told.variants).toHaveLength(2);
  });

  test('another recording that does not fit is a failed check, too', async () => {
    const other = await rewrite('other.jsonl', 16);
    const { code, stdout } = await advise('--trace', RECORDED, '--check', other, ...GOAL);
    expect({ code, stdout }).toEqual({ code: 4, stdout: expect.stringContaining('of the other recording, with 16') });
    expect((await advise('--trace', RECORDED, '--trace', other, ...GOAL)).code).toBe(4);
  });

  test('where nobody waited nothing was checked, and advice for a median stands', async () => {
    const file = await rewrite('calm.jsonl', 100, (line) => ({ ...line, waitMs: 0 }));
    const { code, stdout } = await advise('--trace', file, ...GOAL);
    expect(code).toBe(0);
    expect(stdout.split('\n').length).toBeLessThanOrEqual(26);
    expect(stdout.replaceAll(/\s+/g, ' ')).toMatch(
      /^\d+ connections? (is|are) enough\. Trust: where both readings agree/,
    );
    const explained = await advise('--trace', file, ...GOAL, '--explain');
    expect(explained.stdout).toMatch(/^Not checked: nobody waited/m);
    expect(explained.stdout).not.toContain('The check');
  });

  test('but a percentile that predict would not show gives no size', async () => {
    const file = await rewrite('calm.jsonl', 100, (line) => ({ ...line, waitMs: 0 }));
    const goal = ['--slo', '/fast p90 < 100ms', '--headroom', '1', '--seeds', '59'];
    const { code, stdout, stderr } = await advise('--trace', file, ...goal, '--json');
    expect(code).toBe(4);
    expect(JSON.parse(stdout)).toMatchObject({ verdict: 'noPrediction', check: { reason: 'nobodyWaited' } });
    expect(stderr.replaceAll(/\s+/g, ' ')).toMatch(/No size: .* Not checked: nobody waited .* would show/);
  });
});

describe('bad input is one clear message', () => {
  /** @type {[string, string[], RegExp][]} */
  const cases = [
    ['no goal', [...MINUTE, ...SERVICES], /--slo <goal>' not specified/],
    [
      'a bad goal',
      ['--slo', '/fast p99 50', ...MINUTE],
      /"\/fast p99 50" is not a goal: write it like '\/fast p99 < 50ms'/,
    ],
    ['a bad percentile', ['--slo', '/fast p98 < 50ms', ...MINUTE], /"p98" is not one of p50, /],
    ['an unknown route', ['--slo', '/fats p99 < 5ms', ...MINUTE, ...SERVICES], /no route \/fats, only \/fast, \/slow/],
    [
      'no load',
      ['--slo', '/fast p99 < 50ms', ...SERVICES],
      /^Nothing to predict: pass an Artillery scenario or --trace FILE/,
    ],
    [
      'headroom below 1',
      ['--slo', '/fast p99 < 50ms', ...MINUTE, '--headroom', '0.5'],
      /number from 1 to 100, such as 1\.3/,
    ],
    ['a driver', ['--slo', '/fast p99 < 50ms', ...MINUTE, ...SERVICES, '--driver', '3'], /unknown option '--driver'/],
    ['too few seeds', ['--slo', '/fast p99 < 50ms', ...MINUTE, ...SERVICES, '--seeds', '10'], /at least 59/],
    ['no instances', ['--slo', '/fast p99 < 50ms', ...MINUTE, '--instances', '0'], /--instances.*whole number from 1/],
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
