import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { cleanUp } from 'test-support/cleanup.js';
import { sharedMongoUrl } from 'test-support/mongod.js';
import { until } from 'test-support/waiting.js';

/**
 * `pool-lab watch`, until the test ends.
 *
 * @param {string[]} args
 * @param {Record<string, string | undefined>} [env]
 * @param {{ cwd?: string }} [options]
 */
export function startWatch(args, env, { cwd } = {}) {
  const child = spawn(process.execPath, [path.resolve('lab/cli.js'), 'watch', ...args], {
    cwd,
    env: { ...process.env, APP_MONGO_URL: sharedMongoUrl(), ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const ended = once(child, 'exit');
  // Killed, it would leave the app behind.
  cleanUp(() => child.kill() && ended);
  const said = { stdout: '', stderr: '' };
  child.stdout.setEncoding('utf8').on('data', (text) => {
    said.stdout += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text) => {
    said.stderr += text;
  });
  return {
    child,
    said,
    ended,
    isReady: () => until('it has a page', () => said.stderr.includes('the pools of this app'), 60_000),
    url: () => String(said.stderr.match(/^pool-lab: the pools of this app: (\S+)$/m)?.[1]),
  };
}
