import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readdir, readFile, readlink } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { cleanEnvironment } from './environment.js';
import { until } from './until.js';

/**
 * Run `pool-lab` and send it a signal.
 * @param {string[]} args
 * @param {object} options
 * @param {string} options.folder working directory
 * @param {number} options.afterMs when to send the signal
 * @param {NodeJS.Signals} [options.signal]
 * @param {Record<string, string>} [options.env]
 * @param {boolean} [options.isUnderNpm] run it as npx does, in a shell; the signal goes to the shell alone
 * @returns {Promise<{ code: number, tookMs: number, stderr: string, left: string[] }>} the exit code as in a shell, how long
 *   it took to end, and the temporary files left over
 * @throws {Error} when one of its processes still runs 5 s after the signal
 */
export async function interruptCommand(args, { folder, afterMs, signal = 'SIGINT', env, isUnderNpm = false }) {
  const temp = path.join(folder, `temp-${args.slice(1).join('-').replaceAll(/\W+/g, '-')}-${afterMs}-${signal}`);
  await mkdir(temp);
  const command = [process.execPath, path.resolve('src/cli.js'), ...args];
  const [file, ...rest] = isUnderNpm ? ['sh', '-c', '"$@"; exit $?', 'sh', ...command] : command;
  const child = spawn(file, rest, {
    cwd: folder, env: cleanEnvironment({ ...env, TMPDIR: temp, ...isUnderNpm && { npm_command: 'exec' } }), stdio: ['ignore', 'ignore', 'pipe'],
  });
  let stderr = '';
  child.stderr.setEncoding('utf8').on('data', (text) => { stderr += text; });
  const ended = once(child, 'exit');
  const isEarly = await Promise.race([ended.then(() => true), sleep(afterMs, false)]);
  if (isEarly) throw new Error(`it ended before the signal: ${stderr}`);
  const sentAt = performance.now();
  child.kill(signal);
  const [code, name] = await ended;
  const tookMs = performance.now() - sentAt;
  /** @type {string[]} */
  let running = [];
  await until('no process of it is left', async () => (running = await processesWith(temp)).length === 0, 5000 - tookMs)
    .catch((error) => { throw new Error(`${error.message}: ${running.join(', ')}`); });
  return { code: code ?? 128 + signalNumbers[/** @type {keyof typeof signalNumbers} */ (name)], tookMs, stderr, left: await readdir(temp) };
}

const signalNumbers = { SIGHUP: 1, SIGINT: 2, SIGKILL: 9, SIGTERM: 15 };

/**
 * The command lines of the processes of one command, found by the TMPDIR in their environment. A process that has just ended has none.
 * @param {string} folder
 */
async function processesWith(folder) {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const found = await Promise.all(pids.map(async (pid) => {
    const environment = await readFile(`/proc/${pid}/environ`, 'utf8').catch(() => '');
    const isOurs = environment.includes(`TMPDIR=${folder}\0`) && await readlink(`/proc/${pid}/exe`).then(() => true, () => false);
    return isOurs ? [(await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')).replaceAll('\0', ' ')] : [];
  }));
  return found.flat();
}
