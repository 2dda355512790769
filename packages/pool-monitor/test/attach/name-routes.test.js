import { expect, test } from '@jest/globals';
import { foldIds, nameRoute, readExpressPattern } from '../../src/attach/name-routes.js';

test.each([
  ['/', '/'],
  ['/users', '/users'],
  ['/users/42?full=1', '/users/:id'],
  ['/users/507f1f77bcf86cd799439011/orders/7#top', '/users/:id/orders/:id'],
  ['/files/3f2504e0-4f89-11d3-9a0c-0305e82c3301', '/files/:id'],
  ['/sessions/dXNlcjE6cGFzc3dvcmQx', '/sessions/:id'],
  ['/v2/user-preferences-overview', '/v2/:id'],
  ['/v2/user-settings', '/v2/user-settings'],
  ['/mail/bob@example.com', '/mail/:id'],
  ['/mail/bob%40example', '/mail/:id'],
  ['/verify/a8Kd92LmQx7', '/verify/:id'],
  ['/verify/aKx7', '/verify/:id'],
  ['/reset/eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.x-y_z', '/reset/:id'],
  ['/orders/2024-10-01', '/orders/:id'],
  ['/orders/order1234/getItems', '/orders/:id/getItems'],
  ['/favicon.ico', '/:id'],
  ['/oauth2/login/', '/oauth2/login/'],
  ['/orders/2026', '/orders/:id'],
  ['*', '*'],
  ['?x', '/'],
])('%s is a request of %s', (url, route) => {
  expect(foldIds(url)).toBe(route);
});

test('a route has its method, unless it is the usual one', () => {
  expect(['GET', 'HEAD', 'POST'].map((method) => nameRoute(method, '/a'))).toEqual(['/a', '/a', 'POST /a']);
});

test.each([
  [{ baseUrl: '/api', route: { path: '/users/:id' } }, '/api/users/:id'],
  [{ baseUrl: '/api', route: { path: '/' } }, '/api'],
  [{ baseUrl: '', route: { path: '/' } }, '/'],
  [{ baseUrl: '', route: { path: /^\/a/ } }, undefined],
  [{ baseUrl: '' }, undefined],
])('Express %j', (request, pattern) => {
  expect(readExpressPattern(request)).toBe(pattern);
});
