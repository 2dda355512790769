import { expect, test } from '@jest/globals';
import parsePrometheusTextFormat from 'parse-prometheus-text-format';
import { openMetrics } from '../../cli/replication-metrics.js';
import { formatBytes, formatDuration, ProgressWords } from '../../cli/describe-progress.js';
import { sharedMongoUrl } from 'test-support/mongod.js';
import { runCli } from '../support/run-cli.js';

/** @import { Figures, CopyFigures } from 'oplog-replicator' */

const SOURCE = 'mongodb://user:hunter2@127.0.0.1:1/?serverSelectionTimeoutMS=100';
const TARGET = 'mongodb://user:hunter2@127.0.0.1:2/?serverSelectionTimeoutMS=100';

test.each([
  [[], '--source is missing. Pass it, such as --source mongodb://127.0.0.1:27017/, or set MONGO_URL\n'],
  [
    ['--source', SOURCE],
    '--target is missing. Pass it, such as --target mongodb://127.0.0.1:27017/, or set MONGO_TARGET_URL\n',
  ],
  [
    ['--source', 'user:hunter2@host', '--target', TARGET],
    '--source must be a URL that starts with mongodb:// or mongodb+srv://',
  ],
  [['--source', SOURCE, '--target', ''], "error: option '--target <url>' argument '' is invalid. It is empty."],
  [
    ['--source', SOURCE, '--target', TARGET, '--include', 'local'],
    "error: option '--include <name>' argument 'local' is invalid. " +
      'The databases admin, config, local, pool_lab_replication are never',
  ],
  [
    ['--source', SOURCE, '--target', TARGET, '--exclude', ''],
    "error: option '--exclude <name>' argument '' is invalid. It is empty.",
  ],
  [
    ['--source', SOURCE, '--target', TARGET, '--workers', '0'],
    "error: option '--workers <n>' argument '0' is invalid.",
  ],
  [['--hash', 'name'], "error: option '--hash <what>' argument 'name' is invalid. Allowed choices are id, collection."],
  [['--merge', 'some'], "argument 'some' is invalid. Allowed choices are all, neighbours, none."],
  [['--demo', '--workers', '2'], '--demo needs no other option: it prints the command to use next'],
  [
    ['--source', SOURCE, '--target', TARGET, '--verify', '--until-caught-up'],
    "--verify only compares, so it can't be used with",
  ],
  [['--source', SOURCE, '--target', TARGET], 'the source 127.0.0.1:1: no MongoDB was found within 100 ms: '],
])('%j is refused', async (args, message) => {
  const { code, stdout, stderr } = await runCli(['replicate', ...args]);
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
  expect(stderr).toContain(message);
  expect(stderr).not.toContain('hunter2');
});

test('the environment has the connection strings that are not on the command line', async () => {
  const env = { MONGO_URL: sharedMongoUrl(), MONGO_TARGET_URL: TARGET };
  for (const [args, missing] of [
    [[], 'the target 127.0.0.1:2'],
    [['--source', SOURCE], 'the source 127.0.0.1:1'],
  ]) {
    const { code, stderr } = await runCli(['replicate', ...args], { env });
    expect({ code, stderr }).toMatchObject({ code: 1, stderr: expect.stringContaining(`${missing}: no MongoDB was`) });
  }
});

test('what cannot be compared has an exit code of its own', async () => {
  const { code, stderr } = await runCli(['replicate', '--source', SOURCE, '--target', TARGET, '--verify']);
  expect(code).toBe(2);
  expect(stderr).toContain('the source 127.0.0.1:1: no MongoDB was found within 100 ms');
});

test('the help has the exit codes', async () => {
  const { stdout } = await runCli(['replicate', '--help']);
  expect(stdout.replaceAll('\n', ' ')).toContain('With --verify: 0 identical, 1 different, 2 not compared.');
});

/** @type {Figures} */
const FIGURES = {
  ops: 10,
  inserts: 4,
  updates: 3,
  deletes: 2,
  commands: 1,
  noops: 5,
  migrations: 0,
  excluded: 6,
  internal: 0,
  unsupported: 7,
  batches: 8,
  bytes: 900,
  backlog: 3,
  backlogByWorker: [3],
  lagMs: 1500,
  tookMs: 1,
  copy: { phase: 'copying', documents: 1, bytes: 50, totalDocuments: 2, totalBytes: 100, indexes: 0, totalIndexes: 0 },
};

test('/metrics is what Prometheus reads', async () => {
  const { url, close } = await openMetrics(() => FIGURES, 0);
  try {
    const response = await fetch(`${url}metrics`);
    expect(response.headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8');
    /** @type {any[]} */
    const metrics = parsePrometheusTextFormat(await response.text());
    const values = Object.fromEntries(
      metrics.flatMap(({ name, metrics: samples }) =>
        samples.map((/** @type {any} */ { labels, value }) => [
          [name, ...Object.values(labels ?? {})].join(' '),
          Number(value),
        ]),
      ),
    );
    expect(values).toMatchObject({
      'oplog_replicator_operations_total inserts': 4,
      'oplog_replicator_operations_total commands': 1,
      'oplog_replicator_skipped_total unsupported': 7,
      oplog_replicator_backlog: 3,
      oplog_replicator_lag_seconds: 1.5,
      oplog_replicator_copying: 1,
      oplog_replicator_copied_bytes: 50,
      oplog_replicator_copy_size_bytes: 100,
    });
    expect((await fetch(`${url}other`)).status).toBe(404);
    expect((await fetch(`${url}metrics`, { method: 'POST' })).status).toBe(405);
    await expect(openMetrics(() => FIGURES, Number(new URL(url).port))).rejects.toThrow(
      /^--metrics-port \d+ is in use on 127\.0\.0\.1: stop what listens there, or choose another port/,
    );
  } finally {
    close();
  }
});

/** @param {Partial<Figures>} figures @returns {Figures} */
const figuresWith = (figures) => /** @type {any} */ ({ ops: 0, lagMs: 0, copy: null, ...figures });
/** @param {Partial<CopyFigures>} copy @returns {CopyFigures} */
const copyWith = (copy) => ({
  phase: 'copying',
  documents: 0,
  bytes: 0,
  totalDocuments: 100,
  totalBytes: 100e6,
  indexes: 0,
  totalIndexes: 0,
  ...copy,
});

test('a copy has a share, a rate and the time left', () => {
  const words = new ProgressWords();
  expect(words.describe(figuresWith({ copy: copyWith({}) }), 0)).toBe(
    'copying: 0 %, 0 documents, 0 kB of 100.0 MB, 0 kB/s',
  );
  expect(words.describe(figuresWith({ copy: copyWith({ documents: 2500, bytes: 25e6 }) }), 1000)).toBe(
    'copying: 25 %, 2,500 documents, 25.0 MB of 100.0 MB, 25.0 MB/s, about 3 s left',
  );
});

test('a source that has grown does not make a share above 100 %', () => {
  expect(new ProgressWords().describe(figuresWith({ copy: copyWith({ bytes: 2e8 }) }), 0)).toBe(
    'copying: 100 %, 0 documents, 200.0 MB of 200.0 MB, 0 kB/s',
  );
});

test('catching up has the time left, from how fast the lag shrinks', () => {
  const words = new ProgressWords();
  const copy = copyWith({ phase: 'catching up' });
  words.describe(figuresWith({ copy, ops: 0, lagMs: 60_000 }), 0);
  expect(words.describe(figuresWith({ copy, ops: 4000, lagMs: 40_000 }), 2000)).toBe(
    'catching up with what changed during the copy: 4,000 operations, 2,000/s, 40 s behind, about 4 s left',
  );
  expect(words.describe(figuresWith({ copy, ops: 8000, lagMs: 80_000 }), 4000)).toBe(
    'catching up with what changed during the copy: 8,000 operations, 2,000/s, 80 s behind',
  );
});

test('following has the lag, and a rate of the last seconds only', () => {
  const words = new ProgressWords();
  words.describe(figuresWith({ ops: 0 }), 0);
  words.describe(figuresWith({ ops: 90_000 }), 10_000);
  expect(words.describe(figuresWith({ ops: 91_000, lagMs: 12.4 }), 20_000)).toBe(
    'following the oplog: 91,000 operations, 100/s, 12 ms behind',
  );
});

test('building indexes counts them', () => {
  const copy = copyWith({ phase: 'building indexes', indexes: 3, totalIndexes: 10 });
  expect(new ProgressWords().describe(figuresWith({ copy }))).toBe('building indexes: 3 of 10');
});

test('amounts have units that people read', () => {
  expect([0, 1500, 2.5e6, 3e12].map(formatBytes)).toEqual(['0 kB', '2 kB', '2.5 MB', '3000.0 GB']);
  expect([0.2, 119, 121, 7200].map(formatDuration)).toEqual(['1 s', '119 s', '3 min', '2.0 h']);
});
