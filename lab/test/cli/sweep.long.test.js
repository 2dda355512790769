import { copyFile, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { sharedMongoUrl } from 'test-support/mongod.js';
import { printCommand } from '../../../src/base/printable.js';
import { describeEnvironment } from '../../harness/environment.js';
import { hasProcess, interruptCommand } from '../support/interrupt-command.js';
import { runCli } from '../support/run-cli.js';
import { runNode } from 'test-support/processes.js';
import { scratchFolder } from 'test-support/cleanup.js';

/** @import { CommandState } from '../support/interrupt-command.js' */

const ARTICLE = [process.execPath, path.resolve('examples/article-app.js')];
const ODD = [process.execPath, path.resolve('lab/test/sweep/apps/odd-app.js')];

/** Uses /proc to find the processes of a command. */
const onLinux = process.platform === 'linux' ? test.concurrent : test.skip;

const GOAL = ['--slo', '/fast max < 60s'];
const folder = await scratchFolder();
const [items, article] = await Promise.all([['/items'], ['/slow', '/fast']].map(writeScenario));

/** Three users within a second, who request these. @param {string[]} urls */
async function writeScenario(urls) {
  const file = path.join(folder, `${urls.length}.yaml`);
  const config = { target: 'http://127.0.0.1:3000', phases: [{ duration: 1, arrivalCount: 3 }] };
  await writeFile(file, JSON.stringify({ config, scenarios: [{ flow: urls.map((url) => ({ get: { url } })) }] }));
  return file;
}

/** @param {string[]} options @param {string[]} command @param {Record<string, string>} [env] */
async function sweep(options, command, env = {}) {
  const out = await scratchFolder();
  const ran = await runNode(['lab/cli.js', 'sweep', '--out', out, ...options, '--', ...command], {
    env: { MONGODB_URI: sharedMongoUrl(), ...env },
  });
  return { ...ran, out };
}

test.concurrent("the article's own app, unchanged: it is measured and predicted at each size", async () => {
  const config = path.join(folder, 'config.yaml');
  await writeFile(config, 'config: { phases: [ { duration: "{{ $env.SECONDS }}", arrivalCount: "{{ users }}" } ] }');
  const { code, stdout, stderr, out } = await sweep(
    // On a busy machine, only so long a goal is sure to be met.
    [...['--pool-sizes', '1,10', article, '-c', config, '-v', '{"users": 2}'], ...GOAL, '--warm-up', '0.2', '--json'],
    ARTICLE,
    { SLEEP_MS: '1500', SECONDS: '1' },
  );
  expect({ code, stderr }).toEqual({
    code: 0,
    stderr: expect.stringMatching(/The app uses the MongoDB at 127\.0\.0\.1:\d+\. [^]*1, 10\s+instead of 10\./),
  });
  const { variants, settings, advice } = JSON.parse(stdout);
  for (const { measured, predicted } of variants) {
    expect(measured).toMatchObject({
      requests: 4,
      failures: 0,
      usersPlanned: 2,
      usersSent: 2,
      routes: { '/slow': { count: 2, queries: 1 }, '/fast': { count: 2 } },
    });
    expect(predicted.requests).toBe(4);
  }
  const [one, ten] = variants.map((/** @type {any} */ { measured }) => measured.pool.peakActive);
  expect(one).toBe(1);
  expect(ten).toBeGreaterThan(1);
  expect(settings).toMatchObject({ poolSizes: [1, 10], ownPoolSizes: [10], goals: ['/fast max < 60 s'] });
  expect(advice.words[0]).toMatch(
    /^(?:\d+ connections? meets? .* at the load measured at pool size 1?[01]\b.*\. )?Measured: the goal is met at pool size 1, 10\./,
  );

  // `report` shows it again, also beside another one.
  const result = path.join(out, 'sweep.json');
  const page = path.join(out, 'page.html');
  const report = await runCli(['report', result, result, '--out', page]);
  expect({ code: report.code, stdout: report.stdout }).toEqual({
    code: 0,
    stdout: expect.stringContaining('Your app at several pool sizes'),
  });
  expect(await readFile(page, 'utf8')).toContain(advice.words[0].replaceAll('<', '&lt;'));
});

test.concurrent('another load generator: it gets the URL, and its exit code counts', async () => {
  const send = "fetch(process.env.TARGET_URL + '/fast')";
  const end = '(answer) => process.exit(answer.status === 200 ? Number(process.env.END) : 9)';
  const load = `${process.execPath} -e "${send}.then(${end})"`;
  const options = ['--pool-sizes', '1,2', '--load', load, '--warm-up', '0.2', '--warm-up-paths', '/fast', '--json'];
  const good = await sweep(options, ARTICLE, { END: '0' });
  expect({ code: good.code, stderr: good.stderr }).toEqual({ code: 0, stderr: expect.any(String) });
  const [{ measured, predicted }] = JSON.parse(good.stdout).variants;
  expect(measured).toMatchObject({ requests: 1, failures: 0, routes: { '/fast': { count: 1 } } });
  expect(predicted.requests).toBe(1);
  const bad = await sweep(options.with(1, '1'), ARTICLE, { END: '99' });
  expect({ code: bad.code, stderr: bad.stderr }).toEqual({
    code: 1,
    stderr: expect.stringMatching(/pool 1 did not run: the load\s+command ended with exit code 99/),
  });
});

test.concurrent('what failed is listed by status and route, whatever sends the load', async () => {
  const load = `${process.execPath} -e "fetch(process.env.TARGET_URL + '/items')"`;
  const common = ['--pool-sizes', '1', '--warm-up', '0', '--warm-up-paths', '/items', '--json'];
  const limited = [...ODD, 'limited'];
  const scenario = await sweep([...common, items], limited);
  expect({ code: scenario.code, error: JSON.parse(scenario.stdout).variants[0].error }).toEqual({
    code: 1,
    error: '3 x HTTP 429 of /items',
  });
  const accepted = await sweep([...common, '--load', load], limited);
  expect({ code: accepted.code, warnings: JSON.parse(accepted.stdout).warnings }).toEqual({
    code: 0,
    warnings: expect.arrayContaining(['pool 1: requests failed: 1 x HTTP 429 of /items']),
  });
  const refused = await sweep([...common, '--load', `${load} && exit 7`], limited);
  expect(refused.code).toBe(1);
  expect(JSON.parse(refused.stdout).variants[0].error).toMatch(
    /^the load command ended with exit code 7: [^]+\nRequests failed: 1 x HTTP 429 of \/items$/,
  );
});

test.concurrent('exit code 1 when no size meets the goals', async () => {
  const load = `${process.execPath} -e "fetch(process.env.TARGET_URL + '/items')"`;
  const options = ['--pool-sizes', '1', '--load', load, '--slo', '/items max < 0.001ms', '--warm-up-paths', '/items'];
  const { code, stdout } = await sweep(options, ODD);
  expect({ code, stdout }).toEqual({
    code: 1,
    stdout: expect.stringMatching(/Measured:\s+the\s+goal\s+is\s+met\s+at\s+none\s+of\s+these\s+pool\s+sizes\./),
  });
});

test.concurrent('a route that got slower than in the baseline: it is said first, and the exit code is 1', async () => {
  const load = `${process.execPath} -e "fetch(process.env.TARGET_URL + '/slow')"`;
  const options = [
    '--pool-sizes',
    '1,2',
    '--load',
    load,
    '--repeat',
    '3',
    '--warm-up',
    '0',
    '--warm-up-paths',
    '/slow',
  ];
  const measured = { requests: 1, failures: 0, routes: { '/slow': { count: 1, p95Ms: 10, maxMs: 10 } } };
  const repeats = Array.from({ length: 3 }, () => ({ measured }));
  const baseline = path.join(await scratchFolder(), 'before.json');
  await writeFile(
    baseline,
    JSON.stringify({
      lab: 'sweep',
      startedAt: new Date().toISOString(),
      environment: describeEnvironment(null),
      settings: { load: printCommand(load.split(' ')) },
      variants: [1, 2].map((poolSize) => ({ name: `pool ${poolSize}`, settings: { poolSize }, measured, repeats })),
    }),
  );
  const after = await sweep([...options, '--baseline', baseline], ARTICLE, { SLEEP_MS: '900' });
  expect({ code: after.code, stdout: after.stdout }).toEqual({
    code: 1,
    stdout: expect.stringMatching(/^From the baseline to this run, \/slow \(max .+\sgot\sworse\./s),
  });
  const other = await sweep(['--pool-sizes', '7', items, '--baseline', baseline], ARTICLE);
  expect({ code: other.code, stderr: other.stderr }).toEqual({
    code: 1,
    stderr: `--baseline ${baseline} has other pool sizes: 1, 2\n`,
  });
});

test.concurrent('one client of several gets other sizes, and is predicted', async () => {
  const send = "(_, i) => fetch(process.env.TARGET_URL + (i % 2 ? '/web' : '/reports'))";
  const load = `${process.execPath} -e "Promise.all(Array.from({ length: 8 }, ${send}))"`;
  const options = [
    '--pool-sizes',
    '1,2',
    '--load',
    load,
    '--warm-up',
    '0.2',
    '--warm-up-paths',
    '/web,/reports',
    '--json',
  ];
  const two = [process.execPath, path.resolve('lab/test/sweep/apps/two-clients.js')];
  const { code, stdout, stderr } = await sweep([...options, '--client', 'reports', '--slo', '/orders p95 < 1s'], two);
  expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringMatching(/client\s+reports\s+is\s+replaced/) });
  const { variants, settings, advice } = JSON.parse(stdout);
  expect(advice.words[0]).toBe(
    'Measured: no verdict about the goal at pool size 1, 2, from too few requests. ' +
      'No request went to /orders, only to /reports, /web.',
  );
  expect(settings).toMatchObject({ client: 'reports', ownPoolSizes: [5] });
  expect(variants.map((/** @type {any} */ { measured }) => [measured.requests, measured.pool.peakActive])).toEqual([
    [8, 1],
    [8, 2],
  ]);
  // The pool of the other client has no queue, so its queries are a part of the rest.
  for (const { measured, predicted } of variants) {
    expect(predicted.requests).toBeGreaterThan(0);
    expect(measured.routes['/web'].waitP95Ms).toBe(0);
  }
  const none = await sweep([...options, '--client', 'orders'], two);
  expect({ code: none.code, stderr: none.stderr }).toEqual({
    code: 1,
    stderr: expect.stringContaining('The app has no client orders, only web, reports'),
  });
});

test.concurrent('the workers of a cluster are instances of one app', async () => {
  const load = `${process.execPath} -e "Promise.all(Array.from({ length: 8 }, () => fetch(process.env.TARGET_URL)))"`;
  const options = ['--pool-sizes', '1', '--load', load, '--warm-up', '0.2', '--warm-up-paths', '/', '--json'];
  const { stdout } = await sweep(options, [process.execPath, path.resolve('lab/test/sweep/apps/cluster-app.js')]);
  const { variants, warnings } = JSON.parse(stdout);
  expect(variants[0].measured).toMatchObject({ requests: 8, pool: { peakActive: 2 } });
  expect(warnings).toContain('pool 1: the app has 2 instances, each with a pool of this size: nothing is predicted');
});

describe("an app that can't be measured", () => {
  test.concurrent.each([
    ['ends', [], /the app ended by itself \(exit code 3\)\. The app's last output:\n[^]*the configuration is missing/],
    ['silent', ['--start-timeout', '1'], /the app opened no port within 1 s/],
    ['no-client', [], /no MongoClient of the app connected/],
    ['unknown-driver', [], /the app's client is not watched: sockets to port \d+, but no client found\. A bundle must/],
    [
      'none',
      ['--target', 'http://127.0.0.1:1', '--start-timeout', '1'],
      /nothing listens at http:\/\/127\.0\.0\.1:1 after 1 s/,
    ],
  ])('%s', async (fault, options, message) => {
    const { code, stdout, stderr } = await sweep(['--pool-sizes', '1,2', items, ...options], [...ODD, fault]);
    expect({ code, stdout, stderr }).toEqual({ code: 1, stdout: '', stderr: expect.stringMatching(message) });
  });

  onLinux('another runtime: it says what runs, and does not wait for the monitor', async () => {
    const bun = path.join(await scratchFolder(), 'bun');
    await copyFile(process.execPath, bun);
    const app = ['env', '-u', 'NODE_OPTIONS', bun, '-e', "require('http').createServer().listen(0)"];
    const { code, stderr } = await sweep(['--pool-sizes', '1', items], app);
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: expect.stringMatching(/^port \d+ can't be watched\. Process \d+ is not Node\.js: it runs bun\. /),
    });
  });

  test.concurrent('no MongoDB: it says so and what starts one, without the objects of the driver', async () => {
    const { code, stderr } = await sweep(['--pool-sizes', '1', article], ARTICLE, {
      MONGODB_URI: 'mongodb://127.0.0.1:1/?serverSelectionTimeoutMS=8000',
    });
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: expect.stringMatching(
        /^! no\s+MongoDB\s+answers\s+process\s+\d+\s+at\s+127\.0\.0\.1:1\.\s[^]+--mongo\s+embedded[^]+\nMongoServerSelectionError: .+\n +at /,
      ),
    });
    expect(stderr).not.toContain('TopologyDescription');
  });

  test.concurrent('a command that does not exist', async () => {
    const { code, stderr } = await sweep(['--pool-sizes', '1', items], ['/no/such/command']);
    expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining('ENOENT') });
  });

  test.concurrent('a scenario for another app', async () => {
    const { code, stderr } = await sweep(
      ['--pool-sizes', '1', 'loadtests/fast-only.yaml', '--warm-up-paths', '/nothing'],
      ODD,
    );
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: expect.stringMatching(/GET \/fast \(loadtests\/fast-only\.yaml, line \d+\) answers 404/),
    });
  });

  test.concurrent('a database on another machine, and nobody to ask', async () => {
    // A network for documentation, RFC 5737.
    const { code, stderr } = await sweep(['--pool-sizes', '1', items], [...ODD, 'elsewhere'], {
      MONGODB_URI: 'mongodb://192.0.2.1:27017/',
    });
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: expect.stringMatching(
        /uses the MongoDB at 192\.0\.2\.1:27017, which is not on this machine\.[^]*add --yes/,
      ),
    });
  });
});

onLinux('a signal ends the app and whatever it started', async () => {
  const shell = ['sh', '-c', `${ARTICLE.join(' ')}; true`];
  const moments = /** @type {const} */ ([
    ['SIGINT', 130, (/** @type {CommandState} */ { said }) => said.includes('The app uses the MongoDB')],
    ['SIGTERM', 143, hasProcess('artillery')],
  ]);
  for (const [signal, code, when] of moments) {
    const args = ['sweep', '--pool-sizes', '1,2', path.resolve('loadtests/mixed.yaml'), '--', ...shell];
    const env = { MONGODB_URI: sharedMongoUrl() };
    const ended = await interruptCommand(args, { folder, when, signal, env });
    expect(ended).toMatchObject({ code, left: [], stderr: expect.stringContaining('Interrupted') });
  }
});
