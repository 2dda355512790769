import { readFile, readlink } from 'node:fs/promises';
import path from 'node:path';
import { printCommand } from '../../src/base/printable.js';

/** Node listens for it and then opens its inspector. Other programs end when they get it. */
const SIGUSR1 = 10;
const DEFAULT_PORT = 9229;

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
  if (process.platform !== 'linux') return { pid, command: `process ${pid}`, port: DEFAULT_PORT };
  const folder = `/proc/${pid}`;
  const [program, args, status] = await Promise.all([
    readlink(`${folder}/exe`).catch(() => ''),
    readFile(`${folder}/cmdline`, 'utf8').catch(() => ''),
    readFile(`${folder}/status`, 'utf8').catch(() => ''),
  ]);
  const words = args.split('\0').filter(Boolean);
  const name = path.basename(program.replace(/ \(deleted\)$/, ''));
  if (!/^node/.test(name))
    throw new Error(`Process ${pid} is not Node.js: it runs ${name || 'a program that cannot be read'}`);
  // Without a handler, the signal would end the process.
  if (!catches(status, SIGUSR1)) {
    throw new Error(
      `Process ${pid} does not listen for SIGUSR1, so its inspector can't be opened. It was started with ` +
        '--disable-sigusr1, or has only just started. Start it again with: pool-lab watch -- COMMAND',
    );
  }
  // Short, but a connection string must stay whole to be recognised.
  const short = words.map((word) => (path.isAbsolute(word) ? path.basename(word) : word));
  return { pid, command: printCommand(short), port: readPort(words) };
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
