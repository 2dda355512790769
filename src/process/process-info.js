import { readdirSync, readFileSync } from 'node:fs';

/**
 * What Linux says about a process.
 *
 * @typedef {object} ProcessInfo
 * @property {number} pid
 * @property {string} name of its program
 * @property {boolean} isZombie it has ended, but its parent has not noticed
 * @property {number} parent process id
 * @property {number} group
 * @property {boolean} isKernel a thread of the system
 * @property {number} ticks CPU time of it and its ended children, in clock ticks
 * @property {string} startedAt in clock ticks since the system started
 */

/** The flag PF_KTHREAD. */
const KERNEL_THREAD = 0x200000;

/**
 * Parses a line of /proc/PID/stat: https://man7.org/linux/man-pages/man5/proc_pid_stat.5.html
 * @param {string} line its name may contain spaces and brackets
 * @returns {ProcessInfo}
 */
export function parseProcess(line) {
  const [open, close] = [line.indexOf('('), line.lastIndexOf(')')];
  const fields = line.slice(close + 2).split(' ');
  return {
    pid: Number(line.slice(0, open)),
    name: line.slice(open + 1, close),
    isZombie: fields[0] === 'Z',
    parent: Number(fields[1]),
    group: Number(fields[2]),
    isKernel: (Number(fields[6]) & KERNEL_THREAD) !== 0,
    ticks: fields.slice(11, 15).reduce((total, ticks) => total + Number(ticks), 0),
    startedAt: fields[19],
  };
}

/**
 * @param {number | 'self'} pid
 * @returns {ProcessInfo | undefined} undefined if it has ended, or the system has no /proc
 */
export function readProcess(pid) {
  const line = readOf(pid, 'stat');
  const info = line === '' ? undefined : parseProcess(line);
  return info?.isZombie ? undefined : info;
}

/** @returns {ProcessInfo[]} all processes; none if the system has no /proc */
export function listProcesses() {
  return (
    (process.platform === 'linux' ? readdirSync('/proc') : [])
      .filter((name) => /^\d+$/.test(name))
      .map((name) => readOf(Number(name), 'stat'))
      // Empty where it has ended meanwhile.
      .flatMap((line) => (line === '' ? [] : parseProcess(line)))
  );
}

/**
 * Lists a process and those that it started, directly or not.
 *
 * @param {number} root
 * @param {Pick<ProcessInfo, 'pid' | 'parent'>[]} [all]
 * @returns {number[]} process ids; only `root` if the system has no /proc
 */
export function listTree(root, all = listProcesses()) {
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

/** @param {number} pid @returns {boolean} also true for a process of another user */
export function isRunning(pid) {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return /** @type {NodeJS.ErrnoException} */ (error).code !== 'ESRCH';
  }
}

/** @param {number} group @returns {boolean} whether a process of the group has not ended; always false on Windows */
export function isGroupRunning(group) {
  if (process.platform === 'linux') {
    // A signal also reaches zombies, which stay for ever where nobody waits for them, as in many containers.
    return listProcesses().some((each) => each.group === group && !each.isZombie);
  }
  try {
    return process.kill(-group, 0);
  } catch {
    return false;
  }
}
