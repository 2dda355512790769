import { isUnderNpm, readProcess } from './process-info.js';

const CHECK_MS = 250;
const PARENT = process.ppid;

/**
 * Calls `end` once this process has lost the one that started it:
 *
 * - A process with an IPC channel has, when its parent closes the channel, which includes a parent that dies.
 * - One that was started by npm or npx has, when npm dies. On a signal npm ends without it, or forwards the signal to
 *   the shell between the two, which keeps it.
 *
 * Any other process may outlive its parent.
 * @param {() => unknown} end
 * @returns {() => void} stops watching
 */
export function onParentGone(end) {
  if (process.send) {
    process.once('disconnect', end);
    // While this process was loading, nobody heard the event.
    if (!process.connected) end();
    return () => process.off('disconnect', end);
  }
  if (process.env.npm_command === undefined) return () => {};
  const check = setInterval(() => {
    if (!hasLostNpm()) return;
    clearInterval(check);
    end();
  }, CHECK_MS).unref();
  return () => clearInterval(check);
}

/**
 * Looks up from this process, through the shells that npm started, to npm. All are in one process group:
 *
 *     npm  <-  sh -c "node src/server.js"  <-  node src/server.js
 *
 * Without npm, the shell belongs to another process, which is in another group. An interactive shell that was once
 * started by npm also has a group of its own.
 */
function hasLostNpm() {
  if (process.ppid !== PARENT) return true;
  const own = readProcess('self')?.group;
  let pid = PARENT;
  for (;;) {
    const info = readProcess(pid);
    // It has just ended, or the system is not Linux: there, most shells are replaced by what they run.
    if (!info) return false;
    const isAbove = isUnderNpm(pid);
    if (info.group !== own) return !isAbove;
    if (!isAbove) return false;
    pid = info.parent;
  }
}
