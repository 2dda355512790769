// The guard process of guarded-process.js. Runs the command in argv[4] and later. When its parent disconnects, which
// includes a parent that dies, it ends the command and whatever that started, removes the folder in argv[2] and ends.
// All of them together have argv[3] ms to end by themselves: npm, or a shell, often ends before the app behind it.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { onParentGone } from './parent.js';
import { isGroupRunning } from './process-info.js';

const POLL_MS = 25;
/** How long a killed process may take to be gone. */
const KILL_MS = 10_000;

/** Windows has no process groups. There, only the command itself can be ended. */
const hasGroup = process.platform !== 'win32';
const [folder, graceMs, file, ...args] = process.argv.slice(2);
const child = spawn(file, args, { stdio: ['ignore', 'inherit', 'inherit'], detached: hasGroup });
/** @type {Promise<void> | undefined} */
let ending;

async function stop() {
  await endAll();
  try {
    if (folder) rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  } catch {
    // The next start removes it.
  }
  process.exit();
}

/** The command has ended by itself. @param {{ code?: number | null, signal?: string | null, error?: string }} end */
async function finish(end) {
  if (ending) return;
  const told = new Promise((resolve) => (process.send ? process.send(end, resolve) : resolve(undefined)));
  await Promise.all([endAll(), told]);
  process.exit();
}

/** Ends the command and what it has left behind. */
function endAll() {
  ending ??= (async () => {
    if (Number(graceMs) > 0 && signalAll('SIGTERM')) await untilAllEnded(Number(graceMs));
    if (signalAll('SIGKILL')) await untilAllEnded(KILL_MS);
  })();
  return ending;
}

/** @param {NodeJS.Signals} name @returns {boolean} whether somebody gets it */
function signalAll(name) {
  if (!hasGroup) return child.kill(name);
  try {
    return isGroupRunning(Number(child.pid)) && process.kill(-Number(child.pid), name);
  } catch {
    // The last one has just ended, or it could not be started.
    return false;
  }
}

/** @param {number} limitMs */
async function untilAllEnded(limitMs) {
  const endsAtMs = performance.now() + limitMs;
  const isChildRunning = () => child.exitCode === null && child.signalCode === null;
  if (isChildRunning()) await Promise.race([once(child, 'exit'), sleep(limitMs)]);
  while (hasGroup && isGroupRunning(Number(child.pid)) && performance.now() < endsAtMs) await sleep(POLL_MS);
}

child.once('exit', (code, signal) => finish({ code, signal }));
child.once('error', ({ message }) => finish({ error: message }));
process.on('SIGTERM', stop).on('SIGINT', stop).on('SIGHUP', stop);
onParentGone(stop);
