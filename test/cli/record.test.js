import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { availableParallelism } from 'node:os';
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, describe, expect, test } from '@jest/globals';
import { startApp } from '../../src/harness/app-process.js';
import { readTrace } from '../../packages/pool-predictor/src/node/read-trace.js';
import { runCli } from '../support/run-cli.js';
import { runNode } from '../support/run-node.js';
import { scratchFolder } from '../support/scratch-folder.js';

const CLI = 'src/cli.js';
const folder = await scratchFolder();
/** @type {import('node:http').Server[]} */
const fakes = [];
afterAll(() => {
  for (const fake of fakes) fake.close();
});
const fileOf = (/** @type {string} */ name) => path.join(folder, name);

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

/** An app with the checkouts given. @param {(after: number) => object} answer */
async function startFake(answer) {
  const server = createServer((req, res) => {
    if (req.url === '/pool/server') {
      res.writeHead(404).end('{}');
      return;
    }
    const url = new URL(String(req.url), 'http://app');
    res.end(JSON.stringify(url.pathname === '/pool' ? { max: 3 }
      : { forgotten: 0, ...answer(Number(url.searchParams.get('after'))) }));
  }).listen(0, '127.0.0.1');
  fakes.push(server);
  await once(server, 'listening');
  return `http://127.0.0.1:${/** @type {import('node:net').AddressInfo} */ (server.address()).port}`;
}

/** @param {number} id */
const checkout = (id) => ({ id, checkOutStartedAtMs: id * 10, checkedOutAtMs: id * 10 + 1, checkedInAtMs: id * 10 + 3, route: '/a' });

test('a recorded app with a second client is replayed with one', async () => {
  const file = fileOf('split.jsonl');
  const lines = [
    { trace: 'mongodb-pool-lab', version: 2, maxPoolSize: 1, pool: { poolSize: 1, slowPoolSize: 1 } },
    { checkOutStartedMs: 0, waitMs: 0, useMs: 500, route: '/slow' },
    { checkOutStartedMs: 1, waitMs: 0, useMs: 2, route: '/fast' },
    { checkOutStartedMs: 2, waitMs: 498, useMs: 500, route: '/slow' },
  ];
  await writeFile(file, lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
  const { stdout } = await runCli(['predict', '--trace', file, '--pool-sizes', '1', '--json']);
  const { variants: [{ predicted }] } = JSON.parse(stdout);
  expect(predicted.routes).toMatchObject({ '/fast': { wait: { maxMs: 0 } }, '/slow': { wait: { maxMs: 498 } } });
});

test.each([
  [{ pool: 3 }, /split.jsonl, line 1: pool must be an object/],
  [{ pool: { poolSize: '3' } }, /split.jsonl, line 1: pool.poolSize must be a whole number/],
  [{ overhead: { kind: 'sample', valuesMs: [-1] } }, /split.jsonl, line 1: overhead must be {"kind":"sample".* from 0 to 365 days/],
])('a trace with %j is refused', async (fields, message) => {
  const file = fileOf('bad-split.jsonl');
  await writeFile(file, `${JSON.stringify({ trace: 'mongodb-pool-lab', version: 2, ...fields })}\n`
    + '{"checkOutStartedMs":0,"waitMs":0,"useMs":5}\n');
  const { code, stderr } = await runCli(['predict', '--trace', file]);
  expect(code).toBe(1);
  expect(stderr).toMatch(message);
});

test('a real app under load, replayed at the same size: the recorded waits within 2 %', async () => {
  const app = await startApp({
    MONGO_URL: String(process.env.TEST_MONGO_URL), MONGO_POOLSIZE: '2', MONGO_MIN_POOLSIZE: '2', SLOW_MS: '500',
  });
  const file = fileOf('app.jsonl');
  try {
    const { code, stderr } = await runNode([CLI, 'record', '--url', app.url, '--out', file, '--every', '100'], {
      async onStart(child) {
        await hear(child, 'Ctrl-C');
        const get = async (/** @type {string} */ route) => (await fetch(`${app.url}${route}`)).arrayBuffer();
        // Several at once, so that most of them wait for a connection.
        for (let round = 0; round < 4; round++) {
          await Promise.all([...Array(5).fill('/slow'), ...Array(15).fill('/fast')].map(get));
        }
        child.kill('SIGINT');
      },
    });
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
  expect(header).toMatchObject({ maxPoolSize: 2, pool: { poolSize: 2, minPoolSize: 2, requestTimeoutMs: 150_000 }, overhead: { kind: 'sample' } });
  expect(/** @type {any} */ (header.overhead).valuesMs.length).toBeGreaterThan(50);
  const { stdout, stderr } = await runCli(['predict', '--trace', file, '--pool-sizes', '1..4', '--json']);
  expect(stderr.replaceAll(/\s+/g, ' ')).toContain('The simulated pool is that of the recorded app: 2 connections, request deadline 150.0 s.');
  const { variants } = JSON.parse(stdout);
  const { measured, predicted } = variants[1];
  expect(measured.meanWaitMs).toBeGreaterThan(100);
  expect(Math.abs(predicted.meanWaitMs / measured.meanWaitMs - 1)).toBeLessThan(0.02);
  for (const route of ['/slow', '/fast']) {
    for (const figure of ['p95Ms', 'maxMs']) {
      expect(Math.abs(predicted.routes[route].wait[figure] / measured.routes[route].wait[figure] - 1)).toBeLessThan(0.02);
    }
  }
  expect(variants[0]).toMatchObject({ measured: null });
  expect(stderr).toMatch(/^(No check: |Check: the second half of the trace, recorded with 2 connections)/m);
});

describe('recording', () => {
  /** @type {[string, { ids: number[], lastId: number, forgotten: number }[], string][]} */
  const pasts = [
    ['checkouts that the app forgot between two fetches are lost, earlier ones do not count', [
      { ids: [4, 5], lastId: 5, forgotten: 3 }, { ids: [10, 11], lastId: 11, forgotten: 4 },
    ], 'Recorded 2 checkouts.\nIn 1 of them the operation failed. predict and advise ignore those.\n4 checkouts lost: the app keeps only the latest ones. Fetch more often with --every.\n'],
    ['an app that was idle before loses nothing', [
      { ids: [], lastId: 3014, forgotten: 3014 }, { ids: [3015], lastId: 3015, forgotten: 0 },
    ], 'Recorded 1 checkout.\n'],
    ['an id that never existed is not lost', [
      { ids: [1], lastId: 1, forgotten: 0 }, { ids: [3], lastId: 3, forgotten: 0 },
    ], 'Recorded 1 checkout.\n'],
  ];

  test.each(pasts)('%s', async (name, answers, says) => {
    const fetched = /** @type {number[]} */ ([]);
    const url = await startFake((after) => {
      const { ids, ...rest } = answers[fetched.push(after) - 1] ?? { ids: [], lastId: after, forgotten: 0 };
      return { checkouts: ids.map((id) => ({ ...checkout(id), outcome: id === 11 ? 'operationFailed' : 'checkedIn' })), ...rest };
    });
    const file = fileOf(`${name.replaceAll(/\W/g, '-')}.jsonl`);
    const { code, stderr } = await runCli(['record', '--url', url, '--out', file, '--every', '50', '--seconds', '1']);
    expect(code).toBe(0);
    expect(stderr).toBe(`Recording ${url} to ${file}. Press Ctrl-C to stop.\n${says}`);
    expect(fetched.slice(0, 3)).toEqual([0, ...answers.map(({ lastId }) => lastId)]);
    expect((await readTrace(file)).header).toMatchObject({ url, maxPoolSize: 3 });
  });

  test('ends when the trace is full', async () => {
    let id = 0;
    const url = await startFake((after) => {
      if (after === 0) return { checkouts: [], lastId: 1 };
      const checkouts = Array.from({ length: 20_000 }, () => checkout(after + ++id));
      return { checkouts, lastId: checkouts.at(-1)?.id };
    });
    const file = fileOf('full.jsonl');
    const { code, stderr } = await runCli(['record', '--url', url, '--out', file, '--every', '10', '--max-mb', '1']);
    expect(code).toBe(0);
    expect(stderr).toMatch(/The trace is full\. Use --max-mb to allow for more\.\n\d+ checkouts did not fit\./);
    expect((await readFile(file, 'utf8')).endsWith('{"end":"full"}\n')).toBe(true);
  });

  test('an app that stops is an error, and the trace so far is kept', async () => {
    let requests = 0;
    const url = await startFake((after) => (
      ++requests > 2 ? {} : { checkouts: after === 0 ? [] : [checkout(2)], lastId: after === 0 ? 1 : 2 }));
    const file = fileOf('stopped.jsonl');
    const { code, stderr } = await runCli(['record', '--url', url, '--out', file, '--every', '50']);
    expect(code).toBe(1);
    expect(stderr).toMatch(/Recorded 1 checkout\.\n--url .*GET \/pool\/checkouts did not answer with a list of checkouts/);
    expect((await readTrace(file)).checkOutStartedMs).toHaveLength(1);
  });

  test.each([
    ['no app', ['--url', 'http://127.0.0.1:1'], /^--url http:\/\/127\.0\.0\.1:1: /],
    ['no URL', [], /Add --url URL, or set APP_URL/],
  ])('%s is one clear message', async (_, args, message) => {
    const { code, stdout, stderr } = await runCli(['record', ...args, '--out', fileOf('never.jsonl')]);
    expect(stderr).toMatch(message);
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
  });
});

describe('a trace in place of a scenario', () => {
  const header = '{"trace":"mongodb-pool-lab","version":2,"maxPoolSize":2}\n';
  const line = (/** @type {number} */ index) => `{"checkOutStartedMs":${index * 20},"waitMs":0,"useMs":${index % 10 === 0 ? 300 : 2},"route":"/a"}\n`;

  test('works with advise', async () => {
    const file = fileOf('advise.jsonl');
    await writeFile(file, header + Array.from({ length: 1000 }, (_, index) => line(index)).join(''));
    const { code, stdout } = await runCli(['advise', '--trace', file, '--slo', '/a p99 < 400ms', '--seeds', '59', '--json']);
    expect(code).toBe(0);
    const { verdict, poolSize, settings } = JSON.parse(stdout);
    expect({ verdict, recorded: settings.recorded.maxPoolSize }).toEqual({ verdict: 'size', recorded: 2 });
    expect(poolSize).toBeGreaterThan(1);
  });

  test('with too few checkouts is not enough data', async () => {
    const file = fileOf('short.jsonl');
    await writeFile(file, header + line(0) + line(1));
    const { code, stderr } = await runCli(['advise', '--trace', file, '--slo', '/a p99 < 400ms']);
    expect(code).toBe(1);
    expect(stderr).toMatch(/^Not enough data\.\n\nThe load has 2 requests to \/a/);
  });

  test('with an incomplete last line is read with a warning', async () => {
    const file = fileOf('cut.jsonl');
    await writeFile(file, header + line(0) + line(1).slice(0, 20));
    const { code, stderr } = await runCli(['predict', '--trace', file, '--pool-sizes', '1']);
    expect(code).toBe(0);
    expect(stderr.replaceAll(/\s+/g, ' ')).toContain('line 3: the last line is incomplete and left out');
  });

  test.each([
    ['truncated in its first line', header.slice(0, 20), [], /is not a trace: its first line must begin with/],
    ['without checkouts', header, [], /has no checkouts/],
    ['beside a scenario', header, ['loadtests/mixed.yaml'], /^There are two loads, a scenario and a trace: give only one/],
    ['with service times', header, ['--service', '/a=3'], /a trace has its own service times/],
  ])('%s is refused', async (name, text, args, message) => {
    const file = fileOf(`${name.replaceAll(' ', '-')}.jsonl`);
    await writeFile(file, text);
    const { code, stdout, stderr } = await runCli(['predict', '--trace', file, ...args]);
    expect(stderr).toMatch(message);
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).not.toMatch(/^ +at /m);
  });
});

(process.platform === 'win32' ? test.skip : test)('a full disk ends the recording, with one line and exit code 1', async () => {
  const answer = (/** @type {number} */ after) => (
    { checkouts: Array.from({ length: 200 }, (_, index) => checkout(after + index + 1)), lastId: after + 200 });
  const file = fileOf('full-disk.jsonl');
  const command = [process.execPath, CLI, 'record', '--url', await startFake(answer), '--out', file, '--every', '10'];
  // A limit on the size of files acts like a full disk.
  const child = spawn('sh', ['-c', 'ulimit -f 8; exec "$@"', 'sh', ...command]);
  const [stderr, [code]] = await Promise.all([text(child.stderr), once(child, 'exit')]);
  expect(code).toBe(1);
  expect(stderr).toMatch(new RegExp(`^Recording .*\n${file} is incomplete: EFBIG: file too large, write\n$`));
  expect((await readTrace(file)).checkOutStartedMs.length).toBeGreaterThan(0);
});
