import { expect, test } from '@jest/globals';
import { MongoClient } from 'mongodb';
import { openDistance } from '../../src/harness/distance.js';
import { readSettings } from '../../src/settings.js';
import { cleanUp } from '../support/cleanup.js';
import { sharedMongoUrl } from '../support/environment.js';

const settings = readSettings({}, 'no .env file');

test('every round trip to the primary takes longer, by the same connection string but for the host', async () => {
  const near = sharedMongoUrl();
  const { url, close } = await openDistance(near, settings, 30);
  cleanUp(close);
  expect(url.replace(/:\d+/, '').replace('&directConnection=true', '')).toBe(near.replace(/:\d+/, ''));
  const client = await MongoClient.connect(url);
  cleanUp(() => client.close());
  for (let ping = 0; ping < 3; ping++) {
    const sentAt = performance.now();
    expect(await client.db('admin').command({ hello: 1 })).toMatchObject({ isWritablePrimary: true });
    // Timers are up to a millisecond early, each way.
    expect(performance.now() - sentAt).toBeGreaterThan(28);
  }
});

test('a URL that leaves the hosts to the DNS is refused', async () => {
  await expect(openDistance('mongodb+srv://example.com', settings, 30)).rejects.toThrow(/starts with mongodb:\/\//);
});
