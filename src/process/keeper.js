// The process of keep.js: runs the command that begins at argv[3]. When its parent lets go of it, and a parent that
// dies does so too, it kills the command, removes the folder in argv[2] and ends.
import { spawn } from 'node:child_process';
import { rmSync } from 'node:fs';

const [folder, file, ...args] = process.argv.slice(2);
const child = spawn(file, args, { stdio: ['ignore', 'inherit', 'inherit'] });
let isLetGo = false;

function letGo() {
  isLetGo = true;
  child.kill('SIGKILL');
}

/** @param {{ code?: number | null, signal?: string | null, error?: string }} end */
function finish(end) {
  if (!isLetGo) {
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
process.once('disconnect', letGo).once('SIGTERM', letGo).once('SIGINT', letGo).once('SIGHUP', letGo);
// The event does not come again.
if (!process.connected) letGo();
