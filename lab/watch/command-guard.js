// The guard process of watch-command.js. Runs the command in argv[3] and later in the same terminal, and sends it the
// signals that it is told. When its parent has gone, it ends the command, which has argv[2] ms for that.
import { spawn } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { onParentGone } from '../../src/process/parent.js';
import { listTree, readProcess } from '../../src/process/process-info.js';

const POLL_MS = 50;

const [graceMs, file, ...args] = process.argv.slice(2);
const child = spawn(file, args, { stdio: 'inherit' });
/** @type {Set<number>} */
const signalled = new Set();

/** A shell or npm does not end what it started. @param {NodeJS.Signals} name */
function signalAll(name) {
  // In its process group, as Ctrl-C reaches them.
  const group = readProcess(Number(child.pid))?.group;
  for (const pid of listTree(Number(child.pid))) if (readProcess(pid)?.group === group) signalled.add(pid);
  for (const pid of signalled) {
    try {
      process.kill(pid, name);
    } catch {
      // It has ended.
    }
  }
}

/** @param {{ code?: number | string | null, signal?: NodeJS.Signals | null, problem?: string }} end */
async function finish(end) {
  while ([...signalled].some(readProcess)) await sleep(POLL_MS);
  if (process.connected) process.send?.(end, () => process.exit());
  else process.exit();
}

child.once('exit', (code, signal) => finish({ code, signal }));
child.once('error', (/** @type {NodeJS.ErrnoException} */ { code, message }) => finish({ code, problem: message }));
process.on('message', signalAll);
// From a terminal, they reach the command as well.
process
  .on('SIGINT', () => {})
  .on('SIGTERM', () => {})
  .on('SIGHUP', () => {});
onParentGone(() => {
  signalAll('SIGTERM');
  setTimeout(() => signalAll('SIGKILL'), Number(graceMs));
});
