import { readFileSync, readdirSync } from 'node:fs';
import fc from 'fast-check';
import { stringify } from 'yaml';
import { createScenarioLoad } from '../../src/load/scenario-load.js';
import { predict } from '../../src/predict/predict.js';
import { readWorkload } from '../../src/scenario/read-workload.js';
import { changesOf, mutationsOf, sentencesOf, texts } from 'test-support/fuzz-arbitraries.js';
import { attempt, require, requireClear } from 'test-support/fuzz-outcome.js';

const FILE = 'fuzz.yaml';
const FILES = readdirSync('loadtests')
  .filter((name) => name.endsWith('.yaml'))
  .map((name) => readFileSync(`loadtests/${name}`, 'utf8'));
const SAMPLE = {
  config: {
    target: 'http://127.0.0.1:3000',
    phases: [{ duration: 2, arrivalCount: 3 }, { duration: '2s', arrivalRate: 2, rampTo: 3 }, { pause: 1 }],
    http: { timeout: 10 },
    defaults: { think: { jitter: '10%' } },
    payload: [
      { path: 'urls.csv', fields: ['url', 'id'], order: 'sequence' },
      { path: 'odd.csv', fields: ['__proto__', 'id'], loadAll: true, name: 'rows', skipHeader: true },
    ],
    variables: { page: ['/slow', '/fast'], constructor: 'x' },
    mode: 'uniform',
    environments: { smoke: { phases: [{ duration: 1, arrivalCount: 1 }] } },
  },
  before: { flow: [] },
  scenarios: [
    {
      name: 'a',
      weight: 2,
      flow: [{ get: { url: '/slow' } }, { think: 1 }, { loop: [{ post: { url: '/fast', json: {} } }], count: 2 }],
    },
    { flow: [{ loop: [{ get: { url: 'http://127.0.0.1/fast?x' } }], over: [1, 2] }, { log: 'x' }] },
    {
      flow: [
        { get: { url: '{{ url }}' } },
        { put: { url: '{{ page }}' } },
        { function: 'f' },
        { get: { url: '/{{ __proto__ }}' } },
        { loop: [{ get: { url: '{{ $loopElement.id }}' } }, { get: { url: '/{{ $loopElement[0] }}' } }], over: 'rows' },
        { post: { url: '/graphql', json: { query: 'query GetUser { user }', operationName: 'GetUser' } } },
      ],
    },
  ],
};
const WORDS = [
  'config:',
  'scenarios:',
  'phases:',
  'flow:',
  '  ',
  '\n',
  '- ',
  'get:',
  'url:',
  '/fast',
  'loop:',
  'count:',
  'think:',
  'duration:',
  'arrivalRate:',
  'rampTo:',
  '1',
  '10',
  '&a',
  '*a',
  '<<: *a',
  '{',
  '}',
  '[',
  ']',
  '? ',
  ': ',
  '!!js/function',
  '!!binary',
  '|',
  '>',
  '---',
  '%YAML 9.9',
  '\t',
  '#',
  '"',
];
/** A list in a list in a list. */
const depths = fc
  .tuple(fc.constantFrom('[', '{a: '), fc.nat(3000))
  .map(([open, depth]) => `scenarios: ${open.repeat(depth)}`);
/** What grows with each alias. */
const bombs = fc.nat(40).map((levels) => {
  const lines = Array.from(
    { length: levels },
    (_, level) => `a${level + 1}: &a${level + 1} [*a${level},*a${level},*a${level}]\n`,
  );
  return `a0: &a0 [x]\n${lines.join('')}scenarios: [*a${levels}]`;
});
const files = fc.oneof(
  { weight: 8, arbitrary: changesOf([SAMPLE]).map((value) => stringify(value) ?? '') },
  { weight: 4, arbitrary: mutationsOf(FILES, sentencesOf(WORDS)) },
  { weight: 4, arbitrary: sentencesOf(WORDS, 30) },
  { weight: 1, arbitrary: depths },
  { weight: 1, arbitrary: bombs },
);
/** What payload files hold. */
const csvs = fc.oneof(
  sentencesOf(['/a', '/b', ',', '\n', '\r\n', '"', '""', ';', '{{ url }}', 'http://b.example/c'], 20),
  texts,
);
const environments = fc.constantFrom(undefined, 'smoke', 'remote', 'moon', '__proto__', 'constructor');

/**
 * Whether a scenario has more than 2000 steps, because 50,000 times as many users would have more than 1e8, and be
 * refused.
 * @param {ReturnType<typeof readWorkload>} workload
 */
function hasManySteps(workload) {
  const phases = workload.phases.map(({ durationMs = 0, arrivalCount, ...phase }) => ({
    ...phase,
    durationMs: 50_000 * durationMs,
    ...(arrivalCount !== undefined && { arrivalCount: 50_000 * arrivalCount }),
  }));
  return attempt(() => createScenarioLoad({ ...workload, phases })).error !== undefined;
}

/** @type {Record<string, import('test-support/fuzz-outcome.js').FuzzTarget>} */
export const targets = {
  scenarios: {
    arbitrary: fc.tuple(files, environments, csvs, fc.boolean()),
    async check([text, environment, csv, skipFunctions]) {
      const namesFile = (/** @type {string} */ message) => message.includes(FILE);
      const { value: workload } = attempt(
        () => readWorkload(text, { environment, file: FILE, skipFunctions, readPayload: () => csv }),
        namesFile,
      );
      if (!workload) return;
      const warned = workload.warnings.every(({ line, message }) => line >= 1 && message !== '');
      require(warned, 'a warning without line or words');
      const load = attempt(() => createScenarioLoad(workload)).value;
      // Slow scenarios are not a bug.
      if (!load || hasManySteps(workload)) return;
      const services = Object.fromEntries(
        load.routes.map((route) => [route, { kind: /** @type {const} */ ('fixed'), ms: 2 }]),
      );
      const prediction = await predict({ load, poolSizes: [1, 3], services, seeds: 19 }).catch((error) =>
        requireClear(error),
      );
      for (const {
        predicted: { requests, failures },
      } of prediction?.variants ?? []) {
        require(failures >= 0 && failures <= requests, `${failures} of ${requests} requests fail`);
      }
    },
  },
};
