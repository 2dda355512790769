import { writeFile } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import path from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { readTrace } from 'mongodb-pool-predictor/node';
import { scratchFolder } from 'test-support/cleanup.js';
import { sharedMongoUrl } from 'test-support/mongod.js';
import { runNode } from 'test-support/processes.js';
import { expectRefused, runCli } from '../support/run-cli.js';
import { startApp } from '../../harness/app-process.js';
import { serveHandler } from '../../../test/support/serve-app.js';

const folder = await scratchFolder();

describe('predict', () => {
  const MIXED = 'loadtests/mixed.yaml';
  const SERVICES = ['--service', '/slow=5000', '--service', '/fast=2'];

  describe('bad input is one clear message', () => {
    /** @param {string} name @param {string} text */
    async function write(name, text) {
      await writeFile(path.join(folder, name), text);
      return path.join(folder, name);
    }
    const phases = 'config:\n  phases: [{ duration: 1, arrivalCount: 1 }]\n';

    /** @type {[string, () => Promise<string[]>, RegExp][]} */
    const cases = [
      ['no such file', async () => ['nowhere.yaml', ...SERVICES], /^nowhere\.yaml can't be read/],
      ['bad YAML', async () => [await write('bad.yaml', 'config: [\n'), ...SERVICES], /bad\.yaml, line \d, column \d/],
      [
        'an unsupported step',
        async () => [await write('odd.yaml', `${phases}scenarios:\n  - flow:\n      - dance: 3\n`), ...SERVICES],
        /line 5: the step "dance" is not supported: allowed are get, /,
      ],
      ['pool size 0', async () => [MIXED, '--pool-sizes', '0', ...SERVICES], /0 means "no limit" to the driver/],
      [
        'no service times',
        async () => [MIXED],
        /^There is no service time for \/slow, \/fast: give --service \/slow=MS/,
      ],
      [
        'an invalid service time',
        async () => [MIXED, '--service', '/slow=fast'],
        /"\/slow=fast" is not a service time/,
      ],
      [
        'a number of queries that is none',
        async () => [MIXED, ...SERVICES, '--queries', '/fast=few'],
        /^"\/fast=few" is not a number of queries: write ROUTE=N/,
      ],
      [
        'a service time too many',
        async () => [MIXED, ...SERVICES, '--service', '/fats=2'],
        /--service \/fats: .*only \/slow, \/fast/,
      ],
      [
        'an unknown environment',
        async () => [MIXED, '--environment', 'moon', ...SERVICES],
        /no environment "moon": it has smoke/,
      ],
      [
        'a file that is not a result',
        async () => [MIXED, '--from', 'package.json'],
        /^package\.json is not a result of pool-lab run/,
      ],
      [
        'an app that is not there',
        async () => [MIXED, '--app', 'http://127.0.0.1:1'],
        /^--app http:\/\/127\.0\.0\.1:1 does not answer GET \/pool \(/,
      ],
      [
        'an unknown driver',
        async () => [MIXED, '--driver', '4', ...SERVICES],
        /--driver <version>.*Allowed choices are 7, 3/,
      ],
      [
        'queries and a trace',
        async () => ['--trace', 'examples/ordinary-minute.jsonl', '--queries', '/fast=2'],
        /--queries, --from and --app need a scenario/,
      ],
      [
        'an old driver and a trace',
        async () => ['--trace', 'examples/ordinary-minute.jsonl', '--driver', '3'],
        /^--driver 3 needs a scenario: a trace has the timing of the driver that recorded it/,
      ],
      [
        'a number of runs without an exact band',
        async () => [MIXED, '--seeds', '20', ...SERVICES],
        /^seeds 20: so many runs have no exact 90 % band\. Use 19, 39, 59, 79, 99 or another multiple of 20, minus 1$/m,
      ],
      ['no first seed', async () => [MIXED, '--first-seed', '0', ...SERVICES], /--first-seed.*whole number from 1/],
      ['a check without a trace', async () => [MIXED, '--check', 'other.jsonl', ...SERVICES], /^--check needs --trace/],
      [
        'a check that does not say its size',
        async () => [
          '--trace',
          'examples/ordinary-minute.jsonl',
          '--check',
          await write(
            'sizeless.jsonl',
            '{"trace":"mongodb-pool-lab","version":2}\n{"checkOutStartedMs":0,"waitMs":0,"useMs":1}\n',
          ),
          '--pool-sizes',
          '8',
          '--seeds',
          '19',
        ],
        /^--check .*sizeless\.jsonl: it has to say its maxPoolSize/,
      ],
      [
        'work without cores',
        async () => [MIXED, '--service', '/slow=work:5000', '--service', '/fast=2'],
        /^A --service with work needs --server-cores N/,
      ],
      [
        'cores without work',
        async () => [MIXED, ...SERVICES, '--server-cores', '2'],
        /^--server-cores 2 needs a --service with work, such as/,
      ],
      [
        'no cores',
        async () => [MIXED, ...SERVICES, '--server-cores', '0'],
        /--server-cores.*It must be a number above 0, up to 10000, such as 2 or 1\.8; or none/,
      ],
      ['no seeds', async () => [MIXED, '--seeds', '0', ...SERVICES], /--seeds.*whole number from 1/],
    ];

    test.each(cases)('%s', async (_, argsOf, message) => {
      await expectRefused(['predict', ...(await argsOf())], message);
    });
  });
});

describe('record', () => {
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
    // The app runs on the server's machine.
    expect(server?.otherBusyCores).toBeGreaterThan(0);
    expect(header).toMatchObject({
      pool: { poolSize: 2, minPoolSize: 2, requestTimeoutMs: 150_000 },
      overhead: { kind: 'sample' },
    });
    expect(/** @type {any} */ (header.overhead).valuesMs.length).toBeGreaterThan(50);
    const { stdout, stderr } = await runCli([
      'predict',
      '--trace',
      file,
      '--pool-sizes',
      '1..4',
      '--json',
      '--explain',
    ]);
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
});

describe('run', () => {
  test('failed requests are an error, with their reason', async () => {
    const { code, stdout, stderr } = await runNode(
      [
        'lab/cli.js',
        'run',
        'mixed',
        '--pool-sizes',
        '1',
        '--slow-ms',
        '1500',
        '--environment',
        'smoke',
        '--json',
        '--out',
        await scratchFolder(),
      ],
      { env: { MONGO_URL: sharedMongoUrl(), MONGO_WAIT_QUEUE_TIMEOUT_MS: '100' } },
    );
    expect(code).toBe(1);
    expect(stderr).toMatch(/pool 1.*\d x HTTP 503/);
    const [{ measured, predicted }] = JSON.parse(stdout).variants;
    expect(measured.failures).toBeGreaterThan(0);
    expect(predicted.failures).toBeGreaterThan(0);
  });
});
