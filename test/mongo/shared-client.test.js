import { beforeAll, expect, test } from '@jest/globals';
import { SharedClient } from '../../src/mongo/shared-client.js';
import { readSettings } from '../../src/settings.js';
import { cleanUp } from '../support/cleanup.js';
import { sharedMongoUrl } from '../support/environment.js';
import { until } from '../support/until.js';

/** @type {SharedClient} */
let shared;
beforeAll(async () => {
  shared = await SharedClient.open(sharedMongoUrl(), readSettings({ MONGO_POOLSIZE: '1' }, 'no .env file'));
  cleanUp(() => shared.close());
});

/** @param {number} ms */
const runSlow = (ms) => shared.use(({ runSlowQuery }) => runSlowQuery(ms));

test('a resize takes effect at once, and the old client finishes its work', async () => {
  const old = shared.current;
  let running = 2;
  const before = [1, 2].map(() => runSlow(2000).then(() => { running -= 1; }));
  await shared.resize(10);
  expect(shared.current.client.options.maxPoolSize).toBe(10);
  expect(shared.handles).toEqual([old, shared.current]);

  const after = Array.from({ length: 10 }, () => runSlow(1000));
  await until('ten run at once', () => shared.current.monitor.snapshot().totals.active === 10);
  expect(running).toBe(2);

  await Promise.all([...before, ...after]);
  await until('the old client is closed', () => shared.handles.length === 1);
  await expect(old.runSlowQuery(1)).rejects.toThrow();
});

test('concurrent resizes run one after the other, and the last one wins', async () => {
  await Promise.all([2, 3, 4].map((size) => shared.resize(size)));
  expect(shared.current.client.options.maxPoolSize).toBe(4);
  await until('one client is left', () => shared.handles.length === 1);
});

test('a resize that the driver rejects changes nothing', async () => {
  const { current } = shared;
  await expect(shared.resize(-1)).rejects.toThrow(/maxPoolSize/);
  expect(shared.current).toBe(current);
  await runSlow(1);
});
