import { expect, test } from '@jest/globals';
import { parseSlo } from 'mongodb-pool-predictor';
import { requireGoalRoutes } from '../../sweep/prepare-sweep.js';

/** @type {any[]} */
const REQUESTS = [
  { route: '/fast', method: 'get', path: '/fast' },
  { route: '/users/7', method: 'get', path: '/users/7' },
  { route: '/orders/{{ id }}', method: 'get', path: '/orders/{{ id }}' },
  { route: 'POST /orders', method: 'post', path: '/orders' },
];
const SEEN = ['/fast', '/users/:userId'];

test.each(['/fast', '/users/:userId', '/orders/:anything', 'POST /orders'])(
  'a goal for %s can be measured',
  (route) => {
    expect(() => requireGoalRoutes([parseSlo(`${route} p95 < 1s`)], REQUESTS, SEEN)).not.toThrow();
  },
);

test.each(['/fats', '/users/:id', 'POST /fast', '/orders'])(
  'a goal for %s is refused before anything runs',
  (route) => {
    expect(() => requireGoalRoutes([parseSlo(`${route} p95 < 1s`)], REQUESTS, SEEN)).toThrow(
      `"${route} p95 < 1 s": the load has no route ${route}, only /fast, /users/:userId, /orders/{{ id }}, POST /orders`,
    );
  },
);
