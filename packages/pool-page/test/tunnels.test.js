import { expect, test } from '@jest/globals';
import { createFakeClient } from 'test-support/fake-client.js';
import { describeRest } from 'mongodb-pool-page/page/words.js';
import { readTunnels, sumGauges } from '../src/read-clients.js';

/** A client that knows several servers, and has used some. @param {Record<string, string>} types by address */
function startClient(types) {
  const fake = createFakeClient({ max: 2, isReady: false });
  for (const [address, type] of Object.entries(types)) {
    fake.emit('PoolCreated', {}, address);
    fake.emit('PoolReady', {}, address);
    fake.becomes(address, type);
  }
  const watched = { name: 'shop', monitors: [fake.monitor], settings: /** @type {any} */ ({ maxConnecting: 2 }) };
  /** @param {string} address @param {number} connectionId */
  const checkOut = (address, connectionId) => {
    fake.emit('CheckOutStarted', {}, address);
    fake.emit('CheckedOut', { connectionId, durationMS: 0 }, address);
  };
  return { ...fake, checkOut, watched, read: () => readTunnels(watched) };
}

const SET = { 'b:1': 'RSSecondary', 'c:1': 'RSPrimary', 'a:1': 'RSSecondary' };

test('a client that uses only one server of a set has one tunnel, also after an election', () => {
  const { checkOut, read, becomes } = startClient(SET);
  checkOut('c:1', 1);
  expect(read()).toMatchObject([{ servers: ['b:1', 'c:1', 'a:1'], max: 2, active: 1 }]);
  becomes('c:1', 'RSSecondary', 'RSPrimary');
  becomes('a:1', 'RSPrimary', 'RSSecondary');
  checkOut('a:1', 1);
  const [only, ...others] = read();
  expect(only).toMatchObject({ max: 2, active: 2, retiring: 1 });
  expect([only.address, others]).toEqual([undefined, []]);
});

test('one that uses several has a tunnel for each, and their gauges add up to its own', () => {
  const { checkOut, emit, read, watched, becomes } = startClient(SET);
  for (const address of ['a:1', 'b:1', 'c:1']) checkOut(address, 1);
  checkOut('b:1', 2);
  emit('CheckOutStarted', {}, 'b:1');
  const tunnels = read();
  expect(tunnels).toMatchObject([
    { name: 'shop', address: 'c:1', role: 'primary', servers: ['c:1'], max: 2, active: 1, waiting: 0 },
    { address: 'a:1', role: 'secondary', max: 2, active: 1, waiting: 0, queue: [] },
    { address: 'b:1', role: 'secondary', max: 2, active: 2, waiting: 1, lanes: [{ id: 1 }, { id: 2 }], queue: [{}] },
  ]);
  const { max, active, waiting } = sumGauges([watched]);
  expect({ max, active, waiting }).toEqual({ max: 6, active: 4, waiting: 1 });
  becomes('c:1', 'RSSecondary', 'RSPrimary');
  becomes('b:1', 'RSPrimary', 'RSSecondary');
  checkOut('b:1', 3);
  // The old primary has a tunnel until its last query has ended.
  expect(read().map(({ address, role }) => [address, role])).toEqual([
    ['b:1', 'primary'],
    ['a:1', 'secondary'],
    ['c:1', 'secondary'],
  ]);
});

test('routers of a sharded cluster that were never used have no tunnel', () => {
  const { checkOut, read } = startClient(Object.fromEntries(Array.from('abcdefgh', (name) => [`${name}:1`, 'Mongos'])));
  for (const address of ['g:1', 'b:1']) checkOut(address, 1);
  expect(read().map(({ address, role }) => [address, role])).toEqual([
    ['b:1', null],
    ['g:1', null],
  ]);
});

test('pools without a tunnel share one line', () => {
  const busy = { active: 2, waiting: 1 };
  expect(describeRest([busy, busy])).toBe('And 2 more pools, see /metrics: 4 of their lanes busy, 2 waiting.');
  expect(describeRest([{ active: 0, waiting: 0 }])).toMatch(/^And 1 more pool,.*: 0 of .* nobody is waiting\.$/);
});
