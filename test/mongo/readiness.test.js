import { EventEmitter } from 'node:events';
import { describe, expect, test } from '@jest/globals';
import { MongoClient } from 'mongodb';
import { watchReadiness } from '../../src/mongo/readiness.js';
import { cleanUp, startReplicaSet } from 'test-support/cleanup.js';
import { until } from 'test-support/waiting.js';

/** A fake client whose servers a test controls. */
function watch() {
  const client = Object.assign(new EventEmitter(), { options: { heartbeatFrequencyMS: 2000 } });
  let nowMs = 0;
  const readStatus = watchReadiness(/** @type {any} */ (client), () => nowMs);
  return {
    readStatus,
    /** @param {string[]} types */
    have: (...types) =>
      client.emit('topologyDescriptionChanged', {
        newDescription: {
          servers: new Map(
            types.map((type, index) => [
              `${index}`,
              { address: `${index}`, type, isWritable: ['RSPrimary', 'Standalone', 'Mongos'].includes(type) },
            ]),
          ),
        },
      }),
    hear: () => client.emit('serverHeartbeatSucceeded', { connectionId: '0' }),
    /** @param {number} ms */
    pass: (ms) => {
      nowMs += ms;
    },
  };
}
const READY = { reachable: true, reason: null };

describe('MongoDB', () => {
  test('is not reachable before a server has answered', () => {
    expect(watch().readStatus()).toEqual({ reachable: false, reason: 'no server answers' });
  });

  test.each([
    [['RSPrimary', 'RSSecondary'], READY],
    [['Standalone'], READY],
    [['Unknown', 'Mongos'], READY],
    [['Unknown', 'Unknown'], { reachable: false, reason: 'no server answers' }],
    [['RSSecondary', 'Unknown'], { reachable: false, reason: 'the replica set has no primary' }],
  ])('of %j is %j', (types, status) => {
    const { have, readStatus } = watch();
    have(...types);
    expect(readStatus()).toEqual(status);
  });

  test('hangs when a heartbeat is late, and is back with the next one', () => {
    const { have, hear, pass, readStatus } = watch();
    have('RSPrimary');
    hear();
    pass(5000);
    expect(readStatus()).toEqual(READY);
    pass(600);
    expect(readStatus()).toEqual({ reachable: false, reason: 'the server has not answered for 6 s' });
    hear();
    expect(readStatus()).toEqual(READY);
  });
});

test('a server without a primary is not ready until there is one again', async () => {
  const { url } = await startReplicaSet();
  const client = new MongoClient(url);
  cleanUp(() => client.close());
  const readStatus = watchReadiness(client);
  const isReady = () => readStatus().reachable;
  expect(isReady()).toBe(false);
  await client.connect();
  await until('it is ready', isReady);
  const admin = client.db('admin');
  await admin.command({ replSetStepDown: 2, force: true });
  await until('it is no longer ready', () => !isReady());
  // It still answers.
  expect(await admin.command({ hello: 1 }, { readPreference: 'secondaryPreferred' })).toMatchObject({
    secondary: true,
  });
  expect(readStatus()).toEqual({ reachable: false, reason: 'the replica set has no primary' });
  await until('it is ready', isReady);
});
