import { appendFile, copyFile } from 'node:fs/promises';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, test } from '@jest/globals';
import { cleanUp } from 'test-support/cleanup.js';
import { runNode } from 'test-support/processes.js';
import { prepare, runAttached } from './attached-app.js';
import { checkApp, checkRun, LINE } from './check-app.js';

const { folder, monitor, server, versions } = await prepare();
const file = (/** @type {string} */ name) => path.join(folder, name);

// Jest runs two files in processes of their own.
await copyFile(file('orders.test.cjs'), file('more-orders.test.cjs'));

const loader = ['--import', pathToFileURL(file('source-loader.mjs')).href];

/** @type {Record<string, { args: string[], clients?: number, env?: Record<string, string> }>} */
const SETUPS = {
  'in NODE_OPTIONS': { args: [file('entry.cjs')], env: { NODE_OPTIONS: monitor.join(' ') } },
  'a loader that returns the source of CommonJS modules': { args: [...monitor, ...loader, file('entry.mjs')] },
  'such a loader before the monitor': { args: [...loader, ...monitor, file('entry.mjs')] },
  'source maps': { args: ['--enable-source-maps', ...monitor, file('entry.cjs')] },
  'a client that exists before the monitor': {
    args: ['--require', file('early.cjs'), ...monitor, file('entry.mjs')],
    clients: 3,
  },
  'a thread': { args: [...monitor, file('thread.mjs'), './entry.mjs'] },
};
const runs = versions.flatMap(({ version, file: node }) =>
  Object.entries(SETUPS).map(([setup, options]) => ({ name: `Node ${version}, ${setup}`, node, ...options })),
);

describe('all clients are seen, and their gauges are true after 1000 disturbed operations', () => {
  test.concurrent.each(runs)('$name', async ({ name, node, args, clients, env }) => {
    await checkRun({ server, name, node, args: [...args, 'mongodb'], env, clients, onEnd: cleanUp });
  });

  test.concurrent.each(versions)(
    'Node $version, a cluster: each process has its own monitor',
    async ({ version, file: node }) => {
      const run = runAttached({
        node,
        args: [...monitor, file('cluster.mjs'), './entry.mjs', 'mongodb'],
        onEnd: cleanUp,
        env: { MONGO_URL: server.url, APP: `Node ${version}, cluster` },
      });
      const apps = [await run.app(1), await run.app(2)];
      for (const app of apps) await checkApp(app, server);
      for (const app of apps) await app.ask('end');
      expect(await run.end()).toBe(0);
      expect(run.listLines()).toEqual([LINE, LINE]);
    },
  );

  test.concurrent.each(versions)('Node $version with --watch: after each restart', async ({ version, file: node }) => {
    const entry = file(`watched-${version}.mjs`);
    await copyFile(file('entry.mjs'), entry);
    const run = runAttached({
      node,
      args: ['--watch', ...monitor, entry, 'mongodb'],
      onEnd: cleanUp,
      env: { MONGO_URL: server.url, APP: `Node ${version}, watch` },
    });
    await checkApp(await run.app(1), server);
    await appendFile(entry, '\n');
    const restarted = await run.app(2);
    await checkApp(restarted, server);
    await restarted.ask('end');
    expect(run.listLines()).toEqual([LINE, LINE]);
  });
});

test.concurrent.each(versions)('Node $version: Jest runs as it does without the monitor', async ({ file: node }) => {
  const flags = ['--rootDir', folder, '--config', '{ "testTimeout": 60000 }'];
  const jest = [path.resolve('node_modules/jest/bin/jest.js'), ...flags];
  const env = { MONGO_URL: server.url };
  const plain = await runNode(jest, { env, node });
  expect(plain).toMatchObject({ code: 0, stderr: expect.stringContaining('2 passed, 2 total\nSnapshots') });
  const attached = await runNode([...monitor, ...jest], { env, node });
  expect(listLines(attached)).toEqual(listLines(plain));
  expect(attached.code).toBe(0);
});

test.concurrent.each(versions)(
  'Node $version: an app with driver 3 runs, and hears that it is not watched',
  async ({ file: node }) => {
    expect(await runNode([...monitor, file('old.cjs')], { env: { MONGO_URL: server.url }, node })).toMatchObject({
      code: 0,
      stdout: 'order 1\n',
      stderr: expect.stringMatching(
        /^mongodb-pool-monitor: process \d+ is not watched: its MongoDB driver is older than version 4\. Update /m,
      ),
    });
  },
);

/** What it said, whatever the time and the order. @param {{ stderr: string }} run */
function listLines({ stderr }) {
  return stderr
    .replaceAll(/ \(?[\d.]+ m?s\)?.*/g, '')
    .split('\n')
    .filter((line) => !line.startsWith('mongodb-pool-monitor: '))
    .toSorted();
}
