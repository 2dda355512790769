import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { printCommand } from '../../src/base/printable.js';
import { listPrograms } from './programs.js';

/** Node listens for it and then opens its inspector. Other programs end when they get it. */
const SIGUSR1 = 10;
const DEFAULT_PORT = 9229;
/** Programs that run JavaScript, but can't load the monitor. */
const OTHER_RUNTIMES = ['bun', 'deno'];

/**
 * A process that can be attached to.
 * @typedef {object} NodeTarget
 * @property {number} pid
 * @property {string} command without the secrets in it
 * @property {number} port where its inspector listens, or will
 */

/**
 * Looks at a process without touching it.
 *
 * @param {number} pid
 * @returns {Promise<NodeTarget>}
 * @throws {Error} saying why it can't be attached to
 */
export async function examineTarget(pid) {
  checkAccess(pid);
  const program = (await listPrograms(pid)).find((each) => each.pid === pid);
  // Windows does not say, and has no such signal.
  if (!program && process.platform !== 'linux') return { pid, command: `process ${pid}`, port: DEFAULT_PORT };
  const { name, words } = program ?? { name: '', words: [] };
  if (!/^node/.test(name)) throw new Error(describeOther({ pid, name }));
  // Without a handler, the signal would end the process.
  if (
    process.platform === 'linux' &&
    !catches(await readFile(`/proc/${pid}/status`, 'utf8').catch(() => ''), SIGUSR1)
  ) {
    throw new Error(
      `Process ${pid} does not listen for SIGUSR1, so its inspector can't be opened. It was started with ` +
        '--disable-sigusr1, or has only just started. Start it again with: pool-lab watch -- COMMAND',
    );
  }
  return { pid, command: printProgram(words), port: readPort(words) };
}

/** Shows a command line, with file names in place of paths. @param {string[]} words */
export function printProgram(words) {
  // Short, but a connection string must stay whole to be recognised.
  return printCommand(words.map((word) => (path.isAbsolute(word) ? path.basename(word) : word)));
}

/** Whether it is Bun or Deno. @param {{ name: string }} program */
export function isOtherRuntime({ name }) {
  return OTHER_RUNTIMES.includes(name);
}

/** Says why a program that is not Node.js can't be watched. @param {{ pid: number, name: string }} program */
export function describeOther({ pid, name }) {
  const what = `Process ${pid} is not Node.js: it runs ${name || 'a program that cannot be read'}`;
  const advice = isOtherRuntime({ name })
    ? '. Start the app with Node.js, as in: -- node app.js, or -- npx tsx app.ts'
    : '';
  return `${what}. Only Node.js processes with the mongodb driver can be watched${advice}`;
}

/** @param {number} pid */
function checkAccess(pid) {
  if (pid === process.pid) throw new Error(`Process ${pid} is this command itself`);
  try {
    process.kill(pid, 0);
  } catch (cause) {
    const { code } = /** @type {NodeJS.ErrnoException} */ (cause);
    throw new Error(
      code === 'EPERM'
        ? `Process ${pid} belongs to another user`
        : `There is no process ${pid}: look up its id again, it may have been restarted`,
      { cause },
    );
  }
}

/** @param {string} status of /proc @param {number} signal */
function catches(status, signal) {
  const [, mask = '0'] = status.match(/^SigCgt:\s*([0-9a-f]+)$/m) ?? [];
  return ((BigInt(`0x${mask}`) >> BigInt(signal - 1)) & 1n) === 1n;
}

/** @param {string[]} words of the command line */
function readPort(words) {
  const option = words.map((word) => word.match(/^--inspect(?:-brk|-port|-wait)?=(?:.*:)?(\d+)$/)?.[1]).find(Boolean);
  return Number(option ?? DEFAULT_PORT);
}
