import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cleanUp } from 'test-support/cleanup.js';

/**
 * Create a network with only loopback for child processes: a Linux network namespace, until the test file ends.
 * @returns {Promise<string[] | undefined>} prefix for a command that runs there; undefined where the system does not
 *   support or allow this
 * @throws {Error} on Linux in CI, where nothing may be skipped
 */
export async function cutNetwork() {
  if (process.platform !== 'linux') return undefined;
  const isRoot = process.getuid?.() === 0;
  const holder = spawn(
    'unshare',
    ['--net', ...(isRoot ? [] : ['--user', '--map-root-user']), 'sh', '-c', 'ip link set lo up && echo up && exec cat'],
    { stdio: ['pipe', 'pipe', 'ignore'] },
  );
  cleanUp(() => holder.stdin.end());
  const isUp = await Promise.race([
    once(holder.stdout, 'data').then(() => true),
    once(holder, 'exit').then(() => false),
    once(holder, 'error').then(() => false),
  ]);
  if (!isUp) {
    const problem = 'Can not cut the network: unshare does not work.';
    if (process.env.CI) throw new Error(problem);
    process.stderr.write(`${problem} Commands run with the network.\n`);
    return undefined;
  }
  return ['nsenter', '--target', String(holder.pid), '--net', ...(isRoot ? [] : ['--user', '--preserve-credentials'])];
}
