import { fork } from 'node:child_process';
import { once } from 'node:events';
import { constants } from 'node:os';
import { fileURLToPath } from 'node:url';
import { openReports } from '../harness/attach-reports.js';
import { attachOptions, mongoSettings } from '../harness/attached-app.js';
import { describeEmbedded, describeSilence, watchSilentDatabases } from '../harness/silent-database.js';
import { findFreePorts } from '../../src/base/free-ports.js';
import { printCommand, toPrintable } from '../../src/base/printable.js';
import { childEnvironment } from '../../src/process/child-environment.js';
import { openOverview } from '../watch/overview-page.js';
import { watchTimeouts } from '../watch/timeout-warnings.js';
import { explainUnwatched } from '../harness/unwatched-app.js';
import { parsePort } from './option-parsers.js';
import { onSignal } from './signals.js';

/** @import { OptionRow } from './add-command.js' */
/** @import { AttachedProcess } from '../harness/attach-reports.js' */
/** @typedef {(report: (line: string) => void) => Promise<{ url: string, stop: () => Promise<unknown> }>} StartMongo */

/** How long the command may take to end after a signal, before it is killed. */
const GRACE_MS = 10_000;
const GUARD = fileURLToPath(new URL('../watch/command-guard.js', import.meta.url));

/** What each command that watches an app has in common. */
export const WATCHING = {
  about: 'run your own app, and show its pools on a page. Your code is not changed',
  usage: '[options] -- <command...>',
  arguments: /** @type {[string, string][]} */ ([
    ['<command...>', 'what starts your app, after --, such as node app.js'],
  ]),
  options: /** @type {OptionRow[]} */ ([
    ['--port <n>', 'port of the page, on loopback; 0 picks a free one', parsePort, 0],
    ['--server-timing', 'each response says in Server-Timing how long it waited for a connection'],
  ]),
};

/**
 * Runs an app with the monitor attached, and shows its pools on a page, until the app ends. Sets this process's exit
 * code to the app's.
 *
 * @param {string[]} words the command that starts the app
 * @param {object} options
 * @param {number} options.port of the page
 * @param {boolean} options.serverTiming
 * @param {'pool-lab' | 'mongodb-pool-monitor'} options.tool that the user started; only the first has other commands
 * @param {StartMongo} [options.startMongo] for the app; default: it has its own
 */
export async function watchApp(words, { port, serverTiming, tool, startMongo }) {
  const report = (/** @type {string} */ line) => {
    process.stderr.write(`${tool}: ${toPrintable(line)}\n`);
  };
  const isWhole = tool === 'pool-lab';
  const reports = await openReports();
  /** What ends what was started. @type {(() => unknown)[]} */
  const ends = [reports.close];
  try {
    /** Why nothing is watched. @type {string[]} */
    const problems = [];
    const overview = await openOverview(reports.processes, { port, command: printCommand(words), problems });
    ends.push(overview.close);
    const mongo = await startMongo?.(report);
    if (mongo) ends.push(mongo.stop);
    report(`the pools of this app: ${overview.url}`);
    const stop = new AbortController();
    ends.push(() => stop.abort());
    const onSilent = (/** @type {AttachedProcess} */ found) =>
      report(describeSilence(found, { ourMongo: mongo?.url, mayStart: isWhole }));
    watchTimeouts(reports, report);
    watchSilentDatabases(reports.processes, { onSilent, stop: stop.signal });
    const onProblem = (/** @type {string} */ problem) => {
      problems.push(toPrintable(problem));
      report(problem);
    };
    const settings = {
      ...mongoSettings(mongo?.url ?? ''),
      ...attachOptions(),
      POOL_MONITOR_REPORT_TO: reports.url,
      // The same for each process that a restart of the app brings.
      POOL_MONITOR_PORT: childEnvironment({}).POOL_MONITOR_PORT ?? String((await findFreePorts(1))[0]),
      ...(serverTiming && { POOL_MONITOR_SERVER_TIMING: 'on' }),
    };
    process.exitCode = await runApp(words, settings, (pid) =>
      explainUnwatched(reports.processes, { root: pid, mayAttach: isWhole, onProblem, stop: stop.signal }),
    );
    if (process.exitCode === 1 && mongo && reports.processes.every(({ clients }) => clients.length === 0))
      report(`the app ended without a MongoDB. ${describeEmbedded(mongo.url)}`);
  } finally {
    await Promise.all(ends.map((end) => end()));
  }
}

/**
 * @param {string[]} command
 * @param {Record<string, string>} settings
 * @param {(pid: number) => void} onStart gets the process that starts the command
 * @returns {Promise<number>} the exit code of the command
 */
async function runApp([file, ...args], settings, onStart) {
  // If this process is killed, the app must not outlive it.
  const guard = fork(GUARD, [String(GRACE_MS), file, ...args], { execArgv: [], env: childEnvironment(settings) });
  onStart(Number(guard.pid));
  /** @type {NodeJS.Timeout | undefined} */
  let patience;
  // Ctrl-C reaches the app as well, and the app decides when to end.
  const stopListening = onSignal((name) => {
    if (name !== 'SIGINT' || !process.stdin.isTTY) guard.send(name);
    patience ??= setTimeout(() => guard.send('SIGKILL'), GRACE_MS);
  });
  try {
    const killed = once(guard, 'exit').then(() => {
      throw new Error('The process that guards the app was killed');
    });
    const [{ code, signal, problem }] = await Promise.race([once(guard, 'message'), killed]);
    if (problem)
      throw new Error(
        code === 'ENOENT'
          ? `${file} can't be started: there is no such command. Put what starts your app after --: -- node app.js`
          : `${file} can't be started: ${problem}`,
      );
    return signal ? 128 + constants.signals[/** @type {NodeJS.Signals} */ (signal)] : code;
  } finally {
    clearTimeout(patience);
    stopListening();
  }
}
