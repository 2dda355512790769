import { describe, expect, test } from '@jest/globals';
import { parseQueries, parseServices } from '../../src/service/parse-service.js';
import { overheadOfApp, servicesOfApp } from '../../src/service/app-services.js';

describe('on the command line', () => {
  describe('a service time on the command line', () => {
    test.each([
      ['/slow=5000', '/slow', { kind: 'fixed', ms: 5000 }],
      ['/slow=fixed:0', '/slow', { kind: 'fixed', ms: 0 }],
      ['/x=exponential:3', '/x', { kind: 'exponential', meanMs: 3 }],
      ['/fast=lognormal:2,0.5', '/fast', { kind: 'lognormal', medianMs: 2, sigma: 0.5 }],
      ['/users/{{ id }}=2', '/users/{{ id }}', { kind: 'fixed', ms: 2 }],
      ['{{ url }}=2', '{{ url }}', { kind: 'fixed', ms: 2 }],
      ['POST /orders=2', 'POST /orders', { kind: 'fixed', ms: 2 }],
      ['/graphql GetUser=2', '/graphql GetUser', { kind: 'fixed', ms: 2 }],
      ['/livez=none', '/livez', { kind: 'none' }],
      ['/report=work:32', '/report', { kind: 'fixed', ms: 32, workShare: 1 }],
      ['/report=work:lognormal:30,0.5', '/report', { kind: 'lognormal', medianMs: 30, sigma: 0.5, workShare: 1 }],
      ['/report=8+work:32', '/report', { kind: 'fixed', ms: 40, workShare: 0.8 }],
      ['/orders=12+30+5', '/orders', { kind: 'requests', requests: [{ queriesMs: [[12], [30], [5]], restMs: 0 }] }],
      ['/orders=12|30', '/orders', { kind: 'requests', requests: [{ queriesMs: [[12, 30]], restMs: 0 }] }],
      ['/orders=1|2+30', '/orders', { kind: 'requests', requests: [{ queriesMs: [[1, 2], [30]], restMs: 0 }] }],
      ['/report=0+work:0', '/report', { kind: 'fixed', ms: 0, workShare: 0 }],
    ])('%s', (text, route, service) => {
      expect(parseServices([text])).toEqual({ [route]: service });
    });

    test.each([
      '/slow',
      'slow=5',
      '=5',
      '/slow=',
      '/slow=-1',
      '/slow=abc',
      '/slow=1,2',
      '/slow=exponential:1,2',
      '/x=lognormal:2',
      '/x=lognormal:2,',
      '/x=gamma:1',
      '/x=Infinity',
      '/x=5ms',
      '/x=1\n2',
      '/x=1e12',
      '/x=lognormal:1,100',
      '/x=none:1',
      '/x=None',
      'post /x=1',
      '/x=work:',
      '/x=work:none',
      '/x=5+',
      '/x=5|x',
      '/x=1.2.3+4',
      '/x=1+1e12',
      '/x=+work:5',
      '/x=-1+work:5',
      '/x=-5+work:4',
      '/x=a+work:5',
      '/x=5+work:exponential:3',
      '/x=log:find shop.orders',
    ])('%s is refused', (text) => {
      expect(() => parseServices([text])).toThrow(/^"[^]*" (is not a service time|has no route): write ROUTE=MS, /);
    });

    test('several become one map, and each route may appear once', () => {
      expect(parseServices(['/a=1', '/b=exponential:2'])).toEqual({
        '/a': { kind: 'fixed', ms: 1 },
        '/b': { kind: 'exponential', meanMs: 2 },
      });
      expect(() => parseServices(['/a=1', '/a=2'])).toThrow(new Error('/a has two service times: give only one'));
    });
  });

  describe('a number of queries', () => {
    test('belongs to a route', () => {
      expect(parseQueries(['/orders=3', 'GET /a=1'])).toEqual({ '/orders': 3, 'GET /a': 1 });
    });

    test.each([
      ['/orders', '"/orders" has no route: write ROUTE=N with N from 1 to 1000, such as /orders=3'],
      ['orders=3', '"orders=3" has no route'],
      ['/orders=', '"/orders=" is not a number of queries: write ROUTE=N with N from 1'],
      ['/orders=1.5', 'is not a number'],
      ['/orders=-1', 'is not a number'],
      ['/orders=1001', 'is not a number'],
      ['/orders=none', 'is not a number'],
      ['/livez=0', '"/livez=0": write --service /livez=none for a route that makes no query'],
    ])('%s is refused', (text, message) => {
      expect(() => parseQueries([text])).toThrow(message);
    });

    test('is given once for each route', () => {
      expect(() => parseQueries(['/a=1', '/a=1'])).toThrow(new Error('/a has two numbers of queries: give only one'));
    });
  });
});

describe('service times of an app', () => {
  test('slowMs is the service time of /slow', () => {
    expect(servicesOfApp({ slowMs: 700 })).toEqual({ '/slow': { kind: 'fixed', ms: 700 } });
  });

  test('a route may make no query, or several', () => {
    const services = { '/livez': { kind: 'none' }, '/orders': { kind: 'sample', valuesMs: [1, 2], queries: 3 } };
    expect(servicesOfApp({ services })).toEqual(services);
  });

  test('services override slowMs', () => {
    const services = { '/slow': { kind: 'fixed', ms: 702 }, '/fast': { kind: 'lognormal', medianMs: 2, sigma: 0.3 } };
    expect(servicesOfApp({ slowMs: 700, services })).toEqual(services);
  });

  test.each([
    [{}, /neither services nor slowMs/],
    [null, /neither/],
    [{ services: { '/fast': { kind: 'quick' } } }, /\/fast: Unknown kind/],
    [{ services: { '/fast': 3 } }, /\/fast: Unknown/],
    [{ services: { '/fast': { kind: { toString: 1 } } } }, /\/fast: Unknown kind of service time {"toString":1}/],
    [{ services: { '/fast': { kind: 'fixed' } } }, /\/fast: its mean must be/],
    [{ services: { '/fast': { kind: 'fixed', ms: 1e12 } } }, /\/fast: its numbers must be from 0 to 365 days/],
    [{ services: { '/fast': { kind: 'lognormal', medianMs: 1, sigma: 100 } } }, /\/fast: its mean/],
    [{ services: { '/fast': { kind: 'sample', valuesMs: { length: 1e9 } } } }, /\/fast: its numbers/],
    [{ services: { '/fast': { kind: 'sample', valuesMs: [] } } }, /\/fast: its mean/],
    [
      { services: { '/a': { kind: 'fixed', ms: 1, queries: 0 } } },
      /\/a: its queries must be a whole number from 1 to 1000/,
    ],
    [{ slowMs: -1 }, /\/slow: its numbers/],
  ])('%j is refused', (pool, message) => {
    expect(() => servicesOfApp(pool)).toThrow(message);
  });

  test('the overhead is a service time; an app need not report one', () => {
    expect(overheadOfApp({ overhead: { kind: 'sample', valuesMs: [0.3, 0.5] } })).toEqual({
      kind: 'sample',
      valuesMs: [0.3, 0.5],
    });
    expect(overheadOfApp({})).toBeUndefined();
    expect(() => overheadOfApp({ overhead: { kind: 'sample', valuesMs: [-1] } })).toThrow(
      /GET \/pool, overhead: its numbers must/,
    );
  });
});
