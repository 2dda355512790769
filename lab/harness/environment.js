import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import os from 'node:os';
import { performance } from 'node:perf_hooks';

/** @import { Result } from '../report/result-types.js' */

/** Part of the warning of a run whose figures other programs have spoilt. */
export const BUSY_MACHINE = 'this machine seems to be busy with something else';

/** Whether other programs have spoilt a run. @param {Result} result */
export function wasBusy({ warnings = [] }) {
  return warnings.some((warning) => warning.includes(BUSY_MACHINE));
}

/** Runs that other programs spoilt got CPU time for 0.06 to 0.32 of the time in which the thread had work. */
const STARVED_SHARE = 0.6;

/**
 * How much of the time this thread had work, and how much CPU time the process got meanwhile, which is less where
 * others use the cores.
 *
 * @typedef {{ threadBusy: number, cpuShare: number }} ThreadUse both in cores
 */

/** @returns {() => ThreadUse} since the call */
export function watchThread() {
  const [before, used, startedAtMs] = [performance.eventLoopUtilization(), process.cpuUsage(), performance.now()];
  return () => {
    const { user, system } = process.cpuUsage(used);
    return {
      threadBusy: performance.eventLoopUtilization(before).utilization,
      cpuShare: (user + system) / 1000 / (performance.now() - startedAtMs),
    };
  };
}

/** @param {ThreadUse} use @returns {string[]} warnings: none if the process got the CPU time that it needed */
export function warnIfStarved({ threadBusy, cpuShare }) {
  if (cpuShare >= STARVED_SHARE * threadBusy) return [];
  const [had, got] = [threadBusy, cpuShare].map((share) => Math.round(share * 100));
  return [`${BUSY_MACHINE}: this process had work for ${had} % of the time, and got ${got} % of a core`];
}

const require = createRequire(import.meta.url);

/** @param {string | null} mongodb version of the server, null where there is none */
export function describeEnvironment(mongodb) {
  const cpus = os.cpus();
  return {
    poolLab: JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')).version,
    node: process.versions.node,
    driver: versionOf('mongodb'),
    artillery: versionOf('artillery'),
    autocannon: versionOf('autocannon'),
    mongodb,
    os: `${os.type()} ${os.release()} ${os.arch()}`,
    cpu: cpus[0]?.model ?? 'unknown',
    cores: cpus.length,
    memoryGB: Math.round(os.totalmem() / 2 ** 30),
  };
}

/** @param {string} name of a package */
function versionOf(name) {
  return require(`${name}/package.json`).version;
}
