import { spawnSync } from 'node:child_process';
import { createServer } from 'node:http';
import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { createRandom, simulate } from 'mongodb-pool-predictor';
import { readTrace } from 'mongodb-pool-predictor/node';
import { createSampleResult } from '../report/sample-result.js';
import { describeCoverage, describePool, describeReplayed } from '../../predictions/describe-input.js';
import { explainCheck, explainHidden } from '../../predictions/explain-check.js';
import { describeSlowdown } from '../../predictions/explain-saturation.js';
import { expectRefused, runCli } from '../support/run-cli.js';
import { scratchFolder } from 'test-support/cleanup.js';
import { traceText } from 'test-support/trace-text.js';

const MIXED = 'loadtests/mixed.yaml';
const SERVICES = ['--service', '/slow=5000', '--service', '/fast=2'];
const folder = await scratchFolder();

/** @param {string[]} args */
const predict = (...args) => runCli(['predict', ...args]);

/** @param {string} stderr */
const widthOf = (stderr) => Math.max(...stderr.split('\n').map((line) => line.length));

test("the article's answers, without running anything", async () => {
  const html = path.join(folder, 'mixed.html');
  const { code, stdout, stderr } = await predict(
    MIXED,
    '--pool-sizes',
    '1,2,3,4,5,10',
    ...SERVICES,
    '--json',
    '--html',
    html,
  );
  expect(code).toBe(0);
  expect(widthOf(stderr)).toBeLessThanOrEqual(80);
  expect(stderr).toMatch(/^3 +1997 +7000$/m);
  expect(stderr).toMatch(/^5 to 10 +2 +5000$/m);

  const { lab, settings, variants, notes } = JSON.parse(stdout);
  expect(notes).toEqual([describeCoverage(undefined, ''), expect.stringContaining('a user takes 5 ms')]);
  expect({ lab, settings }).toMatchObject({
    lab: 'predict',
    settings: { scenario: MIXED, poolSizes: [1, 2, 3, 4, 5, 10] },
  });
  for (const [index, seconds] of [21, 11, 7, 6, 5, 5].entries()) {
    expect(Math.abs(variants[index].predicted.maxMs - seconds * 1000)).toBeLessThan(100);
  }
  expect(variants[0]).toMatchObject({
    name: 'pool 1',
    settings: { poolSize: 1 },
    predicted: {
      requests: 10,
      failures: 0,
      peakActive: 1,
      peakWaiting: 4,
      routes: { '/fast': { wait: { maxMs: 19_995 } } },
    },
  });
  expect(await readFile(html, 'utf8')).toMatch(/^<!doctype html>/i);
});

/**
 * The slowest /fast and /slow request in ms with pools of 1, 3 and 10, as `run mixed` and `run mixed --driver 3`
 * measured them: driver 7.8 and 3.4, Artillery 2.0.34, Node.js 20.20, two cores and nothing else on them.
 */
const MEASURED_MS = {
  7: [
    [20_045, 21_059],
    [2000, 7022],
    [7, 5016],
  ],
  3: [
    [20_036, 21_069],
    [1008, 9031],
    [8, 5028],
  ],
};

test.each(/** @type {const} */ ([7, 3]))(
  'driver %i: the second command of docs/experiments.md predicts what the first measures',
  async (driver) => {
    const text = await readFile('docs/experiments.md', 'utf8');
    const [, args] = text.match(/^npx pool-lab run mixed --driver 3\nnpx pool-lab (predict .*--driver 3.*)$/m) ?? [];
    const { stdout } = await runCli([...args.replace('--driver 3', `--driver ${driver}`).split(' '), '--json']);
    const { settings, variants } = JSON.parse(stdout);
    expect(settings).toMatchObject({ driver, poolSizes: [1, 3, 10] });
    const predicted = variants.map((/** @type {any} */ { predicted: { routes } }) => [
      routes['/fast'].maxMs,
      routes['/slow'].maxMs,
    ]);
    for (const [index, ms] of predicted.flat().entries()) {
      expect(Math.abs(ms - MEASURED_MS[driver].flat()[index])).toBeLessThan(100);
    }
  },
);

test('the answer is the first line on stdout, above the table, and stderr stays empty', async () => {
  const { stdout, stderr } = await predict(MIXED, '--pool-sizes', '3,6', ...SERVICES);
  expect(stderr).toBe('');
  expect(stdout).toMatch(/^Best guess: 4 to 5 connections, because .+^pool /ms);
});

test('service times of an earlier run', async () => {
  const file = path.join(folder, 'mixed.json');
  await writeFile(file, JSON.stringify(createSampleResult()));
  const { stdout } = await predict(MIXED, '--from', file, '--service', '/slow=100', '--json');
  expect(JSON.parse(stdout).settings.services).toEqual({
    '/slow': { kind: 'fixed', ms: 100 },
    '/fast': { kind: 'fixed', ms: 3.1 },
  });
});

describe('service times of a running app', () => {
  /** @type {import('node:http').Server[]} */
  const apps = [];
  afterAll(() => {
    for (const app of apps) app.close();
  });

  /** @param {object} pool what its GET /pool answers @returns {Promise<string>} its URL */
  async function serve(pool) {
    const app = createServer((req, res) => res.end(req.url === '/pool' ? JSON.stringify(pool) : '{}')).listen(
      0,
      '127.0.0.1',
    );
    apps.push(app);
    await once(app, 'listening');
    return `http://127.0.0.1:${/** @type {import('node:net').AddressInfo} */ (app.address()).port}`;
  }
  const urlOf = () => serve({ slowMs: 700 });

  test('are those of its GET /pool', async () => {
    const { stdout } = await predict(MIXED, '--app', await urlOf(), '--service', '/fast=2', '--json');
    expect(JSON.parse(stdout).settings.services['/slow']).toEqual({ kind: 'fixed', ms: 700 });
  });

  test('with its overhead and its pool settings, and the way to it', async () => {
    const pool = {
      services: { '/slow': { kind: 'fixed', ms: 100 }, '/fast': { kind: 'fixed', ms: 2 } },
      overhead: { kind: 'sample', valuesMs: [30, 40] },
      settings: { poolSize: 10, slowPoolSize: 2, waitQueueTimeoutMs: 50 },
    };
    const url = await serve(pool);
    const { stdout, stderr } = await predict(MIXED, '--app', url, '--pool-sizes', '1,2', '--explain', '--json');
    const { settings, variants, notes } = JSON.parse(stdout);
    expect(settings.pool).toEqual(pool.settings);
    const [first, second] = settings.overhead.valuesMs;
    expect(first).toBeGreaterThan(30);
    expect(second).toBeGreaterThan(40);
    // No user waits for the second client's two connections, and each comes 100 ms and more later.
    expect(variants[0].predicted).toMatchObject({
      failures: 0,
      low: { routes: { '/fast': { p50Ms: expect.any(Number) } } },
    });
    expect(variants[0].predicted.routes['/fast'].p50Ms).toBeGreaterThanOrEqual(32);
    const app = `the app at ${url}`;
    expect(notes).toEqual([
      describeCoverage(settings.overhead, `of ${app}`),
      describePool({ settings: pool.settings, app }),
    ]);
    const words = stderr.replaceAll(/\s+/g, ' ');
    for (const note of notes) expect(words).toContain(note);
  });

  test('for the pool as it is: what its wait-queue timeout ends fails', async () => {
    const pool = {
      services: { '/slow': { kind: 'fixed', ms: 5000 }, '/fast': { kind: 'fixed', ms: 2 } },
      settings: { poolSize: 10, waitQueueTimeoutMs: 4500 },
    };
    const { stdout } = await predict(MIXED, '--app', await serve(pool), '--pool-sizes', '1', '--json');
    expect(JSON.parse(stdout).variants[0].predicted.failures).toBeGreaterThan(0);
    const old = await predict(MIXED, '--app', await serve(pool), '--driver', '3', '--pool-sizes', '1', '--json');
    expect(JSON.parse(old.stdout).variants[0].predicted.failures).toBe(0);
    expect(JSON.parse(old.stdout).notes).toHaveLength(2);
  });

  test.each([
    [
      { slowMs: 1, settings: { poolSize: 'ten' } },
      /^--app http.*: its GET \/pool, settings\.poolSize must be a whole number/,
    ],
    [
      { slowMs: 1, overhead: { kind: 'sample', valuesMs: [] } },
      /^--app http.*: its GET \/pool, overhead: its mean must be/,
    ],
  ])('%j is refused', async (pool, message) => {
    await expectRefused(['predict', MIXED, '--app', await serve(pool), '--service', '/fast=2'], message);
  });

  test('what it does not report has to be given', async () => {
    await expectRefused(
      ['predict', MIXED, '--app', await urlOf()],
      /^There is no service time for \/fast: give --service \/fast=MS, or .*--app.*--from/,
    );
  });
});

describe('what other tools record', () => {
  const indices = Array.from({ length: 50 }, (_, index) => index);
  const csv = `start,use,route\n${indices.map((index) => `${index * 5},10,/a\n`).join('')}`;

  test('is refused with the way to convert it', async () => {
    const file = path.join(folder, 'queries.csv');
    await writeFile(file, csv);
    const { code, stderr } = await predict('--trace', file);
    expect(code).toBe(1);
    expect(stderr.replaceAll(/\s+/g, ' ')).toContain(
      `${file}, line 1: this is not a trace, which begins with {"trace":"mongodb-pool-lab","version":3. ` +
        'docs/trace-format.md shows how to make a trace of other files',
    );
  });

  test.each([
    ['CSV', csv],
    [
      'CSV with times',
      `start,wait,use,route\r\n${indices.map((index) => `${new Date(index * 5).toISOString()},0,10,/a\r\n`).join('')}`,
    ],
    [
      'JSON lines',
      indices.map((index) => `${JSON.stringify({ start: index * 5, wait: 0, use: 10, route: '/a' })}\n`).join('\n'),
    ],
  ])('can be converted by the script of docs/trace-format.md: %s', async (_, records) => {
    const { trace } = await convert(records);
    expect(trace).toMatchObject({ routes: ['/a'], warnings: [] });
    const { startedMs, waitMs, useMs } = trace.checkouts;
    expect(Array.from(startedMs)).toEqual(indices.map((index) => index * 5));
    expect([Array.from(waitMs), Array.from(useMs)]).toEqual([indices.map(() => 0), indices.map(() => 10)]);
  });

  test('and then be predicted, as far as it is known who waited for answers', async () => {
    const { file } = await convert(csv);
    const ask = async (/** @type {string[]} */ ...options) => {
      const { code, stdout } = await predict('--trace', file, '--pool-sizes', '1,3', '--seeds', '19', ...options);
      expect(code).toBe(0);
      return stdout;
    };
    /** @param {string} stdout @returns {{ measured: any, p50Ms: (number | null)[] }[]} the median, and its band */
    const read = (stdout) =>
      JSON.parse(stdout).variants.map((/** @type {any} */ { measured, predicted }) => ({
        measured,
        p50Ms: [predicted, predicted.low, predicted.high].map(({ routes }) => routes['/a'].p50Ms),
      }));
    const json = await ask('--json');
    expect(JSON.parse(json).hidden).toContainEqual({ code: 'wideBand', poolSizes: [1], isAll: true });
    const [one, three] = read(json);
    // Nothing counts as recorded, because the size of the pool is not known.
    expect([one.measured, three.measured]).toEqual([null, null]);
    // Two callers wait for one another. Of 50 arrivals, each waits 5 ms for each before it, give or take what the
    // resampled blocks add.
    const [ms, lowMs, highMs] = one.p50Ms.map((each) => each && Math.round(each));
    expect([ms, lowMs]).toEqual([null, 20]);
    expect(Math.abs(Number(highMs) - 132)).toBeLessThan(20);
    expect(Math.abs(Number(three.p50Ms[0]) - 10)).toBeLessThan(1);
    const text = await ask();
    expect(text).toMatch(new RegExp(`^ +1 +${lowMs}-${highMs} +20-\\d+ +– +20-\\d+$`, 'm'));
    const reason = { code: /** @type {const} */ ('wideBand'), figures: { fewest: 2 } };
    const why = explainHidden({ reason, poolSizes: [1], isAll: true });
    expect(text.replaceAll(/\s+/g, ' ')).toContain(why);
    const [arriving] = read(await ask('--json', '--callers', '0'));
    expect(Math.abs(Number(arriving.p50Ms[0]) - 132)).toBeLessThan(20);
  });

  test('is refused by line where the script found no time', async () => {
    await expect(convert('start,use\n0,10\n5,soon\n9,10\n')).rejects.toThrow(
      /, line 4: not a line of a trace: useMs must be a number of ms/,
    );
  });

  /** @param {string} records */
  async function convert(records) {
    const [, script = ''] = /```js\n([^]*?)```/.exec(await readFile('docs/trace-format.md', 'utf8')) ?? [];
    const [program, file] = [path.join(folder, 'to-trace.mjs'), path.join(folder, 'converted.jsonl')];
    await writeFile(program, script);
    const { status, stdout } = spawnSync(process.execPath, [program], { input: records, encoding: 'utf8' });
    expect(status).toBe(0);
    await writeFile(file, stdout);
    return { file, trace: await readTrace(file) };
  }
});

test('a warning names its line', async () => {
  const file = path.join(folder, 'warned.yaml');
  await writeFile(
    file,
    'config:\n  phases: [{ duration: 1, arrivalCount: 1 }]\n  http:\n    pool: 5\n' +
      'scenarios:\n  - flow:\n      - get: { url: /fast }\n',
  );
  const { code, stdout } = await predict(file, '--service', '/fast=2');
  expect(code).toBe(0);
  expect(stdout).toContain('warned.yaml, line 4: http.pool');
});

describe('what an app does', () => {
  const file = path.join(folder, 'shop.yaml');
  const flow = [
    'function: signIn',
    'get: { url: /orders }',
    'post: { url: /orders }',
    'get: { url: /livez }',
    'get: { url: https://cdn.example/logo.png }',
    'get: { url: "{{ url }}" }',
  ];
  const services = '--service /orders=50 --service /livez=none --service /new=10 --service /sale=20'.split(' ');

  beforeAll(async () => {
    await writeFile(path.join(folder, 'pages.csv'), '/new\n/sale\n/sale\n');
    await writeFile(
      file,
      `config:
  target: http://shop.example
  phases: [{ duration: 2, arrivalRate: 150, mode: poisson }]
  payload: { path: pages.csv, fields: [url] }
scenarios:
  - flow:
${flow.map((step) => `      - ${step}\n`).join('')}`,
    );
  });

  test('functions are refused with the option that leaves them out', async () => {
    const { code, stderr } = await predict(file, ...services);
    expect({ code, stderr }).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/line 7: the function step signIn .*--skip-functions/),
    });
  });

  test('each route has its queries, and each assumption a warning', async () => {
    const { code, stdout, stderr } = await predict(
      file,
      '--skip-functions',
      '--pool-sizes',
      '1,40',
      '--seeds',
      '19',
      '--workers',
      '1',
      ...services,
      '--queries',
      'POST /orders=3',
      '--json',
    );
    expect({ code, width: widthOf(stderr) <= 80 }).toEqual({ code: 0, width: true });
    const {
      settings,
      variants: [small, large],
      load,
      warnings,
    } = JSON.parse(stdout);
    expect(settings).toMatchObject({
      skipFunctions: true,
      services: {
        'GET /orders': { kind: 'fixed', ms: 50 },
        'POST /orders': { kind: 'fixed', ms: 50, queries: 3 },
        '/livez': { kind: 'none' },
      },
    });
    expect(small.predicted.routes['/livez'].maxMs).toBe(0);
    expect(small.predicted.routes['GET /orders'].p50Ms).toBeGreaterThan(1000);
    // Percentiles have an error of at most 0.4 %.
    expect(Math.abs(large.predicted.routes['POST /orders'].p50Ms - 150)).toBeLessThanOrEqual(0.6);
    expect(load.routes['/sale'].count / load.routes['/new'].count).toBeCloseTo(2, 0);
    expect(warnings.map((/** @type {string} */ text) => text.replace(file, 'shop.yaml'))).toEqual([
      expect.stringMatching(
        /^shop\.yaml, line 4: {{ url }}: each user takes a value of pages\.csv at random\. Its 2 values are/,
      ),
      expect.stringMatching(/^shop\.yaml, line 7: the function step signIn is left out/),
      expect.stringMatching(
        /^shop\.yaml, line 11: https:\/\/cdn\.example\/logo\.png goes to another host than the target/,
      ),
      expect.stringMatching(/^GET \/orders and POST \/orders have the same service time/),
      expect.stringMatching(/^shop\.yaml, mode poisson, with up to 150 users per second .*about 4 % fewer/),
    ]);
  });
});

test('a trace: bands from resampled minutes, and a check with another one', async () => {
  const file = 'examples/ordinary-minute.jsonl';
  const trace = ['--trace', file, '--check', file, '--first-seed', '100'];
  const { code, stdout, stderr } = await predict(...trace, '--pool-sizes', '8', '--seeds', '19', '--bands', '--json');
  expect(code).toBe(0);
  expect(widthOf(stderr)).toBeLessThanOrEqual(80);
  const { settings, check, variants, notes } = JSON.parse(stdout);
  expect(settings).toMatchObject({ seeds: 19, firstSeed: 100 });
  expect(check).toMatchObject({ poolSize: 8, status: 'holds' });
  expect(notes).toContain(explainCheck(check));
  const { low, high } = variants[0].predicted;
  expect(high.routes['/fast'].p95Ms).toBeGreaterThan(2 * low.routes['/fast'].p95Ms);
});

test('queries that share the cores of the server', async () => {
  const services = '--service /slow=work:110 --service /fast=work:1'.split(' ');
  const work = ['loadtests/remedies.yaml', ...services, '--pool-sizes', '2,64', '--seeds', '19', '--json'];
  const { code, stdout, stderr } = await predict(...work, '--server-cores', '1.5');
  expect(code).toBe(0);
  expect(widthOf(stderr)).toBeLessThanOrEqual(80);
  const {
    load,
    server,
    variants: [two, many],
  } = JSON.parse(stdout);
  expect(server).toEqual({ cores: 1.5 });
  expect(load.slowdown).toMatchObject({ route: '/slow', poolSize: 2, largerSize: 64 });
  expect(stderr.replaceAll(/\s+/g, ' ')).toContain(describeSlowdown(load.slowdown));
  expect(many.predicted.routes['/slow'].p99Ms).toBeGreaterThan(1.2 * two.predicted.routes['/slow'].p99Ms);
});

test('a trace whose server was full: it says so, and what it does not know', async () => {
  const work = { kind: /** @type {const} */ ('fixed'), ms: 0, workShare: 1 };
  const random = createRandom(1);
  const request = () => ({
    route: '/report',
    serviceMs: 20 * Math.exp(0.5 * random.normal()),
    thinkMs: random.exponential(),
  });
  const { records = [] } = simulate({
    arrivals: Array.from({ length: 12 }, (_, caller) => ({
      atMs: 0.37 * caller,
      untilMs: 2500,
      requests: Array.from({ length: 500 }, request),
    })),
    pool: { maxPoolSize: 4 },
    server: { cores: 2 },
    services: { '/report': work },
    keepRequests: true,
  });
  const checkouts = records
    .toSorted((a, b) => a.arrivedAtMs - b.arrivedAtMs)
    .map(({ user, route, arrivedAtMs: atMs, waitMs, finishedAtMs }) => ({
      ...{ atMs, waitMs, useMs: finishedAtMs - atMs - waitMs, route, socket: user + 1 },
    }));
  /** @param {string} name @param {object} [end] */
  const write = async (name, end) => {
    const file = path.join(folder, name);
    await writeFile(file, traceText({ poolSize: 4, checkouts, end }));
    return file;
  };
  const options = ['--pool-sizes', '1,4,12', '--seeds', '19', '--json'];
  const told = await predict(
    '--trace',
    await write('told.jsonl', { server: { cores: 2, busyCores: 1.97, otherBusyCores: 0.1 } }),
    ...options,
  );
  const { server, variants } = JSON.parse(told.stdout);
  expect(server).toMatchObject({ cores: 1.97, source: 'recorded', workShares: { '/report': 1 }, seen: 4 });
  expect(server).not.toHaveProperty('aloneMs');
  const [one, four, twelve] = variants.map((/** @type {any} */ { predicted }) => predicted.routes['/report'].p50Ms);
  // As many queries a second with any of them, and half as many with one.
  expect(Math.abs(twelve / four - 1)).toBeLessThan(0.15);
  expect(one / four).toBeGreaterThan(1.7);

  const silent = await predict('--trace', await write('silent.jsonl'), ...options);
  expect(JSON.parse(silent.stdout)).toMatchObject({ variants: [], withheld: [1, 4, 12] });
  const file = path.join(folder, 'told.jsonl');
  const never = await predict('--trace', file, '--server-cores', 'none', ...options, '--pool-sizes', '4');
  expect(JSON.parse(never.stdout)).not.toHaveProperty('server');
});

test('a scenario may be in several files, with values from outside, as for Artillery', async () => {
  const [flow, more, config] = await Promise.all(
    Object.entries({
      flow: 'scenarios: [ { flow: [ { get: { url: "{{ $env.PREFIX }}/a" } } ] } ]',
      more: 'scenarios: [ { flow: [ {}, { get: { url: /b } } ] } ]',
      config: `config:
  phases: [ { duration: 1, arrivalCount: "{{ $env.USERS }}" }, { duration: 1, arrivalCount: "{{ n }}" } ]`,
    }).map(async ([name, text]) => {
      const file = path.join(folder, `${name}.yaml`);
      await writeFile(file, text);
      return file;
    }),
  );
  const args = ['predict', flow, more, '-c', config, '-v', '{"n": 4}', '--service', '/v1/a=2', '--service', '/b=3'];
  const { stdout } = await runCli([...args, '--json'], { env: { PREFIX: '/v1', USERS: '3' } });
  const { settings, variants, warnings } = JSON.parse(stdout);
  expect(variants[0].predicted.requests).toBe(14);
  expect(Object.keys(variants[0].predicted.routes)).toEqual(['/v1/a', '/b']);
  expect(settings).toMatchObject({ scenario: `${flow} ${more}`, config, variables: { n: 4 } });
  expect(warnings).toEqual([]);
  await expectRefused(args, /config\.yaml, line 2: .*"\{\{ \$env\.USERS \}\}"\nSet USERS in the environment/);
});

test('which part of a long trace is replayed is said in words', () => {
  const replayed = { checkouts: 9986, of: 812_000, pieces: 5, pieceMs: 2250, busiestMs: 752_000 };
  expect(describeReplayed(/** @type {any} */ ({ replayed }))).toEqual([
    'The trace is long: 9,986 of its 812,000 checkouts are replayed, in 5 pieces of 2.3 s spread over it. One of ' +
      'them is in its busiest minute, which begins after 752.0 s.',
  ]);
  expect(describeReplayed(/** @type {any} */ ({}))).toEqual([]);
});
