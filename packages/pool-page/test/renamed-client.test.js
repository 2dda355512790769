import { expect, test } from '@jest/globals';
import { createFakeClient } from 'test-support/fake-client.js';
import { Checkouts } from 'mongodb-pool-monitor';
import { PoolMetrics } from '../src/pool-metrics.js';

test('what a client did before it got another name counts under that name', () => {
  const fake = createFakeClient({ max: 3 });
  const metrics = new PoolMetrics(() => [fake.monitor]);
  const checkouts = new Checkouts();
  metrics.watch(fake.monitor);
  checkouts.watch(fake.monitor);
  fake.open(1);
  fake.use(1);
  const countUses = () => metrics.render().match(/^\S*use_time_seconds_count.*$/gm);
  expect(countUses()).toEqual([expect.stringMatching(/pool_name="a:1"\} 1$/)]);
  fake.monitor.rename('shop primary');
  fake.use(1);
  expect(countUses()).toEqual([expect.stringMatching(/pool_name="a:1\/shop primary"\} 2$/)]);
  expect(metrics.render()).not.toContain('"a:1"');
  expect([...checkouts.list(), ...checkouts.events.list()].map(({ pool }) => pool)).toEqual(
    Array(3).fill('shop primary'),
  );
  expect(fake.monitor.formerNames).toEqual([null]);
});
