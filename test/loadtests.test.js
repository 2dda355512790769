import { readFile, readdir } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { parse } from 'yaml';
import { readWorkload } from '../src/predict/scenario/workload.js';

const FOLDER = 'loadtests';
const files = (await readdir(FOLDER)).filter((name) => name.endsWith('.yaml'));

test('the promised scenarios are there', () => {
  expect(files).toEqual(expect.arrayContaining(
    ['burst.yaml', 'fast-only.yaml', 'mixed.yaml', 'ramp.yaml', 'remedies.yaml', 'slow-only.yaml', 'users-and-admins.yaml']));
});

describe.each(files)('%s', (name) => {
  const file = path.join(FOLDER, name);

  test('says what it teaches, has thresholds, and can be sent elsewhere', async () => {
    const text = await readFile(file, 'utf8');
    expect(text).toMatch(/^#.+\n(#.*\n)*# What it teaches: /);
    const { config } = parse(text);
    expect(config.plugins.ensure.thresholds.length).toBeGreaterThan(0);
    expect(config.environments).toMatchObject({ smoke: {}, remote: { target: '{{ $env.TARGET_URL }}' } });
  });

  test('can be predicted without a warning', async () => {
    expect(readWorkload(await readFile(file, 'utf8'), { file }).warnings).toEqual([]);
  });
});
