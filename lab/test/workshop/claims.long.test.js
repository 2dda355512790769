import { readFile } from 'node:fs/promises';
import { expect, test } from '@jest/globals';
import { MongoClient } from 'mongodb';
import { startEmbeddedMongo } from '../../../src/mongo/embedded.js';
import { readSettings } from '../../../src/settings.js';
import { cleanUp } from 'test-support/cleanup.js';
import { until } from 'test-support/waiting.js';

/** As in the lesson. */
const POOL = 17;
const MONITORS = 2;
const APP_NAME = 'the claims of lesson 14';

test('lesson 14: the primary sees the pool and the monitors, a secondary the monitors alone', async () => {
  const page = (await readFile('lessons/14-fleet-budget/README.md', 'utf8')).replaceAll(/\s+/g, ' ');
  expect(page).toContain(
    `each instance opens ${POOL + MONITORS} connections to the primary and only the 2 monitoring connections to each ` +
      'secondary, unless you set `minPoolSize`',
  );

  const { url, stop } = await startEmbeddedMongo({ ...readSettings(), members: 3 });
  cleanUp(stop);
  const client = new MongoClient(url, { maxPoolSize: POOL, appName: APP_NAME });
  cleanUp(() => client.close());
  const hello = await client.db('admin').command({ hello: 1 });
  const counts = async () =>
    Object.fromEntries(
      await Promise.all(
        hello.hosts.map(async (/** @type {string} */ host) => [
          host === hello.primary ? 'primary' : host,
          await countConnections(host),
        ]),
      ),
    );
  const secondaries = hello.hosts.filter((/** @type {string} */ host) => host !== hello.primary);
  const expected = { primary: POOL + MONITORS, [secondaries[0]]: MONITORS, [secondaries[1]]: MONITORS };
  await until('every server has its connections', async () => {
    await Promise.all(Array.from({ length: 4 * POOL }, () => client.db('pool_lab').collection('claims').findOne()));
    const now = await counts();
    return Object.entries(expected).every(([name, count]) => now[name] === count);
  });
  expect(await counts()).toEqual(expected);

  // A minPoolSize is kept open at every server, though all queries go to the primary.
  expect(page).toContain(`With a \`minPoolSize\` of ${POOL}, each secondary has ${POOL + MONITORS} as well`);
  await client.close();
  const warm = new MongoClient(url, { maxPoolSize: POOL, minPoolSize: POOL, appName: APP_NAME });
  cleanUp(() => warm.close());
  await warm.connect();
  const full = POOL + MONITORS;
  await until('every server has the minPoolSize', async () =>
    Object.values(await counts()).every((count) => count === full),
  );
}, 120_000);

/** @param {string} host */
async function countConnections(host) {
  const observer = await MongoClient.connect(`mongodb://${host}/?directConnection=true&readPreference=nearest`);
  try {
    const [{ count } = { count: 0 }] = await observer
      .db('admin')
      .aggregate([
        { $currentOp: { allUsers: true, idleConnections: true } },
        { $match: { appName: APP_NAME } },
        { $count: 'count' },
      ])
      .toArray();
    return count;
  } finally {
    await observer.close();
  }
}
