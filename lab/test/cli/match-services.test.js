import { describe, expect, test } from '@jest/globals';
import { readWorkload, createScenarioLoad } from 'mongodb-pool-predictor';
import { matchServices } from '../../cli/match-services.js';

/** @import { Service } from 'mongodb-pool-predictor' */

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
      "--service 'GET /orders=MS' --service 'POST /orders=MS' --service '/graphql GetUser=MS', or take them from a running app " +
      "(--app URL) or an earlier run (--from RESULT.json). A route that makes no query has none: --service 'GET /orders=none'",
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
