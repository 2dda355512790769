import { collectText, startGuarded } from '../../../src/process/guarded-process.js';
import { childEnvironment } from '../../../src/process/child-environment.js';

/** @import { ClientReport, RunLoad } from './load-types.js' */

/** How long it may take to end, before it is killed. */
const GRACE_MS = 1000;

/**
 * @typedef {object} LoadCommand
 * @property {string} command such as `k6 run load.js`; finds the app's URL in TARGET_URL
 * @property {string} target
 */

/**
 * Runs any load generator, in a shell. Throws an error with its last output, unless it ends with exit code 0.
 *
 * @type {RunLoad<LoadCommand, ClientReport>}
 */
export async function runLoadCommand({ command, target }, { signal } = {}) {
  const [file, ...args] = process.platform === 'win32' ? ['cmd', '/d', '/s', '/c'] : ['/bin/sh', '-c'];
  const env = childEnvironment({ TARGET_URL: target });
  const child = startGuarded(file, [...args, command], { graceMs: GRACE_MS, env, signal });
  const outputs = [collectText(child.stdout), collectText(child.stderr)];
  const how = await child.ended;
  signal?.throwIfAborted();
  if (how === 'exit code 0') return { figures: {}, warnings: [] };
  const texts = outputs.map((read) => read()).filter(Boolean);
  throw new Error(`the load command ended with ${how}: ${command}\n${texts.join('\n')}`.trim());
}
