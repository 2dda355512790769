import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readdir, readFile, readlink } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { cleanEnvironment } from '../../../test/support/start-app.js';
import { until } from 'test-support/waiting.js';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
const POOL_LAB = [process.execPath, path.join(ROOT, 'lab/cli.js')];

/** How to run `pool-lab`, or with `npm` its scripts. In a shell it is a child process, as it is where npm runs it. */
const RUNNERS = {
  node: POOL_LAB,
  shell: ['sh', '-c', '"$@"; exit $?', 'sh', ...POOL_LAB],
  npx: ['npx', '--prefix', ROOT, 'pool-lab'],
  npm: ['npm', '--prefix', ROOT],
};

/**
 * Runs `pool-lab` and sends a signal to the process that was started.
 * @param {string[]} args
 * @param {object} options
 * @param {string} options.folder working directory
 * @param {number} options.afterMs when to send the signal
 * @param {boolean} [options.isAfterFirstFile] count from its first temporary file, such as those of its embedded
 *   MongoDB
 * @param {NodeJS.Signals} [options.signal]
 * @param {Record<string, string>} [options.env]
 * @param {keyof typeof RUNNERS} [options.by]
 * @returns {Promise<{ code: number, tookMs: number, stderr: string, left: string[] }>} the exit code as in a shell, how
 *   long it took to end, and the temporary files left over
 * @throws {Error} when one of its processes still runs 5 s after the signal
 */
export async function interruptCommand(
  args,
  { folder, afterMs, signal = 'SIGINT', env, isAfterFirstFile, by = 'node' },
) {
  const temp = path.join(folder, `temp-${args.slice(1).join('-').replaceAll(/\W+/g, '-')}-${afterMs}-${signal}`);
  await mkdir(temp);
  const [file, ...rest] = [...RUNNERS[by], ...args];
  const child = spawn(file, rest, {
    cwd: folder,
    env: cleanEnvironment({ ...env, TMPDIR: temp, ...(by === 'shell' && { npm_command: 'exec' }) }),
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let stderr = '';
  child.stderr.setEncoding('utf8').on('data', (text) => {
    stderr += text;
  });
  const ended = once(child, 'exit');
  const waited = async () => {
    if (isAfterFirstFile) await until('it has a temporary file', async () => (await readdir(temp)).length > 0);
    return sleep(afterMs, false);
  };
  const isEarly = await Promise.race([ended.then(() => true), waited()]);
  if (isEarly) throw new Error(`it ended before the signal: ${stderr}`);
  const sentAt = performance.now();
  child.kill(signal);
  const [code, name] = await ended;
  const tookMs = performance.now() - sentAt;
  /** @type {Awaited<ReturnType<typeof processesWith>>} */
  let running = [];
  await until(
    'no process of it is left',
    async () => (running = await processesWith(temp)).length === 0,
    5000 - tookMs,
  ).catch((error) => {
    for (const { pid } of running) process.kill(pid, 'SIGKILL');
    throw new Error(`${error.message}: ${running.map(({ command }) => command).join(', ')}`);
  });
  return {
    code: code ?? 128 + signalNumbers[/** @type {keyof typeof signalNumbers} */ (name)],
    tookMs,
    stderr,
    left: await readdir(temp),
  };
}

const signalNumbers = { SIGHUP: 1, SIGINT: 2, SIGKILL: 9, SIGTERM: 15 };

/**
 * The processes of one command, found by the TMPDIR in their environment. A process that has just ended has none.
 * @param {string} folder
 */
async function processesWith(folder) {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const found = await Promise.all(
    pids.map(async (pid) => {
      const environment = await readFile(`/proc/${pid}/environ`, 'utf8').catch(() => '');
      const isOurs =
        environment.includes(`TMPDIR=${folder}\0`) &&
        (await readlink(`/proc/${pid}/exe`).then(
          () => true,
          () => false,
        ));
      const command = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '');
      return isOurs ? [{ pid: Number(pid), command: command.replaceAll('\0', ' ') }] : [];
    }),
  );
  return found.flat();
}
