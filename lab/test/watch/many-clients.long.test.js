import path from 'node:path';
import { expect, test } from '@jest/globals';
import { diagnose } from 'mongodb-pool-predictor';
import { readTrace } from 'mongodb-pool-predictor/node';
import { diagnoseRecent } from '../../harness/recent-diagnosis.js';
import { cleanUp, scratchFolder } from 'test-support/cleanup.js';
import { sharedMongoUrl } from 'test-support/mongod.js';
import { runNode } from 'test-support/processes.js';
import { until } from 'test-support/waiting.js';
import { startWatch } from './start-watch.js';

/** The line with `new MongoClient`. */
const PLACE = 'lab/test/watch/client-per-request.js:7';

test('a client in each request is named by the line that creates it, also while none is open', async () => {
  const app = ['--', process.execPath, 'lab/test/watch/client-per-request.js'];
  const { child, said, isReady, url } = startWatch(app, { APP_MONGO_URL: sharedMongoUrl() });
  cleanUp(() => child.kill('SIGKILL'));
  await isReady();
  const port = await until('its port', () => said.stdout.match(/^\d+$/m)?.[0], 60_000);
  const send = async (/** @type {number} */ count) => {
    for (let request = 0; request < count; request++) await fetch(`http://127.0.0.1:${port}/articles`);
  };
  await send(1);
  const listRows = async () => (await (await fetch(`${url()}processes`)).json()).rows;
  const [{ url: page }] = await until('its page', async () => (await listRows()).length > 0 && listRows(), 60_000);
  const readSites = async () => (await (await fetch(new URL('/pool', page))).json()).clientSites;
  const hosts = new URL(sharedMongoUrl()).host;
  await until('it is closed', async () => (await readSites())[0].closed === 1, 60_000);
  expect(await readSites()).toMatchObject([{ place: PLACE, hosts, created: 1, closed: 1, connections: 0 }]);

  const file = path.join(await scratchFolder(), 'trace.jsonl');
  const { code, stderr } = await runNode(['lab/cli.js', 'record', '--url', url(), '--out', file], {
    onStart: (command) =>
      command.stderr?.on('data', async (words) => {
        if (!String(words).includes('Ctrl-C')) return;
        await send(20);
        command.kill('SIGINT');
      }),
  });
  expect({ code, stderr }).toEqual({
    code: 0,
    stderr: expect.stringContaining(`20 clients from ${PLACE} to one server`),
  });
  const expected = { kind: 'perRequest', place: PLACE, hosts, created: 20, open: 0 };
  const verdict = { cause: 'clientPerRequest', facts: { clients: expected } };
  expect(diagnose(await readTrace(file))).toMatchObject({ verdict });
  // The page's trace has the last minute.
  const recent = await diagnoseRecent(page, { timeoutMs: 60_000 });
  expect(recent?.verdict).toMatchObject({
    cause: 'clientPerRequest',
    facts: { clients: { ...expected, created: 21 } },
  });
  child.kill('SIGTERM');
});
