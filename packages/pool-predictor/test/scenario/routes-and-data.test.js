import { mkdtempSync, rmSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterAll, describe, expect, test } from '@jest/globals';
import { readWorkload } from '../../src/scenario/read-workload.js';
import { readScenario } from '../../src/node/input-files.js';
import { parseDurationMs } from '../../src/base/duration.js';
import { quantile } from '../../src/base/sample-statistics.js';

describe('routes', () => {
  /** @param {string[]} steps @param {string} [target] */
  function read(steps, target = 'http://shop.example/') {
    return readWorkload(`config: { target: "${target}", phases: [{ duration: 1, arrivalCount: 1 }] }
scenarios:
  - flow:
${steps.map((step) => `      - ${step}\n`).join('')}`);
  }

  /** @param {import('../../src/simulator/flow.js').FlowStep[]} steps @returns {string[]} */
  const routesOf = (steps) =>
    steps.flatMap((step) => (step.kind === 'loop' ? routesOf(step.steps) : step.kind === 'request' ? step.route : []));

  const GRAPHQL = 'query GetUser($id: ID!) { user(id: $id) { name } }';

  describe('routes are named by', () => {
    test.each([
      ['the path', ['get: { url: /a?x=1 }', 'post: { url: "/b#top" }', 'get: { url: /a }'], ['/a', '/b', '/a']],
      [
        'method and path where a path has several methods',
        [
          'get: { url: /a }',
          'loop: [{ post: { url: /a?x=1 } }, { get: { url: /b } }]\n        count: 2',
          'get: { url: /a }',
        ],
        ['GET /a', 'POST /a', '/b', 'GET /a'],
      ],
      [
        'the name of a GraphQL operation',
        [
          `post: { url: /graphql, json: { query: "${GRAPHQL}" } }`,
          'post: { url: /graphql, json: { query: "{ a }", operationName: GetCart } }',
          'post: { url: /graphql, json: { operationName: Persisted, extensions: {} } }',
          'post: { url: /, json: { query: "fragment F on User { id }\\n  mutation AddUser { add { ...F } }" } }',
        ],
        ['/graphql GetUser', '/graphql GetCart', '/graphql Persisted', '/ AddUser'],
      ],
      [
        'method, path and operation',
        [`post: { url: /graphql, json: { query: "${GRAPHQL}" } }`, 'get: { url: /graphql }'],
        ['POST /graphql GetUser', 'GET /graphql'],
      ],
      [
        'the path of a search or an unnamed query',
        [
          'post: { url: /search, json: { query: "query for red shoes", operationName: x } }',
          'post: { url: /graphql, json: { query: "{ a }" } }',
          'post: { url: /graphql, json: { operationName: "{{ name }}" } }',
          'post: { url: /graphql, json: [] }',
        ],
        ['/search', '/graphql', '/graphql', '/graphql'],
      ],
    ])('%s', (_, steps, routes) => {
      const { scenarios, requests } = read(steps);
      expect(routesOf(scenarios[0].steps)).toEqual(routes);
      expect(new Set(requests.map(({ route }) => route))).toEqual(new Set(routes));
    });
  });

  describe('a request to another host', () => {
    test.each([
      ['http://SHOP.example:80/a', 'http://shop.example', ['/a']],
      ['https://shop.example/a', 'http://shop.example', ['/a']],
      ['http://me:secret@shop.example/a', 'http://shop.example', ['/a']],
      ['http://shop.example:8080/a', 'http://shop.example', []],
      ['https://cdn.example/a', 'http://shop.example', []],
      ['http://shop.example.org/a', 'http://shop.example', []],
      ['https://cdn.example/a', 'http://127.0.0.1:{{ $env.PORT }}', ['/a']],
      ['http://{{ host }}/a', 'http://shop.example', ['/a']],
      ['http://127.0.0.1:{{ $env.PORT }}/a', 'http://127.0.0.1:{{ $env.PORT }}', ['/a']],
    ])('%s with the target %s', (url, target, routes) => {
      expect(routesOf(read([`get: { url: "${url}" }`], target).scenarios[0].steps)).toEqual(routes);
    });

    test('has no row, takes no time, and is named', () => {
      const { warnings, requests } = read([
        'get: { url: /a }',
        'post: { url: https://cdn.example/a }',
        'post: { url: "https://{{ x }}/a" }',
      ]);
      expect(requests.map(({ route }) => route)).toEqual(['GET /a', undefined, 'POST /a']);
      expect(warnings).toEqual([
        {
          line: 5,
          message:
            'https://cdn.example/a goes to another host than the target, http://shop.example/, so it uses none of ' +
            "the app's connections. Its duration is unknown and counts as zero",
        },
        { line: 6, message: "https://{{ x }}/a counts as the app's, because its host or the target is not known" },
      ]);
    });
  });
});

describe('the data of users', () => {
  /** @type {Record<string, string>} */
  const FILES = {
    'urls.csv': '/a,200\n/b,200\n/a,404\n/a,200\n',
    'headed.csv': 'url;code\n"/x, y";200\n',
    'empty.csv': '\n',
    'many.csv': Array.from({ length: 51 }, (_, id) => `/${id}`).join('\n'),
  };

  /** @param {string} config @param {string[]} steps @param {object} [options] */
  function read(config, steps, options) {
    return readWorkload(
      `config:
  target: http://shop.example
  phases: [{ duration: 1, arrivalCount: 1 }]
  ${config}
scenarios:
  - weight: 4
    flow:
${steps.map((step) => `      - ${step}\n`).join('')}`,
      {
        readPayload(file) {
          if (!FILES[file]) throw new Error(`${file} can't be read: there is none`);
          return FILES[file];
        },
        ...options,
      },
    );
  }

  /**
   * @param {ReturnType<typeof read>} workload
   * @returns {Record<string, number | undefined>} weight by the routes of a flow
   */
  const weigh = ({ scenarios }) =>
    Object.fromEntries(
      scenarios.map(({ weight, steps }) => [
        steps.map((step) => (step.kind === 'request' ? step.route : step.kind)).join(' '),
        weight,
      ]),
    );

  const URL_STEP = 'get: { url: "{{ url }}" }';

  describe('a url from data becomes a route for each value', () => {
    test.each([
      [
        'rows of a CSV file, by their number',
        'payload: { path: urls.csv, fields: [url, code] }',
        [URL_STEP],
        { '/a': 3, '/b': 1 },
        '{{ url }}: each user takes a value of urls.csv at random. Its 2 values are separate routes',
      ],
      [
        'rows in turn',
        'payload: [{ path: urls.csv, fields: [url], order: sequence }]',
        [URL_STEP],
        { '/a': 3, '/b': 1 },
        '{{ url }}: users take the values of urls.csv in turn; here each takes one at random. Its 2 ' +
          'values are separate routes',
      ],
      [
        'a user keeps its row',
        'payload: { path: urls.csv, fields: [url] }',
        [URL_STEP, 'get: { url: "{{url}}" }'],
        { '/a /a': 3, '/b /b': 1 },
        expect.stringContaining('urls.csv'),
      ],
      [
        'a header and a delimiter',
        'payload: { path: headed.csv, fields: [url], skipHeader: true, delimiter: ";" }',
        [URL_STEP],
        { '/x, y': 4 },
      ],
      [
        'variables',
        'variables: { url: [/a, /b] }',
        [URL_STEP],
        { '/a': 2, '/b': 2 },
        '{{ url }}: each user takes a value of variables.url at random. Its 2 values are separate routes',
      ],
      [
        'a variable wins over a file',
        'payload: { path: urls.csv, fields: [url] }\n  variables: { url: /only }',
        [URL_STEP],
        { '/only': 4 },
      ],
      [
        'the rest of the path',
        'variables: { page: [cats, dogs] }',
        ['get: { url: "/{{ page }}/{{ id }}?x={{ y }}" }'],
        { '/cats/{{ id }}': 2, '/dogs/{{ id }}': 2 },
        expect.stringContaining('{{ page }}'),
        '/cats/{{ id }} counts as one route',
        '/dogs/{{ id }} counts as one route',
      ],
      [
        'two lists',
        'variables: { a: [/a, /b], b: [/c, /d] }',
        ['get: { url: "{{ a }}" }', 'get: { url: "{{ b }}" }'],
        { '/a /c': 1, '/a /d': 1, '/b /c': 1, '/b /d': 1 },
        expect.stringContaining('{{ a }}'),
        expect.stringContaining('{{ b }}'),
      ],
      [
        'another host, for some',
        'variables: { url: [/a, "http://cdn.example/x"] }',
        [URL_STEP],
        { '/a': 2, '': 2 },
        expect.stringContaining('{{ url }}'),
        expect.stringMatching(/^http:\/\/cdn\.example\/x goes to another host than the target/),
      ],
      [
        'a loop over all rows',
        'payload: { path: urls.csv, fields: [url, code], loadAll: true, name: data }',
        ['loop: [{ get: { url: "{{ $loopElement.url }}" } }]\n        over: data'],
        { '/a /b /a /a': 4 },
      ],
      [
        'a loop over rows without fields',
        'payload: { path: urls.csv, loadAll: true, name: data }',
        ['loop: [{ get: { url: "{{ row[0] }}" } }]\n        over: data\n        loopElement: row'],
        { '/a /b /a /a': 4 },
      ],
      [
        'a loop over a list',
        '',
        ['loop: [{ get: { url: "/{{ $loopElement }}" } }]\n        over: [a, 7]'],
        { '/a /7': 4 },
      ],
      [
        'a loop over data that no url begins with',
        'payload: { path: urls.csv, loadAll: true, name: data }',
        ['loop: [{ get: { url: "/x" } }]\n        over: data'],
        { loop: 4 },
      ],
    ])('%s', (_, config, steps, weights, ...warnings) => {
      const workload = read(config, steps);
      const found = weigh(workload);
      expect(Object.keys(found)).toEqual(Object.keys(weights));
      for (const [routes, weight] of Object.entries(weights)) expect(found[routes]).toBeCloseTo(Number(weight), 9);
      expect(workload.warnings.map(({ message }) => message)).toEqual(warnings);
    });

    test.each([
      [
        'a file that is not there',
        'payload: { path: gone.csv, fields: [url] }',
        ["gone.csv can't be read: there is none"],
      ],
      ['an empty file', 'payload: { path: empty.csv, fields: [url] }', ['empty.csv has no rows']],
      [
        'options of the parser',
        'payload: { path: urls.csv, fields: [url], options: { quote: "|" } }',
        ["urls.csv is not read, because options can't be used here"],
      ],
      [
        'too many values',
        'payload: { path: many.csv, fields: [url] }',
        ['{{ url }} has 51 values in many.csv: they count as one route'],
      ],
      ['no data', 'payload: 5', []],
      ['data that is not used', 'payload: { path: gone.csv, fields: [id] }', []],
    ])('but one route with %s', (_, config, warnings) => {
      const workload = read(config, [URL_STEP]);
      expect(weigh(workload)).toEqual({ '{{ url }}': 4 });
      expect(workload.warnings.map(({ message }) => message)).toEqual([...warnings, '{{ url }} counts as one route']);
    });

    test('or with a loop in a loop that would be too long', () => {
      const over = JSON.stringify(Array.from({ length: 40 }, (_, index) => `x${index}`));
      const { scenarios } = read('', [
        `loop:
          - { loop: [{ get: { url: "/{{ $loopElement }}" } }], over: ${over} }
          - { get: { url: "{{ $loopElement }}" } }
        over: ${over.replaceAll('x', '/x')}`,
      ]);
      const { steps } = scenarios[0];
      expect([steps.length, ...steps.slice(0, 2).map(({ kind }) => kind)]).toEqual([80, 'loop', 'request']);
    });

    test("a url that Artillery can't send is refused with the line of its step", () => {
      expect(() => read('variables: { url: [/a, b] }', [URL_STEP])).toThrow(
        'line 8: Artillery can\'t send a request to "b"',
      );
    });
  });

  describe('a scenario on disk', () => {
    const folder = mkdtempSync(path.join(os.tmpdir(), 'user-data-'));
    afterAll(() => rmSync(folder, { recursive: true }));

    test('finds its CSV files beside it', async () => {
      await mkdir(path.join(folder, 'data'));
      await writeFile(path.join(folder, 'data', 'urls.csv'), FILES['urls.csv']);
      const file = path.join(folder, 'shop.yaml');
      const write = (/** @type {string} */ name) =>
        writeFile(
          file,
          `config: { payload: { path: ${name}, fields: [url] } }
scenarios: [{ flow: [{ get: { url: "{{ url }}" } }] }]`,
        );
      await write('./data/urls.csv');
      expect(Object.keys(weigh(await readScenario(file)))).toEqual(['/a', '/b']);
      await write('./data/gone.csv');
      expect((await readScenario(file)).warnings.map(({ message }) => message)).toContainEqual(
        expect.stringMatching(/^\.\/data\/gone\.csv can't be read: no such file or directory/),
      );
    });
  });

  test.each([
    ['a,b\r\n1,2\r\n', ['/a', '/b', '/1', '/2']],
    ['a,1\n\nb,2', ['/a', '/1', '/b', '/2']],
    ['\uFEFFa,', ['/a', '/']],
    ['"a, ""b""\nc",d\n', ['/a, "b"\nc', '/d']],
    ['a"b,"c"d', ['/a"b', '/cd']],
  ])('CSV %j', (text, routes) => {
    const steps = [
      'loop: [{ get: { url: "/{{ row[0] }}" } }, { get: { url: "/{{ row[1] }}" } }]',
      '  over: data',
      '  loopElement: row',
    ];
    const config = 'payload: { path: any.csv, loadAll: true, name: data }';
    const { scenarios } = read(config, [steps.join('\n      ')], { readPayload: () => text });
    expect(scenarios[0].steps).toMatchObject(routes.map((route) => ({ kind: 'request', route })));
  });
});

describe('values', () => {
  test.each([
    [5, 5000],
    ['5', 5000],
    [0, 0],
    ['500ms', 500],
    ['90s', 90_000],
    ['1.5m', 90_000],
    ['.5 s', 500],
    ['1 Minute', 60_000],
    ['2h', 7_200_000],
    ['1d', 86_400_000],
    ['10 msecs', 10],
  ])('%j is %i ms', (value, ms) => {
    expect(parseDurationMs(value)).toBe(ms);
  });

  test.each([
    1.5,
    '1.5',
    -1,
    '-5s',
    '5 weeks',
    'soon',
    '',
    null,
    undefined,
    {},
    '{{ $env.TIME }}',
    NaN,
    JSON.parse('{"toString":1}'),
  ])('%j is refused', (value) => {
    expect(() => parseDurationMs(value)).toThrow(/is not a duration: write whole seconds, or a number with/);
  });

  test.each(['366d', '9'.repeat(400)])('%s is longer than anything here lasts', (value) => {
    expect(() => parseDurationMs(value)).toThrow(/is too long: at most a year, 365d$/);
  });

  test('a quantile is one of the values, by nearest rank', () => {
    const values = [40, 10, 30, 20];
    expect([0, 0.25, 0.5, 0.51, 0.95, 1].map((share) => quantile(values, share))).toEqual([10, 10, 20, 30, 40, 40]);
    expect(values).toEqual([40, 10, 30, 20]);
  });
});
