import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from '@jest/globals';
import { createClient } from '../../src/mongo/client.js';
import { seedCustomers } from '../../src/mongo/demo-data.js';
import { startEmbeddedMongo } from '../../src/mongo/embedded.js';
import { servicesOfResult } from '../../src/predictions/result-services.js';
import { readSettings } from '../../src/settings.js';
import { cleanUp } from '../support/cleanup.js';
import { runCli } from '../support/run-cli.js';
import { runNode } from '../support/run-node.js';
import { runningOperations } from '../support/running-operations.js';
import { scratchFolder } from '../support/scratch-folder.js';
import { until } from '../support/until.js';

// Not the shared MongoDB: its processor time would be that of other tests, too.
const { url, stop } = await startEmbeddedMongo(readSettings());
cleanUp(stop);
const folder = await scratchFolder();
const observer = createClient(url, { poolSize: 2, serverSelectionTimeoutMs: 5000, appName: 'observer' });
cleanUp(() => observer.close());
await seedCustomers(observer);

const SLEEP = '/sleep={"find":"customers","filter":{"$where":"sleep(30) || true"},"limit":1}';
const WORK = '/work={"aggregate":"customers","pipeline":[{"$set":{"r":{"$range":[0,200]}}},{"$unwind":"$r"},'
  + '{"$group":{"_id":{"$strLenCP":"$email"},"letters":{"$sum":{"$strLenCP":"$name"}}}}]}';
const CALIBRATE = ['calibrate', '--url', url, '--db', 'pool_lab'];

/** The most connections that a calibration has while `action` runs. @param {() => Promise<any>} action */
async function countConnections(action) {
  let most = 0;
  let isOver = false;
  const counting = (async () => {
    while (!isOver) {
      const operations = await observer.db('admin').aggregate([
        { $currentOp: { allUsers: true, idleConnections: true } }, { $match: { appName: 'pool-a-calibrate' } },
      ]).toArray();
      most = Math.max(most, new Set(operations.map(({ client }) => client)).size);
      // Without a pause, the count itself would be what the server does.
      await sleep(50);
    }
  })();
  const outcome = await action().finally(() => { isOver = true; });
  await counting;
  return { outcome, most };
}

test('a query that works and one that sleeps, within the limits, for --from', async () => {
  const out = path.join(folder, 'calibration.json');
  const startedAtMs = performance.now();
  const { outcome: { code, stdout, stderr }, most } = await countConnections(() => runCli(
    [...CALIBRATE, '--query', SLEEP, '--query', WORK, '--seconds', '3', '--max-concurrency', '4', '--yes', '--json', '--out', out],
    { env: { MONGO_APP_NAME: 'pool-a', MONGO_MIN_POOLSIZE: '50' } }));
  expect({ code, stderr }).toMatchObject({ code: 0 });
  // It measures for 3 s. Loading the program takes as long on a busy machine.
  expect(performance.now() - startedAtMs).toBeLessThan(10_000);
  // The driver watches the server over two more.
  expect(most).toBeGreaterThanOrEqual(2);
  expect(most).toBeLessThanOrEqual(4 + 2);

  const result = JSON.parse(stdout);
  expect(JSON.parse(await readFile(out, 'utf8'))).toEqual(result);
  expect(result).toMatchObject({
    lab: 'calibrate', startedAt: expect.any(String), environment: { mongodb: expect.stringMatching(/^\d+\./) },
    settings: { seconds: 3, maxConcurrency: 4 },
  });
  expect(Object.keys(result.services)).toEqual(['/sleep', '/work']);
  // On an idle machine: 0 and 1. Beside other tests, a query that works waits for the processor most of its time.
  expect(result.services['/sleep'].workShare).toBeLessThan(0.2);
  expect(result.services['/work'].workShare).toBeGreaterThan(2 * result.services['/sleep'].workShare);
  expect(Math.min(...result.services['/sleep'].valuesMs)).toBeGreaterThanOrEqual(29);
  expect(result.alone['/work'].runs).toBeGreaterThanOrEqual(3);
  expect(result.server.cores).toBeGreaterThan(0.2);
  expect(result.server.cores).toBeLessThanOrEqual(result.server.numCores);
  expect(result.server.coresRange[0]).toBeLessThanOrEqual(result.server.coresRange[1]);
  expect(servicesOfResult(result)).toEqual({ services: result.services, serverCores: result.server.cores });

  const said = stderr.replaceAll(/\s+/g, ' ');
  expect(said).toContain('/sleep: find on pool_lab.customers /work: aggregate on pool_lab.customers');
  expect(said).toContain('at most 4 run at once. It ends after at most 3 s');
  expect(said).toMatch(/pool-lab predict load\.yaml --service \/sleep=\S+ --service \/work=\S*work:\S+ --server-cores \d/);
});

test('many callers that mostly wait', async () => {
  const query = '/a={"count":"customers","query":{"$where":"sleep(20) || true"},"limit":1}';
  const { code, stdout, stderr } = await runCli(
    [...CALIBRATE, '--query', query, '--seconds', '1', '--max-concurrency', '12', '--yes', '--json'], { env: { MONGO_APP_NAME: 'pool-c' } });
  // Node.js would warn about more than ten listeners.
  expect({ code, stderr }).toEqual({ code: 0, stderr: expect.not.stringContaining('Warning') });
  const { services, levels } = JSON.parse(stdout);
  expect(services['/a'].workShare).toBeLessThan(0.4);
  expect(Math.max(0, ...levels.map((/** @type {{ callers: number }} */ { callers }) => callers))).toBeLessThanOrEqual(12);
});

describe('before it does anything', () => {
  test("it says what it would do, and needs a yes", async () => {
    const { code, stdout, stderr } = await runCli(['calibrate'], { env: { MONGO_URL: 'mongodb://me:secret@127.0.0.1:1/shop' } });
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toContain('This measures the MongoDB at 127.0.0.1:1.');
    expect(stderr.replaceAll(/\s+/g, ' ')).toContain('First it inserts 1000 demo customers into pool_lab.customers, unless they are there.');
    expect(stderr).toMatch(/\nNothing was done: there is no terminal to ask on\. .* add --yes\.\n$/);
    expect(stderr).not.toContain('secret');
  });

  test.each([
    [['--query', '/a={"insert":"a"}'], /^error: option '--query <route=command>' argument '.*' is invalid. "insert" is not allowed: /],
    [['--max-concurrency', '1'], /It must be a whole number from 2 to 256\./],
    [['--seconds', '0'], /It must be a whole number from 1/],
    [['--query', '/a={"find":"a"}', '--query', '/a={"find":"b"}'], /^\/a has two queries: give only one\n$/],
    [['--url', 'mongodb://me:p@ss@host'], /^--url is not a connection string\. .*\n$/],
  ])('%j is refused', async (args, message) => {
    const { code, stderr } = await runCli(['calibrate', '--yes', ...args]);
    expect(code).toBe(1);
    expect(stderr).toMatch(message);
    expect(stderr).not.toContain('p@ss');
  });
});

describe('one line says', () => {
  const ask = (/** @type {string} */ query) => [...CALIBRATE, '--yes', '--query', query];
  test.each([
    ['that there is no server', ['calibrate', '--yes', '--url', 'mongodb://127.0.0.1:1/?serverSelectionTimeoutMS=100'],
      /\n--url: no MongoDB was found within 100 ms: .*\n$/],
    ['that the server refuses a query', [...ask('/a={"find":"customers","filter":{"$no":1}}'), '--seconds', '2'], /\n\/a: unknown top level operator: \$no\.? .*\n$/],
    ['that the time is too short', [...ask('/a={"find":"customers","filter":{"$where":"sleep(900) || true"},"limit":1}'), '--seconds', '1'],
      /\nThe time limit of 1 s was too short for these queries\. Use a larger --seconds\.\n$/],
  ])('%s', async (_, args, message) => {
    const { code, stdout, stderr } = await runCli(args, { env: { MONGO_SERVER_SELECTION_TIMEOUT_MS: '100' } });
    expect(stderr).toMatch(message);
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
  });
});

test('Ctrl-C ends it, and its query on the server', async () => {
  const isRunning = async () => (await runningOperations(observer, { appName: 'pool-b-calibrate', 'command.find': 'customers' })).length > 0;
  const forever = '/a={"find":"customers","filter":{"$where":"sleep(600000) || true"}}';
  const { code, stderr } = await runNode(['src/cli.js', ...CALIBRATE, '--yes', '--seconds', '60', '--query', forever], {
    env: { MONGO_APP_NAME: 'pool-b' },
    async onStart(child) {
      await until('the query runs', isRunning);
      child.kill('SIGINT');
    },
  });
  expect(code).toBe(130);
  expect(stderr).toMatch(/\nInterrupted: everything that was started has been stopped\. No result was saved\.\n$/);
  await until('the server has stopped', async () => !await isRunning());
});
