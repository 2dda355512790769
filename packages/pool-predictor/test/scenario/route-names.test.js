import { describe, expect, test } from '@jest/globals';
import { readWorkload } from '../../src/scenario/workload.js';

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
          "https://cdn.example/a goes to another host than the target, http://shop.example/, so it uses none of the app's " +
          'connections. Its duration is unknown and counts as zero',
      },
      { line: 6, message: "https://{{ x }}/a counts as the app's, because its host or the target is not known" },
    ]);
  });
});
