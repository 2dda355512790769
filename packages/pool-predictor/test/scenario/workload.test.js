import { describe, expect, test } from '@jest/globals';
import { readWorkload } from '../../src/scenario/read-workload.js';

const NO_PHASES = 'there are no phases: a single user arrives, as in Artillery. Are they in another file (--config)?';

const GOOD = `
config:
  target: http://127.0.0.1:3000
  http:
    timeout: 120
  phases:
    - duration: 1m
      arrivalRate: 5
      rampTo: 20
      name: warm up
    - pause: 500ms
    - duration: 10
      arrivalRate: "7"
      maxVusers: 50
      mode: poisson
    - duration: 5
      arrivalCount: 5
  environments:
    smoke:
      target: http://127.0.0.1:4000
      phases:
        - rampTo: 6
          duration: 2
    slow-client:
      http:
        timeout: "{{ $env.TIMEOUT }}"
scenarios:
  - name: browse
    weight: 3
    flow:
      - get: { url: "/slow?full=1#top" }
      - think: 2
      - loop:
          - post:
              url: http://other.example:80/items
              json: { a: 1 }
          - think: 500ms
            jitter: 20%
        count: 4
      - log: done
  - flow:
      - delete: { url: / }
`;

describe('a scenario file', () => {
  test('becomes phases and scenarios', () => {
    expect(readWorkload(GOOD)).toEqual({
      target: 'http://127.0.0.1:3000',
      timeoutMs: 120_000,
      phases: [
        { durationMs: 60_000, arrivalRate: 5, rampTo: 20 },
        { pauseMs: 500 },
        { durationMs: 10_000, arrivalRate: 7, maxVusers: 50, mode: 'poisson' },
        { durationMs: 5000, arrivalCount: 5 },
      ],
      scenarios: [
        {
          name: 'browse',
          weight: 3,
          steps: [
            { kind: 'request', route: '/slow' },
            { kind: 'think', ms: 2000 },
            { kind: 'loop', count: 4, steps: [{ kind: 'think', ms: 500, jitterMs: 100 }] },
          ],
        },
        { weight: 1, steps: [{ kind: 'request', route: '/' }] },
      ],
      requests: [
        { line: 31, method: 'get', url: '/slow?full=1#top', path: '/slow', isOwn: true, route: '/slow' },
        { line: 34, method: 'post', url: 'http://other.example:80/items', path: '/items', isOwn: false },
        { line: 42, method: 'delete', url: '/', path: '/', isOwn: true, route: '/' },
      ],
      warnings: [
        {
          line: 35,
          message: expect.stringMatching(/^http:\/\/other\.example:80\/items goes to another host than the target/),
        },
      ],
    });
  });

  test('has its environment merged in: maps by key, lists by position', () => {
    const { phases, target } = readWorkload(GOOD, { environment: 'smoke' });
    expect(target).toBe('http://127.0.0.1:4000');
    expect(phases).toHaveLength(4);
    expect(phases[0]).toEqual({ durationMs: 2000, arrivalRate: 5, rampTo: 6 });
  });

  test.each([
    ['timeout: 120', 120_000],
    ['timeout: 5', 5000],
    ['timeout: "5"', 5000],
    ['timeout: "120"', 8000],
    ['timeout: "{{ $env.T }}"', 8000],
    ['pool: 10', 8000],
  ])('http %s: users wait %i ms', (http, timeoutMs) => {
    expect(readWorkload(GOOD.replace('timeout: 120', http)).timeoutMs).toBe(timeoutMs);
  });

  test('may use anchors, merge keys and lists of steps', () => {
    const { scenarios, phases } = readWorkload(`
config:
  phases:
    - &base { duration: 5, arrivalCount: 5 }
    - { <<: *base, arrivalCount: 10 }
x-steps: &steps
  - get: { url: /a }
  - get: { url: /b }
scenarios:
  - flow: [ *steps, { get: { url: /c } } ]
`);
    expect(phases[1]).toEqual({ durationMs: 5000, arrivalCount: 10 });
    expect(scenarios[0].steps).toEqual(['/a', '/b', '/c'].map((route) => ({ kind: 'request', route })));
  });

  test.each([
    ['count: 3', 3],
    ['count: "3"', 3],
    ['count: 1-15', 14],
    ['over: [a, b]', 2],
  ])('loops: %s', (key, count) => {
    const { scenarios } = readWorkload(withStep(`loop: [ { get: { url: /a } } ]\n        ${key}`));
    expect(scenarios[0].steps).toEqual([{ kind: 'loop', count, steps: [{ kind: 'request', route: '/a' }] }]);
  });

  test('that has no phases sends a single user, and says so', () => {
    const { phases, warnings } = readWorkload('scenarios: [ { flow: [ { get: { url: /a } } ] } ]');
    expect(phases).toEqual([{ durationMs: 1000, arrivalCount: 1 }]);
    expect(warnings).toEqual([{ line: 1, message: NO_PHASES }]);
  });
});

/** @param {() => unknown} act @returns {string} */
function messageOf(act) {
  try {
    act();
  } catch (error) {
    return /** @type {Error} */ (error).message;
  }
  return '';
}

/** @param {string} step */
function withStep(step) {
  return `config:
  phases:
    - { duration: 5, arrivalCount: 5 }
scenarios:
  - flow:
      - ${step}
`;
}

/** @param {string} phase */
function withPhase(phase) {
  return `config:
  phases:
    - { duration: 5, arrivalCount: 5 }
    - ${phase}
scenarios: [ { flow: [ { get: { url: /a } } ] } ]
`;
}

describe("what can't be simulated is refused with its line", () => {
  const ALLOWED =
    'is not supported: ' + 'allowed are get, post, put, patch, delete, head, options, think, loop and log';

  const NO_COUNT = 'this loop has no count, so Artillery repeats it for ever: write a count beside loop';
  const MISPLACED = 'this count belongs to a step of the loop: move it beside loop';

  test('all of it at once', () => {
    expect(() =>
      readWorkload(
        `config:
  phases:
    - { duration: 5 }
scenarios:
  - engine: ws
    flow: [ { send: hello } ]
  - flow:
      - parallel: []
      - loop:
          - function: setUp
        count: 3
`,
        { file: 'bad.yaml' },
      ),
    ).toThrow(
      new Error(`bad.yaml can't be simulated:
  line 3: a phase needs one of arrivalRate (with or without rampTo), arrivalCount and pause
  line 5: engine ws: only http can be simulated
  line 8: the step "parallel" ${ALLOWED}
  line 10: the function step setUp runs code, which can't be simulated: --skip-functions goes on without it`),
    );
  });

  test('but function steps can be left out, each with a warning', () => {
    const flow = 'function: setUp\n      - loop: [ { function: sign }, { get: { url: /a } } ]\n        count: 2';
    const { scenarios, warnings } = readWorkload(withStep(flow), { skipFunctions: true });
    expect(scenarios[0].steps).toEqual([{ kind: 'loop', count: 2, steps: [{ kind: 'request', route: '/a' }] }]);
    expect(warnings).toEqual([
      {
        line: 6,
        message: 'the function step setUp is left out: it takes no time here, and what it sends or sets is missing',
      },
      { line: 7, message: expect.stringMatching(/^the function step sign is left out/) },
    ]);
  });

  test.each([
    ['think: 0.5', 6, '0.5 is not a duration'],
    ['{ think: 1, jitter: some }', 6, 'jitter must be a number of ms or a percentage, not "some"'],
    ['get: { url: /a, ifTrue: x }', 6, 'ifTrue: only requests that are always sent can be simulated'],
    ['get: { url: /a, probability: 50 }', 6, 'probability: only requests that are always sent can be simulated'],
    ['get: { json: {} }', 6, 'a request needs a url'],
    ['get: { url: users/new }', 6, 'Artillery can\'t send a request to "users/new": a url begins with / or http'],
    ['{ loop: [], whileTrue: more }', 6, 'whileTrue runs code to decide how often to loop: write a count'],
    ['{ loop: [], over: names }', 6, 'a loop over a variable: its length is unknown'],
    ['{ loop: [] }', 6, NO_COUNT],
    ['{ loop: [], count: null }', 6, NO_COUNT],
    ['loop:\n          - get: { url: /a }\n            count: 50', 8, MISPLACED],
    ['loop:\n          - get:\n              url: /a\n              count: 50', 9, MISPLACED],
    ['loop:\n          - get: { url: /a }\n          - count: 50', 8, MISPLACED],
    ['{ loop: [], count: 0 }', 6, 'a loop needs a count of at least 1, not 0'],
    ['{ loop: more, count: 2 }', 6, 'loop must be a list of steps'],
    ['null', 6, 'the step "null" is not supported'],
    ['think: { toString: 1 }', 6, '{"toString":1} is not a duration'],
    ['{ think: 1, jitter: { toString: 1 } }', 6, 'jitter must be a number of ms or a percentage, not {"toString":1}'],
    [`{ think: 1, jitter: ${'9'.repeat(400)} }`, 6, 'jitter must be a number of ms or a percentage, not '],
    ['{ loop: [], count: { toString: 1 } }', 6, 'a loop needs a count of at least 1, not {"toString":1}'],
    ['{ loop: [], count: 1e308 }', 6, 'a loop needs a count of at least 1, not 1e+308'],
  ])('step %s', (step, line, message) => {
    expect(() => readWorkload(withStep(step))).toThrow(`\n  line ${line}: ${message}`);
  });

  test.each([
    ['{ duration: 5, arrivalRate: 0.5 }', 'arrivalRate must be a whole number, not 0.5'],
    ['{ duration: 5, arrivalCount: -1 }', 'arrivalCount must be a number of at least 0, not -1'],
    ['{ duration: 5, arrivalRate: 1, arrivalCount: 1 }', 'a phase needs one of'],
    ['{ duration: 5, arrivalCount: 1, rampTo: 5 }', 'a phase needs one of'],
    ['{ arrivalRate: 5 }', 'a phase with arrivals needs a duration'],
    ['{ arrivalRate: 5, duration: soon }', '"soon" is not a duration'],
    ['{ arrivalRate: 5, duration: 0 }', 'duration must be more than 0'],
    ['{ arrivalRate: 1, duration: 100ms }', 'the phase ends before its first arrival'],
    ['{ arrivalRate: 2000000, duration: 1 }', 'arrivalRate 2000000 is above 1000000 per second'],
    ['{ arrivalRate: 1, rampTo: 5, duration: 1500ms }', 'the duration of a ramp must be whole seconds'],
    ['{ arrivalRate: 1, duration: 1, maxVusers: 0 }', 'maxVusers must be more than 0'],
    ['{ arrivalRate: 1, duration: 1, mode: bursty }', 'mode must be uniform or poisson, not "bursty"'],
    ['{ pause: 0 }', 'pause must be more than 0'],
    ['null', 'a phase needs one of'],
  ])('phase %s', (phase, message) => {
    expect(() => readWorkload(withPhase(phase))).toThrow(`\n  line 4: ${message}`);
  });

  test.each([
    ['arrivalRate: "{{ n }}"', 'arrivalRate must be a number of at least 0, not "{{ n }}"', `--variables '{"n": 5}'`],
    ['arrivalRate: "{{$env.N}}"', 'arrivalRate must be a number of at least 0, not "{{$env.N}}"', 'Set N in the env'],
    ['pause: "{{ $processEnvironment.P }}"', '"{{ $processEnvironment.P }}" is not a duration', 'Set P in the env'],
  ])('phase %s: it says how to give it a value', (phase, message, hint) => {
    const said = messageOf(() => readWorkload(withPhase(`{ duration: 5, ${phase} }`)));
    expect(said).toContain(`\n  line 4: ${message}`);
    expect(said.split('\n').at(-1)).toContain(hint);
  });

  test('a timeout of 0', () => {
    expect(() => readWorkload(GOOD.replace('timeout: 120', 'timeout: -1'))).toThrow(
      'http.timeout must be more than 0, not -1',
    );
  });

  test('in an environment, by the line there', () => {
    const text = GOOD.replace('rampTo: 6', 'rampTo: -6');
    const line = 1 + text.split('\n').findIndex((it) => it.includes('rampTo: -6'));
    expect(() => readWorkload(text, { environment: 'smoke' })).toThrow(`\n  line ${line}: rampTo must be a number`);
  });

  test('behind an anchor, by the line there', () => {
    expect(() =>
      readWorkload(`x-steps: &steps
  - get: { url: /a }
  - parallel: []
scenarios:
  - flow: [ *steps ]
`),
    ).toThrow(`\n  line 3: the step "parallel" ${ALLOWED}`);
  });

  test('weights', () => {
    expect(() => readWorkload('scenarios:\n  - { flow: [], weight: heavy }')).toThrow(
      '\n  line 2: weight must be a whole number of at most 9 digits, not "heavy"',
    );
    expect(() =>
      readWorkload('scenarios:\n  - { flow: [], weight: { toString: 1 }, engine: { toString: 1 } }'),
    ).toThrow(
      '\n  line 2: engine {"toString":1}: only http can be simulated\n  line 2: weight must be a whole number of',
    );
    expect(() => readWorkload('scenarios:\n  - { flow: [], weight: 0 }')).toThrow(
      '\n  line 1: every scenario has weight 0',
    );
    expect(() => readWorkload('scenarios:\n  - { name: no flow }')).toThrow(
      '\n  line 2: a scenario needs a flow, a list of steps',
    );
  });
});

describe('a warning is given for what may matter', () => {
  test.each([
    ['get: { url: "/users/{{ id }}" }', '/users/{{ id }} counts as one route'],
    ['get: { url: /a, capture: { json: $.id, as: id } }', 'capture is assumed to succeed'],
    ['get: { url: /a, beforeRequest: sign }', 'beforeRequest is not run'],
  ])('step %s', (step, message) => {
    expect(readWorkload(withStep(step)).warnings).toEqual([{ line: 6, message }]);
  });

  test('a phase without arrivals, which Artillery skips', () => {
    const { phases, warnings } = readWorkload(withPhase('{ duration: 5, arrivalRate: 0 }'));
    expect(phases).toHaveLength(1);
    expect(warnings).toEqual([
      {
        line: 4,
        message: 'a phase without arrivals takes no time in Artillery: write pause to wait',
      },
    ]);
  });

  test('hooks outside the flow', () => {
    const hooks = '    beforeScenario: setUp\nbefore:\n  flow: []\n';
    expect(readWorkload(withStep('get: { url: /a }') + hooks).warnings).toEqual([
      { line: 7, message: 'beforeScenario is not run' },
      { line: 8, message: 'before runs once and is not part of the load: it is ignored' },
    ]);
  });
});

describe('a file that is not a scenario', () => {
  test('is refused with line and column when it is not YAML', () => {
    expect(() => readWorkload('config:\n  phases: [ 1, 2\nscenarios: []\n', { file: 'bad.yaml' })).toThrow(
      /^bad\.yaml, line 3, column 1: [^\n]+$/,
    );
  });

  const itself = 'it is nested deeper than 100 levels, or an alias refers to its own parent';
  test.each([
    [
      'an alias without anchor',
      'scenarios: [*flow]',
      'bad.yaml: Unresolved alias (the anchor must be set before the alias): flow',
    ],
    ['an alias of what holds it', 'scenarios: [{ flow: &a [{ loop: *a, count: 2 }] }]', `bad.yaml: ${itself}`],
    [
      'aliases of aliases',
      'a: &a [x]\nb: &b [*a, *a, *a, *a]\nc: &c [*b, *b, *b, *b]\nd: &d [*c, *c, *c, *c]\nscenarios: [*d, *d]',
      'bad.yaml: Excessive alias count indicates a resource exhaustion attack',
    ],
    ['lists in lists', `scenarios: ${'['.repeat(101)}${']'.repeat(101)}`, `bad.yaml: ${itself}`],
    [
      'lists in lists in lists',
      `scenarios: ${'['.repeat(5000)}`,
      expect.stringMatching(/^bad\.yaml, line 1, column \d+: it is nested deeper/),
    ],
    [
      'a second document',
      'scenarios: []\n---\nscenarios: []',
      'bad.yaml, line 2, column 1: a second YAML document begins here, but a scenario has only one: remove the ' +
        'line --- and what follows',
    ],
    ['what is no map to merge', '<<: 5\nscenarios: []', 'bad.yaml: Merge sources must be maps or map aliases'],
  ])('%s is refused', (_, text, message) => {
    expect(() => readWorkload(text, { file: 'bad.yaml' })).toThrow(expect.objectContaining({ message }));
  });

  test.each(['', 'hello', '[]', 'config: {}', 'scenarios: none'])('"%s" has no scenarios', (text) => {
    expect(() => readWorkload(text, { file: 'bad.yaml' })).toThrow(new Error('bad.yaml has no list of scenarios'));
  });

  test.each(['__proto__', 'constructor'])('%s, which every object inherits, is not an environment', (environment) => {
    expect(() => readWorkload(GOOD, { environment })).toThrow(`no environment "${environment}"`);
  });

  test('a key __proto__ of an environment changes nothing', () => {
    const text = `${GOOD}\n`.replace(
      'environments:',
      'environments:\n    odd: { http: { __proto__: { timeout: 1 } } }',
    );
    expect(readWorkload(text, { environment: 'odd' }).timeoutMs).toBe(readWorkload(GOOD).timeoutMs);
  });

  test('the error for an unknown environment lists the known ones', () => {
    expect(() => readWorkload(GOOD, { environment: 'prod', file: 'good.yaml' })).toThrow(
      new Error('good.yaml has no environment "prod": it has smoke, slow-client'),
    );
  });
});

describe('what stands outside the first file', () => {
  const FLOWS = `config: { phases: [ { name: warm, duration: 5, arrivalRate: 1 } ], variables: { n: 2, path: /own } }
scenarios:
  - flow:
      - get: { url: "{{ $env.PREFIX }}/a" }
      - get: { url: "{{ target }}/b" }
      - get: { url: "{{ path }}" }
      - { loop: [ { get: { url: /c } } ], count: "{{ n }}" }
      - think: "{{ $processEnvironment.PAUSE }}"
`;
  const CONFIG = `config:
  target: "http://{{ $env.HOST }}:3000"
  phases:
    - { arrivalRate: "{{ $env.RATE }}" }
    - { duration: "{{ minutes }}m", arrivalCount: "{{ n }}" }
  environments:
    big: { phases: [ { arrivalRate: 50 } ] }
`;
  const env = { RATE: '7', HOST: 'here', PREFIX: '/v1', PAUSE: '250ms', SECRET: 'x' };
  const variables = { minutes: 2, n: 3, path: '/other' };
  const others = [{ file: 'common.yaml', text: CONFIG }];
  const read = (/** @type {object} */ options) => readWorkload(FLOWS, { others, env, variables, ...options });

  test('files are merged, later ones win, and templates get their values, as in Artillery', () => {
    const { target, phases, scenarios, warnings } = read({});
    expect(target).toBe('http://here:3000');
    expect(phases).toEqual([
      { durationMs: 5000, arrivalRate: 7, mode: 'uniform' },
      { durationMs: 120_000, arrivalCount: 3 },
    ]);
    expect(scenarios[0].steps).toEqual([
      ...['/v1/a', '/b', '/other'].map((route) => ({ kind: 'request', route })),
      { kind: 'loop', count: 3, steps: [{ kind: 'request', route: '/c' }] },
      { kind: 'think', ms: 250 },
    ]);
    expect(warnings).toEqual([]);
  });

  test('an environment of any file wins over all of them', () => {
    expect(read({ environment: 'big' }).phases[0]).toMatchObject({ arrivalRate: 50, durationMs: 5000 });
  });

  test('a third file wins over the second', () => {
    const text = 'config: { phases: [ { arrivalRate: 9 } ] }';
    expect(read({ others: [...others, { file: 'c.yaml', text }] }).phases[0]).toMatchObject({ arrivalRate: 9 });
  });

  test('the config does not know its own variables, but the users do', () => {
    const less = { minutes: 2, path: '/other' };
    expect(messageOf(() => read({ variables: less }))).toContain(
      `can't be simulated:\n  common.yaml, line 5: arrivalCount must be `,
    );
    const text = 'config: { phases: [ {}, { arrivalCount: 1 } ] }';
    const { scenarios } = read({ variables: less, others: [...others, { file: 'c.yaml', text }] });
    expect(scenarios[0].steps).toContainEqual(expect.objectContaining({ kind: 'loop', count: 2 }));
  });

  test('problems name the file that they are in, and the first one needs no name', () => {
    const bad = FLOWS.replace('url: /c', 'url: c');
    const wrong = { file: 'common.yaml', text: CONFIG.replace('"{{ minutes }}m"', 'soon') };
    const [, first, second] = messageOf(() => readWorkload(bad, { others: [wrong], env, variables })).split('\n');
    expect(first).toMatch(/^ +line 7: Artillery can't send/);
    expect(second).toMatch(/^ +common.yaml, line 5: "soon" is not a duration/);
    const last = { file: 'last.yaml', text: 'config: { phases: [ {}, { arrivalCount: -1 } ] }' };
    expect(messageOf(() => read({ others: [...others, last] }))).toMatch(
      /\n {2}last.yaml, line 1: arrivalCount must be/,
    );
    expect(() => read({ others: [{ file: 'list.yaml', text: '[1]' }] })).toThrow(
      'list.yaml has neither scenarios nor a config',
    );
  });
});
