import { availableParallelism } from 'node:os';
import path from 'node:path';
import { expect, test } from '@jest/globals';
import { startApp } from '../../harness/app-process.js';
import { readTrace } from 'mongodb-pool-predictor/node';
import { runCli } from '../support/run-cli.js';
import { runNode } from 'test-support/processes.js';
import { scratchFolder } from 'test-support/cleanup.js';
import { serveHandler } from '../../../test/support/serve-app.js';

/** @param {import('node:child_process').ChildProcess} child @param {string} words */
function hear(child, words) {
  return new Promise((resolve) => {
    let said = '';
    child.stderr?.on('data', (chunk) => {
      said += chunk;
      if (said.includes(words)) resolve(undefined);
    });
  });
}

test('a real app under load, replayed at the same size: the recorded waits within 2 %', async () => {
  const app = await startApp({
    MONGO_URL: String(process.env.TEST_MONGO_URL),
    MONGO_POOLSIZE: '2',
    MONGO_MIN_POOLSIZE: '2',
    SLOW_MS: '500',
  });
  const file = path.join(await scratchFolder(), 'app.jsonl');
  try {
    const { code, stderr } = await runNode(
      ['lab/cli.js', 'record', '--url', app.url, '--out', file, '--every', '100'],
      {
        async onStart(child) {
          await hear(child, 'Ctrl-C');
          const get = async (/** @type {string} */ route) => (await fetch(`${app.url}${route}`)).arrayBuffer();
          // Several at once, so that most of them wait for a connection.
          for (let round = 0; round < 4; round++) {
            await Promise.all([...Array(5).fill('/slow'), ...Array(15).fill('/fast')].map(get));
          }
          child.kill('SIGINT');
        },
      },
    );
    // The app itself may have queried its database.
    expect(stderr).toMatch(/Recorded 8\d checkouts\./);
    expect(stderr).not.toContain('lost');
    expect(code).toBe(0);
  } finally {
    await app.stop();
  }
  const { header, server } = await readTrace(file);
  // The slow query sleeps.
  expect(server).toMatchObject({ cores: availableParallelism(), busyCores: expect.any(Number) });
  expect(header).toMatchObject({
    pool: { poolSize: 2, minPoolSize: 2, requestTimeoutMs: 150_000 },
    overhead: { kind: 'sample' },
  });
  expect(/** @type {any} */ (header.overhead).valuesMs.length).toBeGreaterThan(50);
  const { stdout, stderr } = await runCli(['predict', '--trace', file, '--pool-sizes', '1..4', '--json', '--explain']);
  expect(stderr.replaceAll(/\s+/g, ' ')).toContain(
    'The simulated pool is that of the recorded app: 2 connections, request deadline 150.0 s.',
  );
  const { variants } = JSON.parse(stdout);
  const { measured, predicted } = variants[1];
  expect(measured.meanWaitMs).toBeGreaterThan(100);
  expect(Math.abs(predicted.meanWaitMs / measured.meanWaitMs - 1)).toBeLessThan(0.02);
  for (const route of ['/slow', '/fast']) {
    for (const figure of ['p95Ms', 'maxMs']) {
      expect(Math.abs(predicted.routes[route].wait[figure] / measured.routes[route].wait[figure] - 1)).toBeLessThan(
        0.02,
      );
    }
  }
  expect(variants[0]).toMatchObject({ measured: null });
  expect(stderr).toMatch(/Trust: /);
});

test('an answer that takes too long does not end the recording', async () => {
  let fetched = 0;
  const url = await serveHandler((req, res) => {
    if (req.url?.startsWith('/pool/checkouts') && ++fetched === 2) return;
    const checkouts = fetched === 3 ? [{ id: 9, checkOutStartedAtMs: 1, checkedOutAtMs: 2, checkedInAtMs: 3 }] : [];
    res.end(JSON.stringify({ max: 3, checkouts, lastId: fetched, forgotten: 0 }));
  });
  const file = path.join(await scratchFolder(), 'late.jsonl');
  const { code, stderr } = await runCli(['record', '--url', url, '--out', file, '--every', '50', '--seconds', '8']);
  expect(stderr).toMatch(
    /^Recording .*\n--url .* does not answer GET \/pool\/checkouts\?after=1 \(waited 5 s\)\. Trying again\.\nRecorded 1 checkout\.\nThe app did not answer for \d+\.\d s\.\n$/,
  );
  expect(code).toBe(0);
  expect((await readTrace(file)).checkouts).toHaveLength(1);
});
