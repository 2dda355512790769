import { execFile } from 'node:child_process';
import { readFile, readlink } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { listProcesses, listTree } from '../../src/process/process-info.js';

/**
 * What a process runs.
 *
 * @typedef {object} Program
 * @property {number} pid
 * @property {number} parent process id
 * @property {string} name of the executable, such as `node`; empty if it can't be read
 * @property {string[]} words of the command line
 */

/**
 * Lists what a process and those that it started run.
 *
 * @param {number} root process id
 * @returns {Promise<Program[]>} empty if the system does not say
 */
export async function listPrograms(root) {
  if (process.platform === 'linux') {
    const running = listProcesses().filter(({ isZombie }) => !isZombie);
    const tree = new Set(listTree(root, running));
    return Promise.all(running.filter(({ pid }) => tree.has(pid)).map(readProgram));
  }
  // Windows has no such command.
  const listing = await promisify(execFile)('ps', ['-axo', 'pid=,ppid=,ucomm=,args=']).catch(() => ({ stdout: '' }));
  const all = parsePrograms(listing.stdout);
  const tree = new Set(listTree(root, all));
  return all.filter(({ pid }) => tree.has(pid));
}

/** @param {{ pid: number, parent: number }} process on Linux @returns {Promise<Program>} */
async function readProgram({ pid, parent }) {
  const [file, args] = await Promise.all([
    readlink(`/proc/${pid}/exe`).catch(() => ''),
    readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => ''),
  ]);
  const name = path.basename(file.replace(/ \(deleted\)$/, ''));
  return { pid, parent, name, words: args.split('\0').filter(Boolean) };
}

/** @param {string} listing of ps: process id, parent, program and arguments in each line @returns {Program[]} */
export function parsePrograms(listing) {
  return listing.split('\n').flatMap((line) => {
    const [, pid, parent, name, args] = line.match(/^\s*(\d+)\s+(\d+)\s+(\S+)\s+(.*)$/) ?? [];
    return pid === undefined
      ? []
      : [{ pid: Number(pid), parent: Number(parent), name, words: args.trim().split(/\s+/) }];
  });
}
