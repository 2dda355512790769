import { readdirSync, readFileSync } from 'node:fs';

/**
 * What Linux says about a process.
 *
 * @typedef {object} ProcessInfo
 * @property {number} parent process id
 * @property {number} group
 * @property {string} startedAt in clock ticks since the system started
 */

/**
 * @param {number | 'self'} pid
 * @returns {ProcessInfo | undefined} undefined if it has ended, or the system has no /proc
 */
export function readProcess(pid) {
  const text = readOf(pid, 'stat');
  // The name of the program comes first, and may contain anything. See proc(5) for the other fields.
  const [state, parent, group, ...others] = text.slice(text.lastIndexOf(')') + 2).split(' ');
  // A zombie has ended, but its parent has not noticed.
  if (group === undefined || state === 'Z') return undefined;
  return { parent: Number(parent), group: Number(group), startedAt: others[16] };
}

/**
 * Lists a process and those that it started, directly or not.
 *
 * @param {number} root
 * @returns {number[]} process ids; only `root` if the system has no /proc
 */
export function listTree(root) {
  const all = (process.platform === 'linux' ? readdirSync('/proc') : [])
    .filter((name) => /^\d+$/.test(name))
    .map((name) => ({ pid: Number(name), parent: readProcess(Number(name))?.parent }));
  const tree = [root];
  for (const pid of tree) tree.push(...all.filter(({ parent }) => parent === pid).map((one) => one.pid));
  return tree;
}

/** Whether npm or npx started a process, or one that it comes from. @param {number} pid */
export function isUnderNpm(pid) {
  return readSetting(pid, 'npm_command') !== undefined;
}

/**
 * @param {number} pid
 * @param {string} name
 * @returns {string | undefined} a setting in the environment that the process was started with
 */
export function readSetting(pid, name) {
  const found = readOf(pid, 'environ')
    .split('\0')
    .find((setting) => setting.startsWith(`${name}=`));
  return found?.slice(name.length + 1);
}

/** @param {number | 'self'} pid @param {string} file @returns {string} empty if it can't be read */
function readOf(pid, file) {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8');
  } catch {
    return '';
  }
}
