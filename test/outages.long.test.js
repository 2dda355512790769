import { expect, test } from '@jest/globals';
import { PoolClient } from 'mongodb-pool-page/client';
import { startMongod } from 'test-support/cleanup.js';
import { until } from 'test-support/waiting.js';
import { createTestLog, serveApp, useControl } from './support/serve-app.js';

/** The app with its own mongod, and the lines it logs. */
async function serveWithMongod() {
  const mongod = await startMongod();
  const { log, lines } = createTestLog();
  const url = await serveApp(
    {
      MONGO_URL: `mongodb://127.0.0.1:${mongod.port}/?heartbeatFrequencyMS=500`,
      MONGO_POOLSIZE: '1',
      MONGO_SERVER_SELECTION_TIMEOUT_MS: '300',
      SLOW_MS: '60000',
    },
    log,
  );
  const get = async (/** @type {string} */ path) => (await fetch(url + path)).json();
  return { url, mongod, lines, get };
}

test.each(/** @type {const} */ (['SIGKILL', 'SIGTERM']))(
  'a query cut short by %s of mongod is recorded as failed, and gives no service time',
  async (signal) => {
    const { url, mongod, lines, get } = await serveWithMongod();
    const bus = fetch(`${url}/slow`);
    await until('the bus is in', async () => (await get('/pool')).lanes[0]?.route === '/slow');
    await mongod.kill(signal);
    await until('/pool shows it', async () => !(await get('/pool')).database.reachable);
    for await (const { database } of new PoolClient(url).events('pool')) {
      expect(database).toEqual({ reachable: false, reason: 'no server answers' });
      break;
    }
    expect((await bus).status).toBe(503);
    const { checkouts } = await get('/pool/checkouts');
    expect(checkouts.filter((/** @type {any} */ { route }) => route === '/slow').at(-1)).toMatchObject({
      outcome: 'operationFailed',
    });
    const { operationsFailed, services } = await get('/pool');
    expect(operationsFailed).toBeGreaterThanOrEqual(1);
    expect(services['/slow']).toBeUndefined();

    await Promise.all(Array.from({ length: 50 }, () => fetch(`${url}/fast`)));
    const listOutage = () =>
      lines.map((line) => JSON.parse(line)).filter(({ msg }) => msg === 'MongoDB is unreachable');
    await until('the log has counted them all', () => listOutage().reduce((sum, { count }) => sum + count, 0) === 51);

    await mongod.start();
    await until('/pool shows that it is back', async () => (await get('/pool')).database.reachable);
    expect(await useControl(url, 'slow-ms', { slowMs: 1 })).toMatchObject({ status: 200 });
    expect((await fetch(`${url}/slow`)).status).toBe(200);
    expect((await get('/pool')).services['/slow'].valuesMs).toHaveLength(1);
  },
);

test('/readyz notices when mongod hangs, and when it continues', async () => {
  const { mongod, get } = await serveWithMongod();
  expect(await get('/readyz')).toEqual({ status: 'ready' });
  mongod.pause();
  const problem = await until('/readyz notices that it hangs', async () => {
    const answer = await get('/readyz');
    return answer.status === 503 && answer;
  });
  expect(problem).toMatchObject({
    title: 'MongoDB is unreachable',
    detail: expect.stringMatching(/^the server has not answered for \d+ s$/),
  });
  mongod.goOn();
  await until('/readyz notices that it continues', async () => (await get('/readyz')).status === 'ready');
});
