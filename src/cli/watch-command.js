import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { constants } from 'node:os';
import { Command } from 'commander';
import { openReports } from '../harness/attach-reports.js';
import { attachOptions } from '../harness/attached-app.js';
import { childEnvironment } from '../settings.js';
import { openOverview } from '../watch/overview-server.js';
import { parsePort } from './option-parsers.js';
import { SIGNALS } from './signals.js';

/** How long the command may take to end after a signal, before it is killed. */
const GRACE_MS = 10_000;

/** `pool-lab watch -- node app.js` */
export function createWatchCommand() {
  return new Command('watch')
    .usage('[options] -- <command...>')
    .description('run your own app, and show the pools of each of its processes on one page. The app stays as it is')
    .argument('<command...>', 'what starts your app, after --, such as node app.js')
    .option('--port <n>', 'port of the page with all processes, on loopback;\n0 picks a free one', parsePort, 0)
    .option('--server-timing', 'each response says in Server-Timing how long it\nwaited for a connection', false)
    .action(watch);
}

/** @param {string[]} command @param {{ port: number, serverTiming: boolean }} options */
async function watch([file, ...args], { port, serverTiming }) {
  const reports = await openReports();
  const overview = await openOverview(reports.processes, { port, command: [file, ...args].join(' ') }).catch((error) => {
    reports.close();
    throw error;
  });
  process.stderr.write(`pool-lab: all processes of this app: ${overview.url}\n`);
  const child = spawn(file, args, {
    stdio: 'inherit',
    env: childEnvironment({
      ...attachOptions(), POOL_MONITOR_REPORT_TO: reports.url, ...(serverTiming && { POOL_MONITOR_SERVER_TIMING: 'on' }),
    }),
  });
  /** @type {NodeJS.Timeout | undefined} */
  let patience;
  // Ctrl-C reaches the app as well, and the app decides when to end.
  const pass = (/** @type {NodeJS.Signals} */ name) => {
    if (name !== 'SIGINT' || !process.stdin.isTTY) child.kill(name);
    patience ??= setTimeout(() => child.kill('SIGKILL'), GRACE_MS);
  };
  for (const name of SIGNALS) process.on(name, pass);
  try {
    const [code, signal] = await once(child, 'exit').catch((cause) => {
      throw new Error(`${file} can't be started: ${cause.code === 'ENOENT' ? 'there is no such command' : cause.message}`, { cause });
    });
    process.exitCode = signal ? 128 + constants.signals[/** @type {NodeJS.Signals} */ (signal)] : code;
  } finally {
    clearTimeout(patience);
    for (const name of SIGNALS) process.off(name, pass);
    overview.close();
    reports.close();
  }
}
