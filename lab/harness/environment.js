import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import os from 'node:os';
import { performance } from 'node:perf_hooks';

/**
 * How much of the time this thread had work, and how much CPU time the process got meanwhile: less where the cores are
 * short.
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

/** @param {string} name of a package @returns {string | null} null if it is not installed: Artillery is optional */
function versionOf(name) {
  try {
    return require(`${name}/package.json`).version;
  } catch {
    return null;
  }
}
