// The guard process of guarded-process.js. Runs the command in argv[3] and later. When its parent disconnects, which
// includes a parent that dies, it kills the command, removes the folder in argv[2] and ends.
import { spawn } from 'node:child_process';
import { rmSync } from 'node:fs';
import { onParentGone } from './parent.js';

const [folder, file, ...args] = process.argv.slice(2);
const child = spawn(file, args, { stdio: ['ignore', 'inherit', 'inherit'] });
let isStopping = false;

function stop() {
  isStopping = true;
  child.kill('SIGKILL');
}

/** @param {{ code?: number | null, signal?: string | null, error?: string }} end */
function finish(end) {
  if (!isStopping) {
    process.send?.(end, () => process.exit());
    return;
  }
  try {
    // Other commands may still be ending in it.
    if (folder) rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  } catch {
    // The next start removes it.
  }
  process.exit();
}

child.once('exit', (code, signal) => finish({ code, signal }));
child.once('error', ({ message }) => finish({ error: message }));
process.once('SIGTERM', stop).once('SIGINT', stop).once('SIGHUP', stop);
onParentGone(stop);
