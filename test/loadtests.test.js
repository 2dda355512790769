import { readFile, readdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterEach, describe, expect, test } from '@jest/globals';
import { parse } from 'yaml';
import { readWorkload } from 'mongodb-pool-predictor';
import { scratchFolder } from 'test-support/cleanup.js';

const FOLDER = 'loadtests';
const files = (await readdir(FOLDER)).filter((name) => name.endsWith('.yaml'));

test('the promised scenarios are there', () => {
  expect(files).toEqual(
    expect.arrayContaining([
      'burst.yaml',
      'fast-only.yaml',
      'mixed.yaml',
      'ramp.yaml',
      'remedies.yaml',
      'slow-only.yaml',
      'users-and-admins.yaml',
    ]),
  );
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

  test('goes to the PORT of the app, and shows figures by route in the terminal', async () => {
    const { config, scenarios } = parse(await readFile(file, 'utf8'));
    expect(config).toMatchObject({ target: 'http://127.0.0.1:{{ $env.PORT }}', processor: './find-app.js' });
    expect(scenarios.map((/** @type {any} */ { beforeRequest }) => beforeRequest)).toEqual(
      scenarios.map(() => 'findApp'),
    );
    expect(config.plugins['metrics-by-endpoint']).toEqual({ stripQueryString: true });
  });

  test('can be predicted without a warning', async () => {
    const text = await readFile(file, 'utf8');
    for (const environment of [undefined, 'smoke', 'remote']) {
      expect(readWorkload(text, { file, environment }).warnings).toEqual([]);
    }
  });
});

describe('without PORT in the environment', () => {
  const home = process.cwd();
  afterEach(() => process.chdir(home));

  test.each([
    ['no .env', undefined, 3000],
    ['a .env without it', 'SLOW_MS=500\n', 3000],
    ['a .env with it', 'PORT="3100" # ours\n', 3100],
  ])("%s: the port is the app's own", async (name, env, port) => {
    process.chdir(await scratchFolder());
    if (env) await writeFile('.env', env);
    const { findApp } = await import(`../loadtests/find-app.js?${name}`);
    const context = { vars: { target: 'http://127.0.0.1:undefined' } };
    for (const target of ['http://127.0.0.1:undefined', 'http://127.0.0.1:']) {
      const request = { url: `${target}/slow?of=1` };
      await findApp(request, context);
      expect([request.url, context.vars.target]).toEqual([
        `http://127.0.0.1:${port}/slow?of=1`,
        `http://127.0.0.1:${port}`,
      ]);
    }
  });

  test('another target stays as it is', async () => {
    const { findApp } = await import('../loadtests/find-app.js');
    const target = 'http://127.0.0.1:8080';
    const [request, context] = [{ url: `${target}/slow` }, { vars: { target } }];
    await findApp(request, context);
    expect([request.url, context.vars.target]).toEqual([`${target}/slow`, target]);
  });
});
