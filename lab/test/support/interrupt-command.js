import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, readlink } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { expect } from '@jest/globals';
import { cleanEnvironment } from '../../../test/support/start-app.js';
import { cleanUp, scratchFolder } from 'test-support/cleanup.js';
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
 * What is known of a command that runs.
 * @typedef {object} CommandState
 * @property {string} said on stderr
 * @property {string[]} files temporary ones of it
 * @property {() => Promise<string[]>} listCommands command lines of its processes
 */

/** That one of its processes has this in its command line. @param {string} words */
export const hasProcess =
  (words) =>
  async (/** @type {CommandState} */ { listCommands }) =>
    (await listCommands()).some((command) => command.includes(words));

/**
 * Runs `pool-lab` and sends a signal to the process that was started.
 * @param {string[]} args
 * @param {object} options
 * @param {string} options.folder working directory
 * @param {(state: CommandState) => unknown} options.when asked again and again: truthy when it is time for the signal
 * @param {NodeJS.Signals} options.signal
 * @param {Record<string, string>} [options.env]
 * @param {keyof typeof RUNNERS} [options.by]
 * @returns {Promise<{ code: number, stderr: string, left: string[] }>} the exit code as in a shell, and the temporary
 *   files left over
 * @throws {Error} when one of its processes does not end
 */
export async function interruptCommand(args, { folder, when, signal, env, by = 'node' }) {
  const temp = await mkdtemp(path.join(folder, 'temp-'));
  const [file, ...rest] = [...RUNNERS[by], ...args];
  const child = spawn(file, rest, {
    cwd: folder,
    env: cleanEnvironment({ ...env, TMPDIR: temp, ...(by === 'shell' && { npm_command: 'exec' }) }),
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let said = '';
  child.stderr.setEncoding('utf8').on('data', (text) => {
    said += text;
  });
  cleanUp(() => child.kill('SIGKILL'));
  const ended = once(child, 'exit');
  const listCommands = async () => (await processesWith(temp)).map(({ command }) => command);
  await until(
    'it is time for the signal',
    async () => {
      // To look at all processes takes a while.
      await sleep(POLL_MS);
      if (child.exitCode !== null) throw new Error(`it ended before the signal: ${said}`);
      return when({ said, files: await readdir(temp), listCommands });
    },
    WAIT_MS,
  );
  child.kill(signal);
  const [code, name] = await ended;
  /** @type {Awaited<ReturnType<typeof processesWith>>} */
  let running = [];
  const areGone = async () => (running = await processesWith(temp)).length === 0;
  await until('no process of it is left', areGone, WAIT_MS).catch((error) => {
    for (const { pid } of running) process.kill(pid, 'SIGKILL');
    throw new Error(`${error.message}: ${running.map(({ command }) => command).join(', ')}`);
  });
  return {
    code: code ?? 128 + signalNumbers[/** @type {keyof typeof signalNumbers} */ (name)],
    stderr: said,
    left: await readdir(temp),
  };
}

/**
 * Expects that a run of a lab, or a case, ends at a signal and leaves nothing over: both while its MongoDB starts, and
 * in its first step.
 * @param {string[]} args
 */
export async function expectInterruptible(args) {
  const isRun = args[0] === 'run';
  const isWorking = isRun ? (/** @type {CommandState} */ { said }) => said !== '' : hasProcess('shop.mjs');
  const folder = await scratchFolder();
  const moments = /** @type {const} */ ([
    ['SIGINT', 130, hasProcess('mongod ')],
    ['SIGTERM', 143, isWorking],
  ]);
  for (const [signal, code, when] of moments) {
    const end = await interruptCommand(args, { folder, when, signal, env: { POOL_LAB_DATA: folder } });
    expect({ signal, ...end }).toMatchObject({ signal, code, left: [] });
    // A signal that nobody handles has the same exit code.
    if (isRun) expect(end.stderr).toMatch(/^Interrupted: everything that was started has been stopped/m);
    expect(end.stderr).not.toMatch(/^ +at /m);
  }
}

const POLL_MS = 100;
/** Much longer than a command takes to start or to end, on a busy machine too. */
const WAIT_MS = 60_000;
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
