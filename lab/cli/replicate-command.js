import { formatNumber } from 'mongodb-pool-page/universal/quantity.js';
import { CHECKPOINT_DATABASE, replicate, verify } from 'oplog-replicator';
import { escapeControls } from '../../src/base/printable.js';
import { readSettings } from '../../src/settings.js';
import { WORKER_OPTIONS } from '../labs/replication/worker-options.js';
import { formatBytes, formatDuration, ProgressWords } from './describe-progress.js';
import { runReplicationDemo } from './replicate-demo.js';
import { openMetrics } from './replication-metrics.js';
import { collect, parsePort, parseText, parseUpTo } from './option-parsers.js';
import { runUntilSignal } from './signals.js';
import { StatusLine } from './status-line.js';

/** @import { Command } from 'commander' */
/** @import { CommandData } from './add-command.js' */
/** @import { Figures, Filter, ReplicateOptions, Verification } from 'oplog-replicator' */

const MAX_WORKERS = 256;
const NEVER_REPLICATED = ['admin', 'config', 'local', CHECKPOINT_DATABASE];
/** As cmp and diff exit when they could not compare. */
const NOT_COMPARED = 2;

const EXIT_CODES = `
Exit codes: 0 once caught up; 1 after an error; 130 after Ctrl-C and 143 after
SIGTERM, when it stopped cleanly and the same command continues. With --verify:
0 identical, 1 different, 2 not compared.`;

/**
 * @typedef {object} ReplicateCommandOptions
 * @property {string} [source]
 * @property {string} [target]
 * @property {string[]} [include]
 * @property {string[]} [exclude]
 * @property {number} workers
 * @property {ReplicateOptions['hash']} hash
 * @property {ReplicateOptions['merge']} merge
 * @property {number} [metricsPort]
 * @property {boolean} untilCaughtUp
 * @property {boolean} verify
 * @property {boolean} demo
 */

/** @type {CommandData} */
export const command = {
  about:
    'copy a replica set to another MongoDB, and follow its oplog until Ctrl-C. The same command continues where it ' +
    'stopped. The target must not have the collections yet',
  options: [
    ['--source <url>', 'connection string of the replica set to read, in place of MONGO_URL'],
    ['--target <url>', 'connection string of the MongoDB to write to, in place of MONGO_TARGET_URL'],
    [
      '--include <name>',
      'replicate only this database, or this collection: db.collection; repeatable',
      collect(parseName),
    ],
    ['--exclude <name>', 'do not replicate this database or collection; repeatable', collect(parseText)],
    ['--workers <n>', 'how many batches to write at once', parseUpTo(MAX_WORKERS), 4],
    ['--hash <what>', WORKER_OPTIONS.hash.about, WORKER_OPTIONS.hash.choices, 'id'],
    ['--merge <rule>', WORKER_OPTIONS.merge.about, WORKER_OPTIONS.merge.choices, 'all'],
    ['--until-caught-up', 'end once the target has everything that the source has'],
    ['--metrics-port <n>', 'serve /metrics for Prometheus on this loopback port; 0 picks a free one', parsePort],
    [
      '--verify',
      'only compare source and target, range by range. It reads all documents. ' +
        'For a definite answer, let the source rest',
    ],
    ['--demo', 'start two MongoDBs to try it with. A shop writes to the first one until Ctrl-C'],
  ],
  more: EXIT_CODES,
  example: '--source mongodb://127.0.0.1:27017/ --target mongodb://127.0.0.1:27018/',
  run: runReplicate,
};

/** @param {ReplicateCommandOptions} options @param {Command} self */
async function runReplicate({ include, exclude, demo, ...options }, self) {
  if (demo) {
    const given = self.options.filter((option) => self.getOptionValueSource(option.attributeName()) === 'cli');
    if (given.length > 1) throw new Error('--demo needs no other option: it prints the command to use next');
    await runReplicationDemo();
    return;
  }
  const settings = readSettings();
  const source = requireUrl('--source', options.source, 'MONGO_URL', settings.mongoUrl);
  const target = requireUrl('--target', options.target, 'MONGO_TARGET_URL', settings.mongoTargetUrl);
  if (options.verify && (options.untilCaughtUp || options.metricsPort !== undefined)) {
    throw new Error("--verify only compares, so it can't be used with --until-caught-up or --metrics-port");
  }
  const ends = { source, target, namespaces: { include, exclude } };
  await runUntilSignal(
    (signal) => (options.verify ? compare(ends, signal) : follow(ends, { ...options, signal })),
    'Interrupted. The same command continues from the last checkpoint.',
  );
}

/**
 * @param {{ source: string, target: string, namespaces: Filter }} ends
 * @param {Pick<ReplicateCommandOptions, 'workers' | 'hash' | 'merge' | 'metricsPort' | 'untilCaughtUp'> &
 *   { signal: AbortSignal }} options
 */
async function follow({ source, target, namespaces }, { workers, hash, merge, metricsPort, untilCaughtUp, signal }) {
  const replication = await replicate({
    sources: [source],
    target,
    workers,
    hash,
    merge,
    namespaces,
    signal,
    from: 'snapshot',
    onWait: (other) =>
      process.stderr.write(`Waiting until it is clear whether another replicator has ended: ${other}\n`),
    until: untilCaughtUp ? 'caught up' : undefined,
    onUnsupported: ({ kind, name }) => status.report(escapeControls(`Not replicated: ${name} (${kind})`)),
  });
  const words = new ProgressWords();
  const status = new StatusLine(process.stderr, () => words.describe(replication.figures()));
  try {
    const metrics = metricsPort === undefined ? null : await openMetrics(replication.figures, metricsPort);
    if (metrics) status.report(`Metrics: ${metrics.url}metrics`);
    status.report(
      replication.figures().copy
        ? 'Copying what is there, then following the oplog'
        : 'Following the oplog from the checkpoint',
    );
    const figures = await replication.done.finally(() => metrics?.close());
    status.stop();
    process.stderr.write(`${describeEnd(figures, signal.aborted)}\n`);
  } finally {
    status.stop();
    await replication.stop();
  }
}

/** @param {Figures} figures @param {boolean} isStopped */
function describeEnd({ ops, copy, tookMs }, isStopped) {
  const copied = copy ? `${formatNumber(copy.documents)} documents copied and ` : '';
  const did = `${copied}${formatNumber(ops)} operations applied in ${formatDuration(tookMs / 1000)}`;
  if (!isStopped) return `Caught up: ${did}`;
  return copy && copy.phase !== 'done'
    ? `Stopped during the copy, which is not complete: ${did}. The same command continues it`
    : `Stopped: ${did}. The same command continues`;
}

/** @param {{ source: string, target: string, namespaces: Filter }} ends @param {AbortSignal} signal */
async function compare(ends, signal) {
  let text = 'comparing';
  const status = new StatusLine(process.stderr, () => text);
  try {
    const found = await verify({
      ...ends,
      signal,
      onProgress({ bytes, totalBytes }) {
        text = `compared: ${formatBytes(bytes)} of ${formatBytes(Math.max(totalBytes, bytes))}`;
      },
    });
    status.stop();
    process.stdout.write(`${describeVerification(found)}\n`);
    if (found.differences.length > 0) process.exitCode = 1;
  } catch (error) {
    process.exitCode ||= NOT_COMPARED;
    throw error;
  } finally {
    status.stop();
  }
}

/** @param {Verification} found */
function describeVerification({ collections, documents, bytes, differences }) {
  const all = `${collections} collections, ${formatNumber(documents)} documents, ${formatBytes(bytes)}`;
  if (differences.length === 0) return `Identical: ${all}`;
  return [...differences.map(({ name, problem }) => escapeControls(`${name}: ${problem}`)), `Different: ${all}`].join(
    '\n',
  );
}

/**
 * @param {string} option
 * @param {string | undefined} given to it
 * @param {string} setting for a URL with a password: every user of the machine can read a command line
 * @param {string | undefined} set
 */
function requireUrl(option, given, setting, set) {
  const url = given ?? set;
  if (url === undefined)
    throw new Error(`${option} is missing. Pass it, such as ${option} mongodb://127.0.0.1:27017/, or set ${setting}`);
  // The error does not repeat it: it may have a password.
  if (!/^mongodb(\+srv)?:\/\//.test(url))
    throw new Error(
      `${option} must be a URL that starts with mongodb:// or mongodb+srv://, such as mongodb://127.0.0.1:27017/`,
    );
  return url;
}

/** @param {string} text */
function parseName(text) {
  const [database] = parseText(text).split('.');
  if (NEVER_REPLICATED.includes(database))
    throw new Error(`The databases ${NEVER_REPLICATED.join(', ')} are never replicated.`);
  return text;
}
