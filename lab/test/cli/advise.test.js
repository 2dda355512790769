import { writeFile } from 'node:fs/promises';
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
    const { code, stdout, stderr } = await advise('--slo', '/fast p99 < 5ms', ...MINUTE, ...SERVICES, '--json');
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
