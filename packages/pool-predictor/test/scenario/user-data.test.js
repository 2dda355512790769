import { mkdir, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { mkdtempSync, rmSync } from 'node:fs';
import { afterAll, describe, expect, test } from '@jest/globals';
import { readScenario } from '../../src/node/input-files.js';
import { parseCsv } from '../../src/scenario/csv.js';
import { readWorkload } from '../../src/scenario/workload.js';

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
      '{{ url }}: users take the values of urls.csv in turn; here each takes one at random. Its 2 values are separate routes',
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
      `loop: [{ loop: [{ get: { url: "/{{ $loopElement }}" } }], over: ${over} }, { get: { url: "{{ $loopElement }}" } }]
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
  [
    'a,b\r\n1,2\r\n',
    [
      ['a', 'b'],
      ['1', '2'],
    ],
  ],
  ['a\n\nb', [['a'], ['b']]],
  ['\uFEFFa,', [['a', '']]],
  ['', []],
  ['"a, ""b""\nc",d\n', [['a, "b"\nc', 'd']]],
  ['a"b,"c"d', [['a"b', 'cd']]],
])('CSV %j', (text, rows) => {
  expect(parseCsv(text)).toEqual(rows);
});
