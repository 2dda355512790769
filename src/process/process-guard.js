// The guard process of guarded-process.js. Runs the command in argv[4] and later. When its parent disconnects, which
// includes a parent that dies, it ends the command and whatever that started, removes the folder in argv[2] and ends.
// The command has argv[3] ms to end by itself.
import { spawn } from 'node:child_process';
import { rmSync } from 'node:fs';
import { onParentGone } from './parent.js';

const [folder, graceMs, file, ...args] = process.argv.slice(2);
const child = spawn(file, args, { stdio: ['ignore', 'inherit', 'inherit'] });
let isStopping = false;

function stop() {
  // The group's signal comes back to us.
  if (isStopping) return;
  isStopping = true;
  if (Number(graceMs) > 0) {
    signalGroup('SIGTERM');
    setTimeout(() => child.kill('SIGKILL'), Number(graceMs)).unref();
  } else {
    child.kill('SIGKILL');
  }
}

/**
 * A shell or npm does not end what it started. We lead a group of our own, except on Windows, which has none.
 * @param {NodeJS.Signals} name
 */
function signalGroup(name) {
  if (process.platform === 'win32') child.kill(name);
  else process.kill(-process.pid, name);
}

/** @param {{ code?: number | null, signal?: string | null, error?: string }} end */
function finish(end) {
  if (!isStopping) {
    if (process.send) process.send(end, exit);
    else exit();
    return;
  }
  try {
    // Other commands may still be ending in it.
    if (folder) rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  } catch {
    // The next start removes it.
  }
  exit();
}

/** Ends with everything that the command left behind. */
function exit() {
  if (process.platform === 'win32') process.exit();
  else signalGroup('SIGKILL');
}

child.once('exit', (code, signal) => finish({ code, signal }));
child.once('error', ({ message }) => finish({ error: message }));
process.on('SIGTERM', stop).on('SIGINT', stop).on('SIGHUP', stop);
onParentGone(stop);
