import { collectText } from '../harness/child-process.js';
import { startGuarded } from '../process/guarded-process.js';
import { childEnvironment } from '../settings.js';

/** How long it may take to end, before it is killed. */
const GRACE_MS = 1000;

/**
 * Runs any load generator, in a shell.
 *
 * @param {string} command such as `k6 run load.js`; finds the app's URL in TARGET_URL
 * @param {string} target
 * @param {AbortSignal} signal ends it
 * @throws {Error} with its last output, unless it ends with exit code 0
 */
export async function runLoadCommand(command, target, signal) {
  const [file, ...args] = process.platform === 'win32' ? ['cmd', '/d', '/s', '/c'] : ['/bin/sh', '-c'];
  const child = startGuarded(file, [...args, command], { graceMs: GRACE_MS, env: childEnvironment({ TARGET_URL: target }), signal });
  const outputs = [collectText(child.stdout), collectText(child.stderr)];
  const how = await child.ended;
  signal.throwIfAborted();
  if (how === 'exit code 0') return;
  throw new Error(`the load command ended with ${how}: ${command}\n${outputs.map((read) => read()).filter(Boolean).join('\n')}`.trim());
}
