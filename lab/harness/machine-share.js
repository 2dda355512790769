import { readFileSync } from 'node:fs';
import { listProcesses, listTree } from '../../src/process/process-info.js';
import { sum } from 'mongodb-pool-predictor/statistics';
import { BUSY_MACHINE } from '../report/machine.js';
import { watchThread } from './environment.js';

/** @import { ProcessInfo } from '../../src/process/process-info.js' */

/**
 * What a measurement had of this machine.
 *
 * @typedef {object} MachineUse
 * @property {number} share of all cores that other programs left, 0 to 1
 * @property {boolean} isShort whether more cores would have made a difference
 */

/**
 * Watches what other programs use of this machine's cores, from now on. On Linux: the work of all cores without that of
 * this process and all that it started. Other systems don't tell, so there it is the share of a core that this thread
 * got while it had work.
 * @param {object} options
 * @param {boolean} options.isOwnServer otherwise a mongod on this machine may be the one that is measured, and counts
 *   as ours
 * @returns {() => MachineUse} since the call
 */
export function watchMachine({ isOwnServer }) {
  const before = readCores(isOwnServer);
  const readThread = watchThread();
  return () => {
    const after = readCores(isOwnServer);
    if (before && after) return compareCores(before, after);
    const { threadBusy, cpuShare } = readThread();
    const share = Math.min(1, cpuShare / threadBusy);
    return { share, isShort: share < STARVED_SHARE };
  };
}

/** Runs that other programs spoilt got CPU time for 0.06 to 0.32 of the time in which the thread had work. */
const STARVED_SHARE = 0.6;
/** How much of the machine may be idle while the cores are short: a load takes turns, and so do others. */
const IDLE_SHARE = 0.15;

/**
 * Measurements that had less than this of the cores, when they were short, are warned of. On two quiet cores, labs had
 * 0.99 to 1, once 0.83 while the cores were not short. Beside one busy loop they had 0.36 to 0.67, beside two 0.08 to
 * 0.57: inserts and pooled queries were 0.3 to 0.75 times as many, and the ratio copy / fixed of the lab sessions was
 * 2.2 to 3.1 instead of 4.2 and 6.2. Queries that only sleep were as planned; beside one loop the cores were not short
 * then.
 */
const MIN_SHARE = 0.9;

/**
 * @param {{ variant: { name: string }, machine: MachineUse }[]} outcomes
 * @returns {string[]} warnings: one if other programs spoilt a measurement, about the worst
 */
export function warnIfBusy(outcomes) {
  const [worst] = outcomes
    .filter(({ machine }) => machine.isShort && machine.share < MIN_SHARE)
    .toSorted((a, b) => a.machine.share - b.machine.share);
  if (!worst) return [];
  const percent = Math.round(worst.machine.share * 100);
  return [`${BUSY_MACHINE}: in "${worst.variant.name}" the lab could have ${percent} % of the cores`];
}

/**
 * @typedef {{ total: number, busy: number, own: number }} CoreTimes in ticks of all cores, since the start of the
 *   machine
 */

/** @param {CoreTimes} before @param {CoreTimes} after @returns {MachineUse} */
export function compareCores(before, after) {
  const [total, busy, own] = /** @type {const} */ (['total', 'busy', 'own']).map((key) => after[key] - before[key]);
  if (total <= 0) return { share: 1, isShort: false };
  // The clocks of cores and of processes tick apart from each other.
  const share = Math.min(1, Math.max(0, 1 - (busy - own) / total));
  return { share, isShort: busy > (1 - IDLE_SHARE) * total };
}

/** @param {boolean} isOwnServer @returns {CoreTimes | undefined} undefined where the system does not say */
function readCores(isOwnServer) {
  if (process.platform !== 'linux') return undefined;
  try {
    const [, ...ticks] = readFileSync('/proc/stat', 'utf8').split('\n')[0].split(/\s+/).map(Number);
    const [user, nice, system, idle, iowait, irq, softirq, steal] = ticks;
    // Interrupts belong to nobody: a load's own packets cause most of them.
    const busy = user + nice + system + steal;
    const own = sum(listOwn(listProcesses(), { root: process.pid, isOwnServer }).map(({ ticks }) => ticks));
    return { total: busy + idle + iowait + irq + softirq, busy, own };
  } catch {
    return undefined;
  }
}

/**
 * @template {Pick<ProcessInfo, 'pid' | 'parent' | 'name' | 'isKernel'>} Process
 * @param {Process[]} processes
 * @param {{ root: number, isOwnServer: boolean }} options
 * @returns {Process[]} the root, what it started, what may be its MongoDB, and the system, which works for them:
 *   it writes their files, for example
 */
export function listOwn(processes, { root, isOwnServer }) {
  const tree = new Set(listTree(root, processes));
  return processes.filter(
    ({ pid, name, isKernel }) => isKernel || tree.has(pid) || (!isOwnServer && /^mongo[ds]$/.test(name)),
  );
}
