import { tracingChannel } from 'node:diagnostics_channel';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { createFakeClient } from 'test-support/fake-client.js';
import { Checkouts } from '../../src/core/checkouts.js';
import { nameWork } from '../../src/attach/named-work.js';

const work = tracingChannel('mongodb-pool-monitor:work');
/** @type {ReturnType<typeof createFakeClient>} */
let fake;
/** @type {Checkouts} */
let checkouts;
let stop = () => {};
beforeEach(() => {
  fake = createFakeClient({ max: 2 });
  checkouts = new Checkouts({ now: fake.now, outside: 'the app itself' });
  checkouts.watch(fake.monitor);
  fake.open(1);
  stop = nameWork(checkouts);
});
afterEach(() => stop());

const use = async () => fake.use(1);
const listRoutes = () => checkouts.list().map(({ route }) => route);

test('checkouts of named work have its name, and belong to no request', async () => {
  await use();
  await work.tracePromise(use, { name: 'job send-mail' });
  work.traceSync(() => fake.use(1), { name: 'event chat' });
  expect(checkouts.list()).toMatchObject([
    { route: 'the app itself', request: null },
    { route: 'job send-mail', request: null, requestId: null },
    { route: 'event chat', request: null },
  ]);
  expect(checkouts.list({ isOutside: true })).toHaveLength(3);
  expect(checkouts.list({ after: 1, isOutside: true })).toHaveLength(2);
});

test('within a request, work has its own name, and the request goes on', async () => {
  await checkouts.run({ route: '/mail' }, async () => {
    await work.tracePromise(use, { name: 'job send-mail' });
    await use();
  });
  expect(checkouts.list()).toMatchObject([{ route: 'job send-mail' }, { route: '/mail', request: 1 }]);
});

test('jobs that run at once are told apart, also by how many connections each holds', async () => {
  fake.open(2);
  work.traceSync(() => fake.startCheckOut(), { name: 'job a' });
  fake.checkOut(1, 0);
  work.traceSync(
    () => {
      fake.startCheckOut();
      fake.checkOut(2, 0);
      fake.startCheckOut();
    },
    { name: 'job b' },
  );
  expect(checkouts.listOpen()).toMatchObject([
    { route: 'job b', outcome: 'waiting', holds: 1 },
    { route: 'job a', holds: 0 },
    { route: 'job b', holds: 0 },
  ]);
});

test.each([[undefined], [{}], [{ name: '' }], [{ name: 7 }]])('%j names nothing', async (context) => {
  await work.tracePromise(use, context);
  await checkouts.run({ route: '/mail' }, () => work.tracePromise(use, context));
  expect(listRoutes()).toEqual(['the app itself', '/mail']);
});

test('names that never end become one, and work without connections takes no name', async () => {
  for (let number = 0; number < 1000; number += 1) work.traceSync(() => {}, { name: `event ${number}` });
  for (let number = 0; number < 300; number += 1) await work.tracePromise(use, { name: `job ${number}` });
  await work.tracePromise(use, { name: 'job 0' });
  const routes = listRoutes();
  expect(new Set(routes).size).toBe(251);
  expect(routes.slice(-2)).toEqual(['(other work)', 'job 0']);
});

test('after its end, work has no name', async () => {
  stop();
  await work.tracePromise(use, { name: 'job send-mail' });
  expect(listRoutes()).toEqual(['the app itself']);
});
