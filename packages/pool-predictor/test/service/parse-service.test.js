import { describe, expect, test } from '@jest/globals';
import { parseService, parseServices } from '../../src/service/parse-service.js';

describe('a service time on the command line', () => {
  test.each([
    ['/slow=5000', '/slow', { kind: 'fixed', ms: 5000 }],
    ['/slow=fixed:0', '/slow', { kind: 'fixed', ms: 0 }],
    ['/x=exponential:3', '/x', { kind: 'exponential', meanMs: 3 }],
    ['/fast=lognormal:2,0.5', '/fast', { kind: 'lognormal', medianMs: 2, sigma: 0.5 }],
    ['/users/{{ id }}=2', '/users/{{ id }}', { kind: 'fixed', ms: 2 }],
  ])('%s', (text, route, service) => {
    expect(parseService(text)).toEqual({ route, service });
  });

  test.each([
    '/slow', 'slow=5', '=5', '/slow=', '/slow=-1', '/slow=abc', '/slow=1,2', '/slow=exponential:1,2',
    '/x=lognormal:2', '/x=lognormal:2,', '/x=gamma:1', '/x=Infinity', '/x=5ms', '/x=1\n2', '/x=1e12', '/x=lognormal:1,100',
  ])('%s is refused', (text) => {
    expect(() => parseService(text)).toThrow(/^"[^]*" (is not a service time|has no route): write ROUTE=MS, /);
  });

  test('several become one map, and each route may appear once', () => {
    expect(parseServices(['/a=1', '/b=exponential:2']))
      .toEqual({ '/a': { kind: 'fixed', ms: 1 }, '/b': { kind: 'exponential', meanMs: 2 } });
    expect(() => parseServices(['/a=1', '/a=2'])).toThrow(new Error('/a has two service times: give only one'));
  });
});
