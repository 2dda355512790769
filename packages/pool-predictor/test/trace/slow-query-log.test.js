import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { MongoClient } from 'mongodb';
import { startEmbeddedMongo } from '../../../../src/mongo/embedded.js';
import { readSettings } from '../../../../src/settings.js';
import { scratchFolder } from '../../../../test/support/scratch-folder.js';
import { readServiceTimes } from '../../src/node/read-service-times.js';
import { readTrace } from '../../src/node/read-trace.js';

const folder = await scratchFolder();
const file = path.join(folder, 'mongod.log');

/** @param {string[]} lines @param {string} [to] */
async function write(lines, to = file) {
  await writeFile(to, `${lines.join('\n')}\n`);
  return to;
}

describe('the log of a real mongod', () => {
  /** @type {string[]} */
  let log;

  beforeAll(async () => {
    const mongo = await startEmbeddedMongo({ ...readSettings(), args: ['--slowms', '0'] });
    const client = new MongoClient(mongo.url, { appName: 'shop' });
    try {
      const orders = client.db('shop').collection('orders');
      await orders.insertMany(Array.from({ length: 20 }, (_, index) => ({ status: index % 3 })));
      await orders.find({ status: 1 }).toArray();
      await orders.find({ status: 1 }).sort({ at: 1 }).toArray();
      await orders.updateOne({ status: 2, at: null }, { $set: { at: 1 } });
      await orders.deleteOne({ status: 2 });
      await orders.countDocuments({ at: 1 });
      await orders.find({}).batchSize(15).toArray();
      await orders.findOne({ $nonsense: 1 }).catch(() => {});
      await orders.findOne({ $where: 'sleep(30) || true' });
      await client.db('admin').command({ ping: 1 });
      log = (await client.db('admin').command({ getLog: 'global' })).log.map((/** @type {string} */ line) => line.trim());
    } finally {
      await client.close();
      await mongo.stop();
    }
  }, 60_000);

  test('is a trace of what the app sent, by shape, if it has every query', async () => {
    const { routes, routeOf, useMs, lacksWaits, warnings } = await readTrace(await write(log));
    const shapes = Array.from(routeOf, (index) => routes[index].replace(/ #\w+$/, ' #HASH'));
    expect(shapes).toEqual([
      'insert shop.orders', 'find shop.orders {status} #HASH', 'find shop.orders {status} #HASH', 'update shop.orders {at, status}',
      'delete shop.orders {status}', 'aggregate shop.orders {at}', 'find shop.orders', 'getMore shop.orders', 'find shop.orders {$where}',
    ]);
    expect(routes).toHaveLength(shapes.length);
    const slowest = useMs[shapes.length - 1];
    expect(slowest).toBeGreaterThanOrEqual(30.5);
    expect(slowest % 1).toBe(0.5);
    expect(lacksWaits).toBe(true);
    expect(warnings).toEqual([expect.stringMatching(/rounded down to whole milliseconds.* each query is a route of its own\.$/),
      expect.stringMatching(/^1 checkout had a failed operation/)]);
  });

  test('with slow queries only is no load, but has service times', async () => {
    const slow = log.filter((line) => !line.includes('"durationMillis":0'));
    await write(slow);
    await expect(readTrace(file)).rejects.toThrow(/mongod\.log is a log of slow queries only, not a load: .*\(slowms 0\), or take service times from it: --service-log FILE/);
    const { times, warnings } = await readServiceTimes(file);
    expect(times.get('find shop.orders {$where}')).toEqual([expect.any(Number)]);
    expect(warnings).toContainEqual(expect.stringMatching(/has no query under \d+ ms: .* So these service times are too long/));
  });
});

/** @param {object} attr @param {object} [fields] */
const lineOf = (attr, fields) => JSON.stringify({
  t: { $date: '2026-01-01T00:00:00.000+00:00' }, msg: 'Slow query', ...fields,
  attr: { type: 'command', command: { find: 'c', filter: {}, $db: 'd' }, remote: '10.0.0.1:5', durationMillis: 0, ...attr },
});

test('a log counts from the first to the last query under a millisecond only', async () => {
  const [fast, slow] = [lineOf({ durationMillis: 0 }), lineOf({ durationMillis: 7 })];
  const { useMs, warnings } = await readTrace(await write([slow, slow, fast, slow, fast, slow]));
  expect(useMs).toHaveLength(3);
  expect(warnings).toContainEqual(expect.stringMatching(/: 3 of 6 queries count, those from the time when the server logged every query$/));
});

test('several clients are a warning: each has a pool of its own', async () => {
  const { warnings } = await readTrace(await write([lineOf({ appName: 'a' }), lineOf({ remote: '10.0.0.2:5' })]));
  expect(warnings).toContainEqual(expect.stringMatching(/^The queries come from 2 clients: a at 10\.0\.0\.1, no appName at 10\.0\.0\.2\./));
});

test('service times come from every trace, too', async () => {
  const csv = await write(['startMs,durationMs,route', '0,7,/a', '1,3,/b', '2,5,/a'], path.join(folder, 'a.csv'));
  expect((await readServiceTimes(csv)).times).toEqual(new Map([['/a', [7, 5]], ['/b', [3]]]));
});

test.each([
  [lineOf({ durationMillis: '7' }), /mongod\.log, line 1: attr\.durationMillis must be a number of ms/],
  [lineOf({ command: null }), /line 1: attr\.command must be an object$/],
  [lineOf({}, { t: { $date: 'now' } }), /line 1: t\.\$date must be a time such as/],
  [lineOf({}, { msg: 'Listening on' }), /not a load/],
])('what is wrong is named: %s', async (line, message) => {
  await expect(readTrace(await write([line]))).rejects.toThrow(message);
});

test('a log without a query of an app has no service times', async () => {
  await expect(readServiceTimes(await write([lineOf({ remote: undefined })]))).rejects.toThrow(/mongod\.log has no slow query of an app$/);
});
