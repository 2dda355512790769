import { expect, test } from '@jest/globals';
import { readWorkload } from 'mongodb-pool-predictor';
import { matchRoutes } from '../../src/predictions/route-patterns.js';

/** @param {string[]} steps such as `get /fast` */
function requestsOf(steps) {
  const flow = steps.map((step) => {
    const [method, url] = step.split(' ');
    return { [method]: { url } };
  });
  return readWorkload(JSON.stringify({ config: { target: 'http://localhost', phases: [] }, scenarios: [{ flow }] })).requests;
}

test.each([
  ['get /fast', ['/fast', '/'], '/fast'],
  ['get /fast/?x=1', ['/fast'], '/fast'],
  ['get /users/42', ['/users/:id', '/users'], '/users/:id'],
  ['get /users/{{id}}', ['/users/me', '/users/:id'], '/users/:id'],
  ['get /users/me', ['/users/:id', '/users/me'], '/users/me'],
  ['get /users/{{id}}/orders', ['/users/:id', '/users/:id/orders'], '/users/:id/orders'],
  ['post /users', ['/users', 'POST /users'], 'POST /users'],
  ['head /users', ['/users', 'POST /users'], '/users'],
  ['get /files/a/b.txt', ['/files/*path'], '/files/*path'],
  ['get /', ['/:page', '/'], '/'],
])('%s is one of %j: %s', (step, routes, expected) => {
  expect([...matchRoutes(requestsOf([step]), routes).values()]).toEqual([expected]);
});

test('what the app does not have has no route', () => {
  expect(matchRoutes(requestsOf(['get /nothing', 'post /fast']), ['/fast', '/users/:id'])).toEqual(new Map());
});

test('methods of one path stay apart', () => {
  expect(matchRoutes(requestsOf(['get /orders', 'post /orders']), ['/orders', 'POST /orders'])).toEqual(
    new Map([['GET /orders', '/orders'], ['POST /orders', 'POST /orders']]));
});
