import { readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { createScenarioLoad, readWorkload } from 'mongodb-pool-predictor';
import { scratchFolder } from 'test-support/cleanup.js';
import { parseUpTo } from '../../cli/option-parsers.js';
import { expectRefused, runCli } from '../support/run-cli.js';
import { matchServices } from '../../cli/match-services.js';
import { parseAppUrl } from '../../cli/running-app.js';
import { serveHandler } from '../../../test/support/serve-app.js';
import { parseJson } from '../../base/read-json.js';
import { makeResultFolder, saveResult, toResult } from '../../cli/result-file.js';
import { showResult } from '../../cli/report-command.js';
import { mixed } from '../../labs/mixed/mixed-lab.js';
import { createSampleResult } from '../report/sample-result.js';

/** @import { Service } from 'mongodb-pool-predictor' */

describe('refused options', () => {
  test('a number has a maximum', () => {
    expect(parseUpTo(7)('7')).toBe(7);
    expect(() => parseUpTo(7)('8')).toThrow('It must be a whole number from 1 to 7.');
  });

  const TRACE = ['--trace', 'never-read.jsonl'];
  test.each([
    [
      '--headroom',
      '101',
      ['advise', ...TRACE, '--slo', '/a max < 1s'],
      'It must be a number from 1 to 100, such as 1.3.',
    ],
    ['--seeds', '10001', ['predict', ...TRACE], 'It must be a whole number from 1 to 10000.'],
    ['--workers', '1025', ['predict', ...TRACE], 'It must be a whole number from 1 to 1024.'],
    ['--repeat', '1001', ['run', 'mixed'], 'It must be a whole number from 1 to 1000.'],
    [
      '--every',
      '2147483648',
      ['record', '--url', 'http://127.0.0.1:1', '--out', 'never'],
      'It must be a whole number from 1 to 2147483647.',
    ],
    [
      '--seconds',
      '2147484',
      ['record', '--url', 'http://127.0.0.1:1', '--out', 'never'],
      'It must be a whole number from 1 to 2147483.',
    ],
  ])('%s %s is too large', async (option, value, args, message) => {
    await expectRefused(
      [...args, option, value],
      new RegExp(`^error: option '${option} <\\S+>' argument '${value}' is invalid. ${message}`),
    );
  });

  const APP = ['--', 'node', 'app.js'];
  const RECORDED = ['--trace', 'examples/ordinary-minute.jsonl'];

  test.each([
    [
      ['sweep', '--pool-sizes', '1', 'loadtests/mixed.yaml'],
      /^Which app\? Put the command that starts it last, as in -- node app\.js/,
    ],
    [['sweep', 'loadtests/mixed.yaml', ...APP], /required option '--pool-sizes/],
    [['sweep', '--pool-sizes', '0', ...APP], /--pool-sizes <list>' argument '0' is invalid/],
    [['sweep', '--pool-sizes', '1', ...APP], /Which load\? Give either an Artillery scenario, .*, or --load COMMAND\n/],
    [['sweep', '--pool-sizes', '1', 'loadtests/mixed.yaml', '--load', 'k6 run x.js', ...APP], /Which load\?.*not both/],
    [['case', '4'], /whole number from 1 to 3/],
    [['sweep', 'loadtests/mixed.yaml', 'b.yaml', '--pool-sizes', '1', ...APP], /^b\.yaml can't be read/],
    [['advise', 'loadtests/mixed.yaml', '--config', 'c.yaml', '--slo', '/fast p99 < 50ms'], /^c\.yaml can't be read/],
    [['predict', 'loadtests/mixed.yaml', '--variables', '5'], /must be a JSON object, such as '\{"rate": 5\}'/],
    [['predict', ...RECORDED, '--callers', '2'], /^2 callers can't have sent these requests/],
    [['advise', ...RECORDED, '--slo', '/fast p50 < 1s', '--callers', '2'], /^2 callers can't have sent these requests/],
    [['sweep', '--pool-sizes', '1', 'missing.yaml', ...APP], /missing\.yaml can't be read/],
    [['sweep', '--pool-sizes', '1', '--load', ' ', ...APP], /It is empty/],
    [['sweep', '--pool-sizes', '1', '--target', 'localhost', ...APP], /It must be a URL such as/],
    [['sweep', '--pool-sizes', '1', '--slo', '/fast < 5ms', ...APP], /is not a goal/],
    [['sweep', '--pool-sizes', '1', '--warm-up', '-1', ...APP], /It must be a number from 0 to 3600/],
    [['sweep', '--pool-sizes', '1', '--warm-up-paths', 'fast', ...APP], /Each path begins with \//],
  ])('%j is refused', async (args, message) => {
    await expectRefused(args, message);
  });

  test.each([
    [['run', 'mixed']],
    [['run', 'mixed', '--driver', '3']],
    [['sweep', 'loadtests/mixed.yaml', '--mongo', 'embedded', '--pool-sizes', '1', ...APP]],
  ])('%j without Artillery is refused before anything is started', async (args) => {
    const folder = await scratchFolder();
    const out = path.join(folder, 'result');
    // An embedded MongoDB needs a folder there, so starting one fails with other words.
    const nowhere = path.join(folder, 'nowhere');
    await expectRefused(
      [...args.slice(0, 2), '--out', out, ...args.slice(2)],
      /^This load needs Artillery, which is not installed\. Install it with: npm install\n$/,
      { without: 'artillery', env: { TMPDIR: nowhere, TEMP: nowhere, TMP: nowhere } },
    );
    expect(await readdir(folder)).toEqual([]);
  });

  const IN_A_FILE = 'package.json/x';

  test.each([
    [['run', 'mixed', '--out', IN_A_FILE], '--out'],
    [['sweep', '--pool-sizes', '1', '--load', 'true', '--out', IN_A_FILE, ...APP], '--out'],
    [['predict', 'loadtests/mixed.yaml', '--html', IN_A_FILE], '--html'],
    [['report', 'no-such-result.json', '--out', IN_A_FILE], '--out'],
    [['class', '--out', IN_A_FILE], '--out'],
  ])('%j is refused before the work', async (args, option) => {
    await expectRefused(
      args,
      new RegExp(`^package.json/x can't be written: not a directory\\. Choose another place with ${option}\n`),
      {
        env: { POOL_LAB_DATA: await scratchFolder() },
      },
    );
  });

  test.each([
    [['class']],
    [['workshop', 'guess', '1', '9']],
    [['workshop', 'verify', '1']],
    [['workshop', 'watch', '1']],
    [['workshop', 'hint', '1']],
    [['workshop', 'check-all']],
    [['workshop', 'reset']],
    [['workshop', 'leave']],
    [['workshop', 'join', 'ABC234', '--name', 'Ada', '--at', 'http://127.0.0.1:9']],
  ])('%j needs a folder for its data', async (args) => {
    await expectRefused(
      args,
      /^package.json\/x can't be written: not a directory\. Choose\s+another\s+place\s+with\s+POOL_LAB_DATA\n/,
      {
        env: { POOL_LAB_DATA: IN_A_FILE },
      },
    );
  });
});

describe('services', () => {
  const workload = readWorkload(`config: { target: http://shop.example, phases: [{ duration: 1, arrivalCount: 1 }] }
scenarios:
  - flow:
      - get: { url: /orders }
      - post: { url: /orders }
      - get: { url: /livez }
      - post: { url: /graphql, json: { operationName: GetUser } }
      - get: { url: https://cdn.example/logo }`);
  const scenario = { routes: createScenarioLoad(workload).routes, requests: workload.requests };
  const ROUTES = ['GET /orders', 'POST /orders', '/livez', '/graphql GetUser'];

  /** @param {number} ms @param {number} [queries] @returns {Service} */
  const fixed = (ms, queries) => ({ kind: 'fixed', ms, ...(queries && { queries }) });
  /** @type {Record<string, Service>} */
  const given = {
    'GET /orders': fixed(1),
    'POST /orders': fixed(2),
    '/livez': { kind: 'none' },
    '/graphql GetUser': fixed(3),
  };

  /** @param {Partial<Parameters<typeof matchServices>[1]>} times */
  const match = (times) => matchServices(scenario, { given: {}, measured: {}, queries: {}, ...times });

  test('the scenario has these routes', () => {
    expect(scenario.routes).toEqual(ROUTES);
  });

  test('an app names its routes by patterns', () => {
    const users = readWorkload(`config: { target: http://shop.example, phases: [{ duration: 1, arrivalCount: 1 }] }
scenarios: [{ flow: [{ get: { url: /users/42 } }, { get: { url: '/users/{{ id }}' } }, { put: { url: /users/7 } }] }]`);
    const { services } = matchServices(
      { routes: createScenarioLoad(users).routes, requests: users.requests },
      {
        given: {},
        queries: {},
        measured: { '/users/:id': fixed(3), 'PUT /users/:id': fixed(4) },
      },
    );
    expect(services).toEqual({ '/users/42': fixed(3), '/users/{{ id }}': fixed(3), '/users/7': fixed(4) });
  });

  describe('each route gets', () => {
    test('its own service time', () => {
      expect(match({ given })).toEqual({ services: given, warnings: [] });
    });

    test('or else that of its path, which is said where it does not tell routes apart', () => {
      const { services, warnings } = match({
        given: { '/livez': { kind: 'none' } },
        measured: { '/orders': fixed(5), '/graphql': fixed(6), '/livez': fixed(7) },
      });
      expect(services).toEqual({
        'GET /orders': fixed(5),
        'POST /orders': fixed(5),
        '/livez': { kind: 'none' },
        '/graphql GetUser': fixed(6),
      });
      expect(warnings).toEqual([
        'GET /orders and POST /orders have the same service time, that of /orders, which does not tell them ' +
          "apart. To give each its own: --service 'GET /orders=MS'",
      ]);
    });

    test('the given time rather than the measured one, even if that names its method', () => {
      expect(
        match({
          given: { '/orders': fixed(8), '/livez': fixed(1), '/graphql': fixed(1) },
          measured: { 'GET /orders': fixed(9) },
        }).services['GET /orders'],
      ).toEqual(fixed(8));
    });

    test('its number of queries: a measured time is divided, because it has all of them', () => {
      const { services, warnings } = match({
        given: { '/livez': { kind: 'none' }, 'POST /orders': fixed(4), '/graphql': fixed(5) },
        measured: { '/orders': { kind: 'sample', valuesMs: [3, 6] } },
        queries: { '/orders': 3, '/graphql GetUser': 2 },
      });
      expect(services).toEqual({
        'GET /orders': { kind: 'sample', valuesMs: [1, 2], queries: 3 },
        'POST /orders': fixed(4, 3),
        '/livez': { kind: 'none' },
        '/graphql GetUser': fixed(5, 2),
      });
      expect(warnings).toEqual(['GET /orders: the measured time covers all 3 queries, so each counts as 1/3 of it.']);
    });
  });

  test.each([
    [
      { given: { '/livez': fixed(1) } },
      'There is no service time for GET /orders, POST /orders, /graphql GetUser: give ' +
        "--service 'GET /orders=MS' --service 'POST /orders=MS' --service '/graphql GetUser=MS', or take them " +
        'from a running app (--app URL) or an earlier run (--from RESULT.json). ' +
        "A route that makes no query has none: --service 'GET /orders=none'",
    ],
    [
      { given: { ...given, '/carts': fixed(1) } },
      `--service /carts: the load has no such route, only ${ROUTES.join(', ')}`,
    ],
    [{ given: { ...given, '/orders': fixed(1), '/logo': fixed(1) } }, '--service /orders: the load has no such route'],
    [{ given, queries: { '/logo': 2 } }, '--queries /logo: the load has no such route'],
    [
      {
        given: {
          ...given,
          'GET /orders': /** @type {Service} */ ({
            kind: 'requests',
            requests: [{ queriesMs: [[1], [2]], restMs: 0 }],
          }),
        },
        queries: { 'GET /orders': 2 },
      },
      '--queries GET /orders=2: --service says which queries GET /orders makes',
    ],
    [{ given, queries: { '/livez': 2 } }, '--queries /livez=2: --service says that /livez makes none'],
  ])('%j is refused', (times, message) => {
    expect(() => match(times)).toThrow(message);
  });
});

describe('a running app', () => {
  const PASSWORD = 'p@ss/w:rd?#%é';

  test.each([
    'http://user:p@hunter2/x@host/',
    'http://user:1/hunter2@host/',
    'http://user:hunter2@',
    'hunter2',
    'mongodb://user:hunter2@host',
    'file:///hunter2',
    'http://user:80#hunter2@host/',
  ])('%s is refused, and nothing of it is shown', (url) => {
    expect(() => parseAppUrl('--app', url)).toThrow(/^--app is not the URL of an app(?!.*hunter2)/);
  });

  test('an empty user counts as no user', () => {
    expect(parseAppUrl('--app', 'http://:@127.0.0.1').url).toBe('http://127.0.0.1/');
  });

  test('user and password become a header, and are nowhere else', async () => {
    /** @type {(string | undefined)[]} */
    const seen = [];
    const stop = new AbortController();
    const checkouts = [{ id: 1, checkOutStartedAtMs: 1, checkedOutAtMs: 2, checkedInAtMs: 3 }];
    const at = await serveHandler((req, res) => {
      if (seen.push(req.headers.authorization) === 5) stop.abort();
      res.end(JSON.stringify({ max: 3, checkouts, lastId: 1, forgotten: 0 }));
    });
    const { port } = new URL(at);
    const out = path.join(await scratchFolder(), 'trace.jsonl');

    const url = `http://user:${encodeURIComponent(PASSWORD)}@127.0.0.1:${port}`;
    const { code, stderr } = await runCli(['record', '--url', url, '--out', out], { interrupt: stop.signal });

    expect({ code, stderr }).toEqual({
      code: 0,
      stderr: expect.stringContaining(`Recording http://127.0.0.1:${port}/ to`),
    });
    expect(new Set(seen)).toEqual(new Set([`Basic ${Buffer.from(`user:${PASSWORD}`).toString('base64')}`]));
    expect(await readFile(out, 'utf8')).toContain(`"url":"http://127.0.0.1:${port}/"`);
  });

  test.each([
    ['record', '--out', 'never.jsonl', '--url'],
    ['predict', 'loadtests/mixed.yaml', '--app'],
  ])('an app that does not run is an error of `%s` without the password', async (...args) => {
    await expectRefused(
      [...args, 'http://user:hunter2@127.0.0.1:1'],
      /^--(url|app) http:\/\/127\.0\.0\.1:1 does not answer GET \/pool \((?!.*hunter2)/,
    );
  });

  test.each([
    ['record', '--out', 'never.jsonl', '--url'],
    ['predict', 'loadtests/mixed.yaml', '--app'],
  ])('an answer that is not an object is an error of `%s`', async (...args) => {
    const url = await serveHandler((req, res) => {
      res.end('null');
    });
    const { code, stderr } = await runCli([...args, url]);
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: expect.stringMatching(
        new RegExp(`^${args.at(-1)} ${url}: GET /pool did not answer with a JSON object\nStart the app `),
      ),
    });
  });
});

describe('a result', () => {
  /** @param {unknown} value */
  const read = (value) => toResult(value, 'x.json');
  const [variant] = createSampleResult().variants;

  test('a result is read unchanged', () => {
    const result = createSampleResult({ warnings: ['the machine was busy'] });
    expect(read(result)).toEqual({ lab: expect.objectContaining({ name: 'mixed' }), result });
    expect(
      read({
        ...result,
        warnings: undefined,
        variants: [{ ...variant, measured: null, exact: undefined, repeats: undefined, error: 'ill' }],
      }),
    ).toBeTruthy();
  });

  test('a result of version 0.1 is read in the words of today', () => {
    const old = {
      ...createSampleResult(),
      lab: 'remedies',
      variants: [
        {
          name: 'cap of 3',
          settings: { remedy: 'cap', load: 'all', env: { SLOW_CONCURRENCY: 3 } },
          measured: null,
          runs: [{ measured: { requests: 1 }, arrivalsMs: [0] }],
        },
      ],
    };
    expect(read(old).result.variants).toEqual([
      {
        name: 'limit of 3',
        settings: { remedy: 'limit', load: 'all', env: { SLOW_CONCURRENCY: 3 } },
        measured: null,
        repeats: [{ measured: { requests: 1 }, arrivalsMs: [0] }],
      },
    ]);
  });

  test('causes that the lab saturation no longer has are left out, with a warning', () => {
    const measured = (/** @type {string} */ cause) => ({
      name: `${cause}: best`,
      settings: { cause, role: 'best', load: 'closed' },
      measured: null,
    });
    const old = {
      ...createSampleResult(),
      lab: 'saturation',
      variants: ['processor', 'hotDocument', 'tickets'].map(measured),
      warnings: ['busy'],
    };
    expect(read(old).result.variants.map(({ name }) => name)).toEqual(['processor: best']);
    const { table } = showResult('old.json', read(old), 200);
    expect(table).toContain('! busy\n\n! This result also has variants that the lab no longer measures.');
    const none = showResult('old.json', read({ ...old, variants: [measured('tickets')], warnings: undefined }), 200);
    expect(none.table).toContain('! This result also has');
  });

  test('a report shows a result of version 0.1 with its repeats', () => {
    const result = createSampleResult();
    const old = { ...result, variants: result.variants.map(({ repeats, ...rest }) => ({ ...rest, runs: repeats })) };
    const { page } = showResult('old.json', read(old));
    expect(page).toBe(showResult('new.json', read(result)).page);
    expect(page).toContain('0, 1001, 2003, 3002, 4004');
  });

  describe('anything else is refused, with the reason', () => {
    test.each([
      ['{', 'x.json is not JSON: '],
      ['null', 'x.json is not a result of pool-lab run or sweep: its "lab" must be one of mixed'],
      ['{"lab":"constructor","variants":[]}', 'its "lab" must be one of'],
      ['{"lab":["mixed"]}', 'its "lab" must be one of'],
    ])('%s', (text, message) => {
      expect(() => toResult(parseJson(text, 'x.json'), 'x.json')).toThrow(message);
    });

    test.each([
      [{ startedAt: 5 }, 'startedAt must be text'],
      [{ environment: null }, 'environment must be an object'],
      [{ settings: [] }, 'settings must be an object'],
      [{ warnings: [{ toString: 1 }] }, 'warnings[0] must be text'],
      [{ variants: {} }, 'variants must be a list'],
      [{ variants: [variant, null] }, 'variants[1] must be an object'],
      [{ variants: [{ ...variant, name: undefined }] }, 'variants[0].name must be text'],
      [{ variants: [{ ...variant, measured: 5 }] }, 'variants[0].measured must be an object'],
      [
        { variants: [{ ...variant, repeats: [{ measured: {}, arrivalsMs: ['x'] }] }] },
        'variants[0].repeats[0].arrivalsMs[0] must be a number',
      ],
    ])('%j', (changes, message) => {
      expect(() => read({ ...createSampleResult(), ...changes })).toThrow(
        `x.json is not a result of pool-lab run or sweep: ${message}`,
      );
    });
  });

  test.each([[{}], [{ ...variant.measured, routes: { '/fast': { maxMs: { toString: 1 } } } }]])(
    'a result without the figures of its lab is refused, too: %j',
    (measured) => {
      const entry = read(createSampleResult({ variants: [{ ...variant, measured }] }));
      expect(() => showResult('x.json', entry)).toThrow("x.json can't be shown: it lacks figures of mixed");
    },
  );

  test('a folder that can not be created is one clear line', async () => {
    const file = path.join(await scratchFolder(), 'file');
    await writeFile(file, '');
    const folder = path.join(file, 'results');
    await expect(saveResult(mixed, /** @type {any} */ ({}), folder)).rejects.toThrow(
      'The result is not saved: not a directory',
    );
  });

  test('runs that began in one second have a folder each', async () => {
    const results = path.join(await scratchFolder(), 'a', 'results');
    const run = { lab: 'mixed', startedAt: '2026-01-02T03:04:05.678Z' };
    await Promise.all([1, 2, 3].map(() => makeResultFolder(run, results)));
    expect(await readdir(results)).toEqual(['', '-2', '-3'].map((end) => `mixed-2026-01-02T03-04-05${end}`));
  });

  /** A file that takes nothing, as a full disk. */
  const onLinux = process.platform === 'linux' ? test : test.skip;

  onLinux.each([
    ['mixed.json', /^The result is not saved: .*mixed.json can't be written: no space left on device/, []],
    [
      'mixed.html',
      /^The result is saved in .*mixed.json, but there is no report: .*mixed.html can't be written: no space left on device/,
      ['mixed.json'],
    ],
  ])('a disk that is full at %s: it says what is saved', async (name, message, saved) => {
    const folder = await scratchFolder();
    await symlink('/dev/full', path.join(folder, `${name}.${process.pid}.partial`));
    await expect(saveResult(mixed, createSampleResult(), folder)).rejects.toThrow(message);
    expect(await readdir(folder)).toEqual(saved);
  });
});
